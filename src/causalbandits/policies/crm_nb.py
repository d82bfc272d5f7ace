"""CRM-NB-ALG (Nair, Patil & Sinha 2021, Algorithm 2): cumulative regret with a budget, where one observation teaches about many arms.

Idea: UCB per unit of cost on effective pulls; watch often enough (beta^2 log t times) that the seldom best arm is not missed.
Symbols: pulls N^a, counts E^a (own pulls and observations that show the arm; N^0 for the observation), means mu_hat, rounds t - 1,
top mu_hat*/gamma. `exploration` is the constant under the root: 2 as in the proof (the text has 8).
Costs per arm: the index is divided by the arm's own cost, argmax over the affordable arms; mu_hat*/gamma is the largest mu_hat_a / c_a,
and mu_hat_0 becomes mu_hat_0 / c_0 should the observation not cost 1.
Many values or several variables per arm: an observation counts for an arm if all that it sets held. An arm with a backdoor path gets
nothing from observations. Rewards in [low, high]: radius and beta are scaled by high - low. Pending rounds count in t, N^0 and the radii.
`exploration` changes the radius alone: the 2 sqrt(2) of line 13 stays. Costs per arm as in Jamshidi, Etesami & Kiyavash (2024).
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .checks import needs_budget, needs_observation, once_each
from .contract import Policy
from .maths.indices import PASS, add_pulls, add_shown, best_index, first_untried, largest_rate, log_of, total
from .maths.ties import TIE, best_mean
from .registry import register


@record
class State:
    untried: int  # arms not pulled yet
    rounds: int
    pulls: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    means: np.ndarray
    roots: np.ndarray  # 1 / sqrt(E)
    beta: float
    top: float


@register
class CRMNB(Policy):
    """CRM-NB-ALG: UCB per cost on effective pulls, watching as often as it pays."""

    kind = "crm-nb"
    reads = "arms"
    paper = "Nair, Patil & Sinha 2021, Algorithm 2; costs per arm: Jamshidi, Etesami & Kiyavash 2024"

    exploration: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def check(self, problem: Problem) -> None:
        needs_observation(self, problem)
        needs_budget(self, problem, once_each(problem), "to pull every arm once")

    def init(self, problem):
        arms = problem.arms
        zeros = np.zeros(arms, np.int64)
        return State(
            arms, 0, zeros, zeros.copy(), np.zeros(arms), np.zeros(arms), np.zeros(arms), 1.0, -np.inf
        )  # line 2: beta = 1

    def ask(self, problem, state, pending, left, rng):
        if (
            state.untried > 0
        ):  # line 1: each arm once, the observation first; count 0 while the last of them are pending
            arm = first_untried(state.pulls, pending, problem.costs, left)
            if arm != PASS:
                return max(arm, 0), (1 if arm >= 0 else 0)
        if left < problem.cheapest_intervention:  # line 4: B_t < gamma, and so it stays
            return 0, left // problem.costs[0]
        waiting = total(pending)
        t = state.rounds + waiting + 1
        if (
            state.counts[0] + pending[0] < state.beta**2 * log_of(problem.log_of, t) and problem.costs[0] <= left
        ):  # line 4
            return 0, 1  # line 5
        width = problem.width * math.sqrt(self.exploration * log_of(problem.log_of, t - 1))
        arm = best_index(
            state.means,
            state.roots,
            state.counts,
            pending,
            waiting,
            width,
            problem.rates,
            problem.costs,
            problem.dearest,
            left,
            problem.by_arm,
            rng,
        )
        return arm, 1  # line 7

    def tell(self, problem, state, arm, tally):
        if state.pulls[arm] == 0:
            state.untried -= 1
        before = state.means[arm] * problem.rates[arm]
        state.pulls[arm] += tally.rounds  # line 9
        state.rounds += tally.rounds
        if arm == 0:  # line 10
            add_shown(
                tally.shown,
                tally.shown_reward,
                state.rounds,
                problem.root_of,
                state.counts,
                state.sums,
                state.means,
                state.roots,
            )
        else:
            add_pulls(arm, tally.rounds, tally.reward, state.counts, state.sums, state.means, state.roots)
        # line 11: sought anew only if the arm that had the top may have lost it
        after = state.means[arm] * problem.rates[arm]
        if arm == 0 or (before == state.top and after < before):
            state.top = largest_rate(state.means, state.counts, problem.rates, problem.by_arm)
        else:
            state.top = max(state.top, after)
        lead = state.top - state.means[0] * problem.rates[0]
        if state.rounds > problem.arms and lead > TIE:  # line 12; equal but for rounding is not less
            state.beta = min(
                2 * math.sqrt(2) * problem.width / lead, math.sqrt(log_of(problem.log_of, state.rounds))
            )  # line 13

    def recommend(self, problem, state, rng):
        return best_mean(state.sums, state.counts, rng)
