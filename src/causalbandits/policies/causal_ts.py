"""Causal Thompson sampling (this library): cumulative regret with a budget and side observations.

Idea: causal-kl with a draw from the posterior of each arm in place of its index.
Symbols: counts n_a effective samples, sums of their rewards, S_a these rewards scaled to [0, 1].
Posterior: Beta(1 + S_a, 1 + n_a - S_a); for real rewards a normal with variance 1/4 per sample.
A choice stands for 1 + `block` n_a rounds. While there are few observations, watching gets a chance in each of them.
Pending rounds change no draw. An arm waits while as many rounds are pending as are known (and ten).
The rule and the conjecture are in docs/policies/causal-ts.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.cache import lean
from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks
from .maths.indices import add_to, must_wait
from .maths.posteriors import beta_variate, normal_variate
from .maths.ties import best, best_mean
from .maths.watching import exclude_unavailable, starts_with_watching, watching_pays
from .reference import LIBRARY
from .registry import register

FEW_OBSERVATIONS = 100  # with as many, a mean is 0.15 too low with a probability of 1 % (Hoeffding)


@lean
def posterior_draw(total, count, low, width, is_bounded, rng):
    """A draw from the posterior of a mean. A real reward without samples may have any mean: infinity."""
    if is_bounded:
        share = min(max((total - count * low) / width, 0.0), float(count))
        return low + width * beta_variate(1.0 + share, 1.0 + count - share, rng)
    return total / count + normal_variate(rng) / (2.0 * math.sqrt(count)) if count > 0 else np.inf


@record
class State:
    counts: np.ndarray  # (arms,) n_a, effective samples: pulls and observations that showed arm a
    sums: np.ndarray  # (arms,) the sum of their rewards
    watched: np.ndarray  # (arms,) observations that showed arm a
    scratch: np.ndarray  # (arms,) working memory


@register
class CausalThompson(InBlocks):
    """Causal Thompson sampling: a posterior draw per cost; it watches while that is the cheaper way to learn."""

    kind = "causal-ts"
    reads = ARMS
    goal = "cumulative regret"
    reference = LIBRARY

    def init(self, view):
        arms = view.arms
        return State(
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            watched=np.zeros(arms, np.int64),
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        if (
            view.observes
            and view.costs[0] <= left
            and starts_with_watching(state.counts, pending, view.costs, view.cheapest_intervention)
        ):
            return 0, 1
        draws = state.scratch
        for a in range(view.arms):
            draw = posterior_draw(state.sums[a], state.counts[a], view.low, view.width, view.is_bounded, rng)
            draws[a] = draw * view.rates[a]
        can_watch = (
            view.observes and view.costs[0] <= left and state.counts[0] > 0 and not must_wait(0, state.counts, pending)
        )
        if can_watch and watching_pays(view, draws, state.counts, state.sums, state.watched, left):
            return 0, 1 + np.int64(self.block * state.counts[0])
        exclude_unavailable(draws, state.counts, pending, view.costs, left)
        arm = best(draws, rng)
        if arm < 0:
            return 0, 0
        rounds = 1 + np.int64(self.block * state.counts[arm])
        if can_watch and arm > 0 and state.counts[0] < FEW_OBSERVATIONS:
            for _ in range(1, rounds):  # the observation has a chance in each round of the block
                draw = posterior_draw(state.sums[0], state.counts[0], view.low, view.width, view.is_bounded, rng)
                if draw * view.rates[0] > draws[arm]:
                    return 0, 1
        return arm, rounds

    def tell(self, view, state, arm, tally):
        if arm == 0 and view.observes:
            add_to(state.counts, tally.shown)
            add_to(state.watched, tally.shown)
            add_to(state.sums, tally.shown_reward)
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward

    def recommend(self, view, state, rng):
        return best_mean(state.sums, state.counts, rng)
