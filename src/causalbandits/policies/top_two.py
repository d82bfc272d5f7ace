"""Top-two with watching (this library): simple regret with a budget and side observations.

Idea: buy what reduces the expected loss of the final recommendation most per unit of cost: a pull, or an observation.
Symbols: counts N_a effective samples, n_a = N_a + 8 with the prior's, means m_a and variances v_a of the posteriors,
f_a the posterior density, inverse_sd 1 / sqrt(v_a), p_a = (watched_a + 1/2) / (watched_0 + 1),
x the reward that separates the best arm from the rest: sum_a P(theta_a > x) = 1.
A pull is worth f_a(x) v_a / (n_a + 1) / c_a, an observation the sum over a of p_a f_a(x) v_a / (n_a + 1), / c_0.
A choice stands for 1 + `block` N_a rounds, or for a 200th of the budget.
Pending rounds count in n_a (an observation counts p_a), never in means.
The derivation, four details and the conjecture are in docs/policies/top-two.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.cache import lean, shared
from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks
from .maths.contenders import PRIOR_SAMPLES, hopeful_posterior, separating_reward
from .maths.indices import add_to, total
from .maths.ties import best
from .maths.watching import exclude_unavailable
from .reference import LIBRARY
from .registry import register

MOST_CHOICES = 200  # more choices would cost time and gain nothing


@record
class State:
    counts: np.ndarray  # (arms,) N_a, effective samples: pulls and observations that showed arm a
    sums: np.ndarray  # (arms,) the sum of their rewards
    watched: np.ndarray  # (arms,) observations that showed arm a
    means: np.ndarray  # (arms,) m_a, of rewards scaled to [0, 1]
    inverse_sd: np.ndarray  # (arms,) 1 / sqrt(v_a)
    scratch: np.ndarray  # (arms,) working memory


@lean
def share_shown(watched, a):
    """p_a. It is never 0, because an arm that was not seen yet may still be seen."""
    return (watched[a] + 0.5) / (watched[0] + 1.0)


@shared
def mean_of(view, state, a):
    """The mean reward that a recommendation is based on.

    Bounded rewards are scaled to [0, 1], and half a success and half a failure are added. Real rewards keep their mean,
    in units of the width.
    """
    if view.is_bounded:
        return ((state.sums[a] - state.counts[a] * view.low) / view.width + 0.5) / (state.counts[a] + 1.0)
    return state.sums[a] / view.width / max(state.counts[a], 1)


@lean
def update_posteriors(view, state):
    """Update m_a and 1 / sqrt(v_a) of every arm. At least one arm must have a sample."""
    counts, watched, low, width = state.counts, state.watched, view.low, view.width
    best_mean = -np.inf
    for a in range(counts.size):
        if counts[a] > 0:
            best_mean = max(best_mean, mean_of(view, state, a))
    for a in range(counts.size):
        reward = (state.sums[a] - counts[a] * low) / width
        mean, variance = hopeful_posterior(counts[a], reward, best_mean, view.is_bounded)
        if view.observes and a > 0 and watched[a] > 0:
            variance *= 1.0 - share_shown(watched, a) * watched[a] / counts[a]  # what all watched arms share cancels
        state.means[a], state.inverse_sd[a] = mean, 1.0 / math.sqrt(variance)


@lean
def expected_pending_samples(a, pending, watched, watches):
    """How many samples of an arm the pending rounds will bring. `watches` says whether observations count for it."""
    return pending[a] + (pending[0] * share_shown(watched, a) if watches and a > 0 else 0.0)


@register
class TopTwo(InBlocks):
    """Top-two with watching: separates the best arm from the rest by pulls or by watching, whichever is cheaper."""

    kind = "top-two"
    reads = ARMS
    goal = "simple regret"
    reference = LIBRARY

    def init(self, view):
        arms = view.arms
        inverse_sd = 2.0 * math.sqrt(PRIOR_SAMPLES + 1.0)
        return State(
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            watched=np.zeros(arms, np.int64),
            means=np.full(arms, 0.5),
            inverse_sd=np.full(arms, inverse_sd),
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        values, waiting = state.scratch, total(pending)
        for a in range(view.arms):
            values[a] = state.inverse_sd[a]
            if waiting > 0:
                more = expected_pending_samples(a, pending, state.watched, view.observes and view.teaches[a])
                values[a] *= math.sqrt(1.0 + more / (state.counts[a] + PRIOR_SAMPLES + 1.0))
        x = separating_reward(state.means, values)
        nearest, unit = np.inf, 1.0  # gains are relative to the arm nearest to x, so that they do not underflow
        for a in range(view.arms):
            z = abs(x - state.means[a]) * values[a]
            if z < nearest:
                nearest, unit = z, values[a] * (state.counts[a] + PRIOR_SAMPLES + 1.0)
        watch = 0.0
        for a in range(view.arms):
            z, n = (x - state.means[a]) * values[a], state.counts[a] + PRIOR_SAMPLES
            if waiting > 0:
                n += expected_pending_samples(a, pending, state.watched, view.observes and view.teaches[a])
            # f_a(x) v_a / (n_a + 1)
            gain = math.exp(0.5 * (nearest * nearest - z * z)) * unit / (values[a] * (n + 1.0))
            if view.observes:
                watch += gain if a == 0 else gain * share_shown(state.watched, a) if view.teaches[a] else 0.0
            values[a] = gain * view.rates[a]
        if view.observes:
            values[0] = watch * view.rates[0]
        exclude_unavailable(values, state.counts, pending, view.costs, left)
        arm = best(values, rng)
        if arm < 0:
            return 0, 0
        return arm, max(1 + np.int64(self.block * state.counts[arm]), view.budget // (MOST_CHOICES * view.costs[arm]))

    def tell(self, view, state, arm, tally):
        if arm == 0 and view.observes:
            add_to(state.counts, tally.shown)
            add_to(state.watched, tally.shown)
            add_to(state.sums, tally.shown_reward)
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward
        update_posteriors(view, state)

    def recommend(self, view, state, rng):
        values, nothing = state.scratch, total(state.counts) == 0
        for a in range(view.arms):
            known = state.counts[a] > 0 or nothing
            values[a] = mean_of(view, state, a) if known else -np.inf
        return best(values, rng)
