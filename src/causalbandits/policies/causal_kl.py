"""Causal KL-UCB: cumulative regret with a budget, where watching teaches about many arms at once.

Idea: per unit of cost, the KL-UCB index on effective samples; and watching exactly as long as it is the cheaper way to learn.
Derivation. With best value v* = max mu_a / c_a, any policy that does well everywhere must give an arm a with c_a v* below the highest
reward about log(T) / KL(mu_a, c_a v*) samples (Lai & Robbins 1985; Burnetas & Katehakis 1996; per cost: Xia et al. 2016). A sample is bought at a
loss of c_a v* - mu_a, or comes with probability p_a from an observation, at a loss of c_0 v* - mu_0 for all arms together. What x observations
and the missing pulls lose, x (c_0 v* - mu_0) + sum_a (L_a - p_a x)^+ (c_a v* - mu_a), is convex and piecewise linear in x: watching pays
until its slope is no longer negative. The slope at what was done so far is a sum over the arms that still miss samples, which are those whose index
is above v* (`engine.watching.saves`), so nothing needs to be sorted or solved.
Symbols: counts n_a effective samples, watched_a observations that showed a, index U_a / c_a with U_a = max{q : n_a KL(mu_a, q) <= log(T / n_a)},
T the most rounds that the budget pays: KL-UCB-H+ (Kaufmann 2018), which is asymptotically optimal without watching. Conjecture: with
watching it reaches the lower bound above.
The first round watches, if that costs no more than any intervention. No arm is pulled merely because it never was, unless its index, that
of the highest reward, says so. A choice stands for 1 + `block` n_a rounds.
Many values and several variables per arm: an observation counts where all that the arm sets held; with a backdoor path p_a = 0.
Pending rounds count in n_a (an observation as p_a), never in means; an arm with as many pending rounds as are known of it (and ten) waits.
Of an arm that is pending and not known at all the mean is taken as the middle of the range.
Rewards in [low, high] are scaled to [0, 1]; real ones have the normal's KL.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks
from .maths.indices import add_to, must_wait, total
from .maths.kl import bound_without_samples, upper_h_plus
from .maths.ties import best, best_mean
from .maths.watching import exclude_unavailable, starts_with_watching, watching_pays
from .registry import register


@record
class State:
    counts: np.ndarray
    sums: np.ndarray
    watched: np.ndarray
    index: np.ndarray  # U_a / c_a
    scratch: np.ndarray  # (arms,) working memory


@register
class CausalKL(InBlocks):
    """Causal KL-UCB: an index per cost by relative entropy, watching as long as that is the cheaper way to learn."""

    kind = "causal-kl"
    reads = ARMS
    paper = "this library; index: Kaufmann 2018"

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
        if view.observes and left < view.cheapest_intervention:  # and so it stays
            return 0, left // view.costs[0]
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
                    bound = upper_h_plus(mean * n, n, view.rounds, view.low, view.width, view.is_bounded)
                    values[a] = bound * view.rates[a]
        if view.observes and view.costs[0] <= left and not must_wait(0, state.counts, pending):
            if starts_with_watching(state.counts, pending, view.costs, view.cheapest_intervention):
                return 0, 1
            if state.counts[0] > 0 and watching_pays(view, values, state.counts, state.sums, state.watched, left):
                return 0, 1 + np.int64(self.block * state.counts[0])
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
                    bound = upper_h_plus(
                        state.sums[a], state.counts[a], view.rounds, view.low, view.width, view.is_bounded
                    )
                    state.index[a] = bound * view.rates[a]
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward
            bound = upper_h_plus(state.sums[arm], state.counts[arm], view.rounds, view.low, view.width, view.is_bounded)
            state.index[arm] = bound * view.rates[arm]

    def recommend(self, view, state, rng):
        return best_mean(state.sums, state.counts, rng)
