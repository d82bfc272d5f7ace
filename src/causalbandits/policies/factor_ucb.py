"""Factor UCB (this library): cumulative regret; every round, watched or acted, teaches about all arms.

Idea: the mean of every arm is made of the tables of a few factors. A round of any arm adds to the tables that it
teaches (docs/theory/factors.md). So nobody has to say P(parents of the reward | do(a)), and causes may be hidden.
Symbols: t rounds, T the most rounds that the budget pays, m_a and n_a the estimated mean of an arm and the evidence
about it in samples (policies/maths/factor_means.py), c_a costs, v* the best mean per cost.
U_a = max{q : n_a KL(m_a, q) <= exploration (1 + 6 / (n_a + 2 arms)) log(1 + t / (2 n_a))}; the index is U_a / c_a.
exploration is 1 by default. The first factor is for arms that were unlucky at the start.
An arm that is learned as a whole, because a table would be too large, has the level of causal-kl, log(T / n_a).
It watches while that is the cheaper way to learn, but does not wait for arms that are hardly ever shown
(policies/maths/waiting.py). A choice stands for 1 + `block` times the arm's rounds (of a whole arm: its samples).
The arm with the largest lower bound is recommended.
Pending rounds count in t and as samples of their own arm, never in means.
The derivation and the conjecture are in docs/policies/factor-ucb.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.cache import shared
from .factor_view import FactorPolicy, length_of
from .maths.factor_means import update_means
from .maths.indices import must_wait, total
from .maths.kl import boost, bound_without_samples, upper
from .maths.own_samples import fill_sums_of_alike
from .maths.surest import best_or_any, entropy_lower
from .maths.ties import best
from .maths.waiting import arm_not_to_wait_for, best_rate, mean_of, watching_saves
from .maths.watching import exclude_unavailable, nothing_is_worth_its_price, starts_with_watching
from .reference import LIBRARY
from .registry import register


@shared
def fill_indices(view, state, pending, exploration):
    """Set the state's scratch to U_a / c_a of every arm."""
    t = state.rounds + total(pending)
    fill_sums_of_alike(view.alike, pending, state.scratch_pending)
    for a in view.firsts:
        n = state.scratch_evidence[a] + state.scratch_pending[a]
        bound = bound_without_samples(view.low, view.width, view.is_bounded)
        if state.scratch_evidence[a] > 0.0:
            if view.whole[a]:
                level = math.log(max(view.rounds / n, 1.0))
            else:
                level = math.log(1.0 + 0.5 * t / n) * boost(n, view.arms)
            bound = upper(mean_of(view, state, a) * n, n, exploration * level, view.low, view.width, view.is_bounded)
        state.scratch_bounds[a] = bound
    for a in range(view.arms):
        state.scratch[a] = state.scratch_bounds[view.alike[a]] * view.rates[a]


@register
class FactorUCB(FactorPolicy):
    """Factor UCB: an index per cost on what all rounds together tell; it watches while that is cheaper."""

    kind = "factor-ucb"
    goal = "cumulative regret"
    reference = LIBRARY

    exploration: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def ask(self, view, state, pending, left, rng):
        update_means(view, state)
        fill_indices(view, state, pending, self.exploration)
        values = state.scratch
        if nothing_is_worth_its_price(view, values, left):
            return 0, 0
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        if view.observes and view.costs[0] <= left and not must_wait(0, state.pulls, pending):
            if starts_with_watching(state.pulls, pending, view.costs, view.cheapest_intervention):
                return 0, 1
            rate = best_rate(view, state)
            if state.pulls[0] > 0 and watching_saves(view, state, values, rate, left):
                arm = max(arm_not_to_wait_for(view, state, rate, pending, left), 0)
                return arm, length_of(view, state, arm, self.block)
        exclude_unavailable(values, state.pulls, pending, view.costs, left)
        arm = best(values, rng)
        return max(arm, 0), (length_of(view, state, arm, self.block) if arm >= 0 else 0)

    def recommend(self, view, state, rng):
        update_means(view, state)
        for a in range(view.arms):
            state.scratch[a] = -np.inf
            if state.scratch_evidence[a] > 0.0:
                state.scratch[a] = entropy_lower(view, mean_of(view, state, a), state.scratch_evidence[a])
        return best_or_any(state.pulls, state.scratch, rng)
