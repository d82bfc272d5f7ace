"""Top-two with watching: simple regret with a budget, where watching teaches about many arms at once.

Idea: buy what brings down the expected loss of the final recommendation most per unit of cost: one more pull, or watching, which pays for
many arms at once. Only arms that may still come first or second matter for that.
Derivation. Let theta_a be normal with the posterior's mean m_a and variance v_a. Recommending the best m_a loses L = E max_a theta_a - max_a m_a.
For normals d E g(theta) / d v_a = E g''(theta) / 2, so dL / d v_a = E f_a(M_a) / 2 with f_a the density of theta_a and M_a the best of the others.
We put the number x in place of M_a at which sum_a P(theta_a > x) = 1, or P(theta_b < x) = sum_{a != b} P(theta_a > x) with b the best so far: the
reward that parts the best arm from the rest (`engine.contenders.parting`). A sample of a brings v_a down by v_a / (n_a + 1) on average, which is
exact for the Beta posterior. So a pull is worth f_a(x) v_a / (n_a + 1) / c_a, an observation the sum over a of p_a f_a(x) v_a / (n_a + 1), / c_0.
Symbols: counts N_a effective samples (pulls and observations that showed a), n_a = N_a + 8 with the prior's; v_a = s_a (1 - s_a) / (n_a + 1), where
s_a is the mean with four successes and four failures more; inverse_sd 1 / sqrt(v_a); p_a = (watched_a + 1/2) / (watched_0 + 1).
Hope: for the choice, m_a has eight samples more that are as good as the best arm so far, so that no good arm is given up for a few unlucky samples:
no prior knows that the best arm may be one that is rarely seen. The recommendation is the best mean with half a success and half a failure more.
What all watched arms share does not part them: the mean of the observations that showed a, minus the mean of all of them, has the variance (1 - p_a)
sigma^2 / watched_a. So v_a is taken times 1 - p_a, for the part of its samples that was watched.
A choice stands for 1 + `block` N_a rounds, or a 200th of the budget.
Conjecture: the simple regret decays exponentially in the budget, at the best rate of any fixed division of the money between watching and pulling.
Many values and several variables per arm: an observation counts where all that the arm sets held; with a backdoor path p_a = 0.
Pending rounds count in n_a (an observation as p_a), never in means; an arm with as many pending rounds as are known of it (and ten) waits.
Rewards in [low, high] are scaled to [0, 1]; real ones have the normal posterior of variance 1/4 per sample, and their plain mean is recommended.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.cache import lean
from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks
from .maths.contenders import separating_reward
from .maths.indices import add_to, total
from .maths.ties import best
from .maths.watching import exclude_unavailable
from .registry import register

PRIOR_SAMPLES = 8.0  # samples before all
MOST_CHOICES = 200  # a choice spends at least this part of the budget: more would cost time and gain nothing


@record
class State:
    counts: np.ndarray
    sums: np.ndarray
    watched: np.ndarray
    means: np.ndarray  # m_a, of rewards scaled to [0, 1]
    inverse_sd: np.ndarray  # 1 / sqrt(v_a)
    scratch: np.ndarray  # (arms,) working memory


@lean
def share_shown(watched, a):
    """p_a, as it will be rather than as it was: never 0, so that an arm not seen yet may still be."""
    return (watched[a] + 0.5) / (watched[0] + 1.0)


@lean
def mean_of(view, state, a):
    """The mean reward of an arm.

    Rewards with bounds are scaled to [0, 1], with half a success and half a failure more. Real ones have their mean.
    """
    if view.is_bounded:
        return ((state.sums[a] - state.counts[a] * view.low) / view.width + 0.5) / (state.counts[a] + 1.0)
    return state.sums[a] / max(state.counts[a], 1)


@lean
def update_posteriors(view, state):
    """Set m_a and 1 / sqrt(v_a) of every arm, once some arm has a sample."""
    counts, watched, low, width = state.counts, state.watched, view.low, view.width
    top = -np.inf
    for a in range(counts.size):
        if counts[a] > 0:
            top = max(top, mean_of(view, state, a))
    for a in range(counts.size):
        n, reward = counts[a] + PRIOR_SAMPLES, (state.sums[a] - counts[a] * low) / width
        share = (min(max(reward, 0.0), float(counts[a])) + PRIOR_SAMPLES / 2.0) / n if view.is_bounded else 0.5
        variance = share * (1.0 - share) / (n + 1.0)
        if view.observes and a > 0 and watched[a] > 0:
            variance *= 1.0 - share_shown(watched, a) * watched[a] / counts[a]
        state.means[a], state.inverse_sd[a] = (reward + PRIOR_SAMPLES * top) / n, 1.0 / math.sqrt(variance)


@lean
def expected_pending_samples(a, pending, watched, watches):
    """The samples of an arm that pending rounds are to bring; `watches` whether those of the observation do."""
    return pending[a] + (pending[0] * share_shown(watched, a) if watches and a > 0 else 0.0)


@register
class TopTwo(InBlocks):
    """Top-two with watching: buys what parts the best arm from the rest, by pulls or by watching, whichever is cheaper."""

    kind = "top-two"
    reads = ARMS
    paper = "this library"

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
        if view.observes and left < view.cheapest_intervention:  # and so it stays
            return 0, left // view.costs[0]
        values, waiting = state.scratch, total(pending)
        for a in range(view.arms):
            values[a] = state.inverse_sd[a]
            if waiting > 0:
                more = expected_pending_samples(a, pending, state.watched, view.observes and view.teaches[a])
                values[a] *= math.sqrt(1.0 + more / (state.counts[a] + PRIOR_SAMPLES + 1.0))
        x, nearest, unit = (
            separating_reward(state.means, values),
            np.inf,
            1.0,
        )  # in units of the arm nearest to x nothing vanishes
        for a in range(view.arms):
            z = abs(x - state.means[a]) * values[a]
            if z < nearest:
                nearest, unit = z, values[a] * (state.counts[a] + PRIOR_SAMPLES + 1.0)
        watch = 0.0
        for a in range(view.arms):
            z, n = (x - state.means[a]) * values[a], state.counts[a] + PRIOR_SAMPLES
            if waiting > 0:
                n += expected_pending_samples(a, pending, state.watched, view.observes and view.teaches[a])
            gain = (
                math.exp(0.5 * (nearest * nearest - z * z)) * unit / (values[a] * (n + 1.0))
            )  # f_a(x) v_a / (n_a + 1)
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
