"""The fast index against the formula of the papers.

In 500 runs from the same streams, every arm has the same number of pulls in every run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba import njit

import causalbandits as cb

RUNS = 500
TIE = 1e-12


@njit
def literal(problem, sums, counts, t, exploration, weighs_costs, left, rng):
    """argmax of (mean + radius) / cost over what can be paid, all from scratch; ties within 1e-12 by lot."""
    index = problem.by_arm  # working memory
    top = -np.inf
    for a in range(problem.arms):
        radius = problem.width * math.sqrt(exploration * math.log(t) / counts[a])
        index[a] = (sums[a] / counts[a] + radius) / (problem.prices[a] if weighs_costs else 1.0)
        if problem.costs[a] > left:
            index[a] = -np.inf
        top = max(top, index[a])
    tied = 0
    for a in range(problem.arms):
        tied += index[a] >= top - TIE
    if top == -np.inf:
        return 0, 0
    lot = cb.below(rng, tied) if tied > 1 else 0
    for a in range(problem.arms):
        if index[a] >= top - TIE:
            if lot == 0:
                return a, 1
            lot -= 1
    return 0, 0


@njit
def first_zero(pulls):
    """The first arm without a pull, or -1."""
    for a in range(pulls.size):
        if pulls[a] == 0:
            return a
    return -1


@cb.record
class Sums:
    counts: np.ndarray
    sums: np.ndarray


class LiteralFKube(cb.FKube):
    """F-KUBE in its own words; of the same kind, so that its streams are the same."""

    def init(self, problem):
        return Sums(np.zeros(problem.arms, np.int64), np.zeros(problem.arms))

    def ask(self, problem, state, pending, left, rng):
        if first_zero(state.counts) >= 0:
            return first_zero(state.counts), 1
        return literal(problem, state.sums, state.counts, state.counts.sum(), self.exploration, True, left, rng)

    def tell(self, problem, state, arm, tally):
        state.counts[arm] += tally.rounds
        state.sums[arm] += tally.reward


class LiteralUCB(cb.UCB):
    """UCB1 likewise: nothing divides."""

    init, tell = LiteralFKube.init, LiteralFKube.tell

    def ask(self, problem, state, pending, left, rng):
        if first_zero(state.counts) >= 0:
            return first_zero(state.counts), 1
        return literal(problem, state.sums, state.counts, state.counts.sum(), self.exploration, False, left, rng)


@cb.record
class EffectiveSums:
    pulls: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    beta: float


class LiteralCRMNB(cb.CRMNB):
    """CRM-NB-ALG likewise, by the lines of Algorithm 2."""

    def init(self, problem):
        arms = problem.arms
        return EffectiveSums(np.zeros(arms, np.int64), np.zeros(arms, np.int64), np.zeros(arms), 1.0)

    def ask(self, problem, state, pending, left, rng):
        if first_zero(state.pulls) >= 0:  # line 1
            return first_zero(state.pulls), 1
        t = state.pulls.sum() + 1
        if left < problem.cheapest_intervention:  # line 4: only watching can be paid
            return 0, left // problem.costs[0]
        if state.pulls[0] < state.beta**2 * math.log(t):  # line 4
            return 0, 1
        return literal(problem, state.sums, state.counts, t - 1, self.exploration, True, left, rng)

    def tell(self, problem, state, arm, tally):
        state.pulls[arm] += tally.rounds
        for a in range(problem.arms):
            if arm == 0:
                state.counts[a] += tally.shown[a]
                state.sums[a] += tally.shown_reward[a]
            elif a == arm:
                state.counts[a] += tally.rounds
                state.sums[a] += tally.reward
        t = state.pulls.sum()
        if t > problem.arms:
            top = -np.inf
            for a in range(1, problem.arms):
                top = max(top, state.sums[a] / state.counts[a] / problem.prices[a])  # line 11
            lead = top - state.sums[0] / state.counts[0] / problem.prices[0]
            if lead > TIE:  # line 12
                state.beta = min(2 * math.sqrt(2) * problem.width / lead, math.sqrt(math.log(t)))  # line 13


WORLD = cb.worlds.parallel(p=[0.1, 0.05] + [0.5] * 10 + [0.3] * 8, epsilon=0.4)
COSTS: list[Any] = [1, *(["1.05", "1.1", "1.25", "2.5"] * 10)]  # 41 arms


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fast", "slow"),
    [
        (cb.FKube(), LiteralFKube()),
        (cb.FKube(exploration=0.05), LiteralFKube(exploration=0.05)),
        (cb.UCB(), LiteralUCB()),
        (cb.CRMNB(), LiteralCRMNB()),
        (cb.CRMNB(exploration=0.05), LiteralCRMNB(exploration=0.05)),
    ],
    ids=lambda policy: f"{type(policy).__name__}-{policy.exploration:g}",
)
def test_the_fast_index_pulls_every_arm_as_often_as_the_formula_in_each_of_500_runs(
    fast: cb.Policy, slow: cb.Policy
) -> None:
    problem = WORLD.problem(budget=600, cost=COSTS)
    assert fast.key == slow.key
    one, other = (
        cb.simulate(WORLD, problem, policy, runs=RUNS, seed=7, checkpoints=[200, 600], compiled=True)
        for policy in (fast, slow)
    )
    np.testing.assert_array_equal(one.pulls[fast.label], other.pulls[slow.label])
    pulls = one.pulls[fast.label][:, -1]
    assert pulls.sum(axis=1).min() > 300
    assert len(np.unique(pulls, axis=0)) > RUNS / 2  # the runs differ, so that there was something to choose
