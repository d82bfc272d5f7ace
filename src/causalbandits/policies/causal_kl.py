"""Causal KL-UCB (this library; index of Kaufmann 2018): cumulative regret with a budget and side observations.

Idea: play the arm with the best KL-UCB index per unit of cost. Watch while that is the cheaper way to learn.
Symbols: counts n_a effective samples, watched_a observations that showed arm a, T the most rounds that the budget pays,
U_a = max{q : n_a KL(mu_a, q) <= exploration log(T / n_a)}, index U_a / c_a. exploration is 1 by default.
The first round watches, if that costs no more than any intervention. A choice stands for 1 + `block` n_a rounds.
While it watches, an arm that is too rarely shown is pulled, if waiting for it would lose more than the pull.
The arm with the largest lower bound is recommended.
Pending rounds count in n_a (an observation counts p_a), never in means.
The derivation, the lower bound and the conjecture are in docs/policies/causal-kl.md.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks, added_later
from .maths.indices import add_to, must_wait, total
from .maths.kl import bound_without_samples, upper_h_plus
from .maths.surest import surest_arm
from .maths.ties import best
from .maths.watching import (
    exclude_unavailable,
    nothing_is_worth_its_price,
    starts_with_watching,
    too_rare_to_wait_for,
    watching_pays,
)
from .reference import KAUFMANN_2018, LIBRARY
from .registry import register


@record
class State:
    counts: np.ndarray  # (arms,) n_a, effective samples: pulls and observations that showed arm a
    sums: np.ndarray  # (arms,) the sum of their rewards
    watched: np.ndarray  # (arms,) observations that showed arm a
    index: np.ndarray  # (arms,) U_a / c_a
    scratch: np.ndarray  # (arms,) working memory


@register
class CausalKL(InBlocks):
    """Causal KL-UCB: an index per cost by relative entropy; it watches while that is the cheaper way to learn."""

    kind = "causal-kl"
    reads = ARMS
    goal = "cumulative regret"
    reference = LIBRARY.at(also={"index": KAUFMANN_2018})

    exploration: float = added_later(default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def init(self, view):
        arms = view.arms
        unknown = bound_without_samples(view.low, view.width, view.is_bounded)
        return State(
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            watched=np.zeros(arms, np.int64),
            index=unknown * view.rates,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        values, waiting = state.scratch, total(pending)
        for a in range(view.arms):
            values[a] = state.index[a]
            if waiting > 0:
                shown = (
                    state.watched[a] / state.watched[0] * pending[0]
                    if view.observes and state.watched[0] > 0 and a > 0
                    else 0.0
                )
                n = state.counts[a] + pending[a] + shown
                if n > state.counts[a]:
                    mean = state.sums[a] / state.counts[a] if state.counts[a] > 0 else view.low + view.width / 2
                    bound = upper_h_plus(mean * n, n, view, self.exploration)
                    values[a] = bound * view.rates[a]
        if nothing_is_worth_its_price(view, values, left):
            return 0, 0
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        if view.observes and view.costs[0] <= left and not must_wait(0, state.counts, pending):
            if starts_with_watching(state.counts, pending, view.costs, view.cheapest_intervention):
                return 0, 1
            if state.counts[0] > 0 and watching_pays(view, values, state.counts, state.sums, state.watched, left):
                rare = too_rare_to_wait_for(
                    view, values, state.counts, state.sums, state.watched, state.counts, pending, left
                )
                arm = max(rare, 0)
                return arm, 1 + np.int64(self.block * state.counts[arm])
        exclude_unavailable(values, state.counts, pending, view.costs, left)
        arm = best(values, rng)
        return max(arm, 0), (1 + np.int64(self.block * state.counts[arm]) if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        if arm == 0 and view.observes:
            add_to(state.counts, tally.shown)
            add_to(state.watched, tally.shown)
            add_to(state.sums, tally.shown_reward)
            for a in range(view.arms):
                if tally.shown[a] > 0:
                    bound = upper_h_plus(state.sums[a], state.counts[a], view, self.exploration)
                    state.index[a] = bound * view.rates[a]
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward
            bound = upper_h_plus(state.sums[arm], state.counts[arm], view, self.exploration)
            state.index[arm] = bound * view.rates[arm]

    def recommend(self, view, state, rng):
        return surest_arm(view, state.sums, state.counts, state.scratch, rng)
