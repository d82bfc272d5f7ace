"""F-KUBE, fractional KUBE (Tran-Thanh, Chapman, Rogers & Jennings 2012): the baseline with costs.

Idea: UCB per unit of cost, without side information. An arm learns from its own pulls only.
The observation is an arm like any other.
Symbols: counts n_a own pulls, means mu_hat_a, rounds t - 1, exploration the constant under the root (2 in the paper).
The index of arm a is (mu_hat_a + sqrt(2 log(t - 1) / n_a)) / c_a. The largest index among the affordable arms wins.
Pending rounds count in t and in the radii. See docs/policies/f-kube.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .checks import needs_budget, once_each
from .columns import REWARDS
from .contract import Policy
from .maths.indices import SKIP, add_pulls, best_index, first_untried, log_from_table, total
from .maths.ties import best_mean
from .reference import TRAN_THANH_2012
from .registry import register


@record
class State:
    untried: int  # arms that were never pulled
    rounds: int  # t - 1
    counts: np.ndarray  # (arms,) n_a
    sums: np.ndarray  # (arms,) the sum of rewards
    means: np.ndarray  # (arms,) mu_hat_a
    roots: np.ndarray  # (arms,) 1 / sqrt(n_a)
    rates: np.ndarray  # (arms,) the factor of the index: 1 / c_a
    scratch: np.ndarray  # (arms,) working memory


@register
class FKube(Policy):
    """F-KUBE: UCB per cost, own pulls only."""

    kind = "f-kube"
    reads = REWARDS
    goal = "cumulative regret"
    reference = TRAN_THANH_2012

    exploration: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def check(self, problem: Problem) -> None:
        needs_budget(self, problem, once_each(problem), "to pull every arm once")

    def init(self, view):
        arms = view.arms
        return State(
            untried=arms,
            rounds=0,
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            means=np.zeros(arms),
            roots=np.zeros(arms),
            rates=view.rates,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if state.untried > 0:  # every arm once; count 0 while the last arms are pending
            arm = first_untried(state.counts, pending, view.costs, left)
            if arm != SKIP:
                return max(arm, 0), (1 if arm >= 0 else 0)
        waiting = total(pending)
        width = view.width * math.sqrt(self.exploration * log_from_table(view.log_of, state.rounds + waiting))
        arm = best_index(view, state, state.rates, width, pending, waiting, left, rng)
        return max(arm, 0), (1 if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        if state.counts[arm] == 0:
            state.untried -= 1
        state.rounds += tally.rounds
        add_pulls(state, arm, tally)

    def recommend(self, view, state, rng):
        return best_mean(state.sums, state.counts, rng)
