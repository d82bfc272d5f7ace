"""F-KUBE, fractional KUBE (Tran-Thanh, Chapman, Rogers & Jennings 2012): the budgeted baseline without side information.

Idea: UCB per unit of cost; an arm learns from its own pulls only, the observation is one arm among the others.
Symbols: counts n_a own pulls, means mu_hat, rounds t - 1. `exploration` is the constant under the root, 2 in the paper.
Costs per arm: the index is divided by the arm's own cost; argmax over the affordable arms. Many values or several variables per arm change
nothing. Rewards in [low, high]: the radius is scaled by high - low. Pending rounds count in t and in the radii.
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
from .registry import register


@record
class State:
    untried: int
    rounds: int
    counts: np.ndarray
    sums: np.ndarray
    means: np.ndarray
    roots: np.ndarray  # 1 / sqrt(n)
    rates: np.ndarray  # what the index is multiplied with: 1 / c_a
    scratch: np.ndarray  # (arms,) working memory


@register
class FKube(Policy):
    """F-KUBE: UCB per cost, own pulls only."""

    kind = "f-kube"
    reads = REWARDS
    paper = "Tran-Thanh, Chapman, Rogers & Jennings 2012"

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
        if state.untried > 0:  # every arm once; count 0 while the last of them are pending
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
