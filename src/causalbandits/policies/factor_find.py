"""Factor find (this library): simple regret; every round, watched or acted, teaches about all arms.

Idea: as in top-two, buy what lowers the expected loss of the final recommendation most per unit of cost. Here a round
lowers the variance of the rows that it shows (docs/theory/factors.md), and so of the differences between arms.
Symbols: m_a the estimated mean of an arm, g_a its gradient, V_a its variance (policies/maths/factor_means.py),
x the reward that separates the best arm from the rest, f_a the posterior density of arm a at x (maths/contenders.py),
g = sum f_a g_a / sum f_a: what all contenders have in common cancels, so variances are those of g_a - g,
gain_a(r) by how much one more sample of row r lowers the variance of arm a, P_b(r) how often a round of b shows row r.
A round of b is worth sum over arms a and rows r of f_a P_b(r) gain_a(r), divided by c_b. Arms with the same mean
count once.
Own samples and arms that are learned as a whole add f_b times what an own sample of b lowers, as in top-two.
A real reward without any sample may be anything: such arms come first, each once, by a pull or by watching.
A choice stands for 1 + `block` times the arm's rounds (of a whole arm: its samples), or for a 200th of the budget.
Pending rounds count as samples of their own arm, never in means. The arm with the largest mean is recommended.
The derivation and the conjecture are in docs/policies/factor-find.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.cache import shared
from .factor_view import FactorPolicy, length_of
from .maths.contenders import PRIOR_SAMPLES, hopeful_posterior, separating_reward
from .maths.factor_means import (
    fill_spread,
    fill_variance,
    gain,
    gain_of_chance,
    gain_of_prior,
    update_means,
)
from .maths.factor_teaching import fill_masses, fill_reach_of_all, sum_over_shown_rows
from .maths.own_samples import fill_sums_of_alike
from .maths.surest import best_or_any
from .maths.ties import best
from .maths.watching import exclude_unavailable
from .reference import LIBRARY
from .registry import register

MOST_CHOICES = 200  # more choices would cost time and gain nothing


@shared
def share_shown(state, a):
    """p_a. It is never 0, because an arm that was not seen yet may still be seen."""
    return (state.scratch_shown[a] + 0.5) / (state.pulls[0] + 1.0)


@shared
def fill_meetings(view, state):
    """Set the state's scratch to the number of unknown means that a round of each arm shows, per cost.

    Returns how many means are unknown. Only that of a real reward can be unknown.
    """
    values, unknown = state.scratch, 0
    for a in range(view.arms):
        values[a] = -np.inf
        if state.scratch_evidence[a] <= 0.0 and state.scratch_pending[a] == 0 and not view.is_bounded:
            unknown += 1
            values[a] = view.rates[a]
    if view.observes and unknown > 0:
        shown = 1.0 if values[0] > -np.inf else 0.0
        for a in view.firsts:
            if a > 0 and values[a] > -np.inf and view.teaches[a]:
                shown += share_shown(state, a)
        if shown > 0.0:
            values[0] = shown * view.rates[0]
    return unknown


@shared
def recommended_mean(view, state, a):
    """The mean that a recommendation is based on, of a whole arm with half a success and half a failure added."""
    n, mean = state.scratch_evidence[a], state.scratch_means[a]
    return (mean * n + 0.5) / (n + 1.0) if view.whole[a] and view.is_bounded else mean


@shared
def fill_posteriors(view, state, pending):
    """Set the means and one by the deviations. A whole arm has the posterior of top-two."""
    best_mean = -np.inf
    for a in range(view.arms):
        if state.scratch_evidence[a] > 0.0:
            best_mean = max(best_mean, recommended_mean(view, state, a))
    if best_mean == -np.inf:
        best_mean = 0.5
    for i in range(view.firsts.size):
        a = view.firsts[i]
        n = state.scratch_evidence[a]
        if view.whole[a]:
            mean, variance = hopeful_posterior(n, n * state.scratch_means[a], best_mean, view.is_bounded)
            more = pending[a]
            if view.observes and a > 0 and view.teaches[a]:
                more += pending[0] * share_shown(state, a)
                if state.watched[a] > 0:
                    variance *= 1.0 - share_shown(state, a) * state.watched[a] / n  # what all watched arms share
            samples = n + PRIOR_SAMPLES + 1.0
            state.scratch_hopeful[i] = mean
            state.scratch_variances[a] = variance * samples / (samples + more)
            state.scratch_own_gains[a] = state.scratch_variances[a] / (samples + more)
        else:
            state.scratch_hopeful[i] = state.scratch_means[a]
        state.scratch_inverse_sd[i] = 1.0 / math.sqrt(state.scratch_variances[a])


@shared
def fill_weights(view, state):
    """Set f_a, relative to the arm nearest to x, so that they do not underflow. Returns their sum."""
    means, inverse_sd = state.scratch_hopeful, state.scratch_inverse_sd
    x, nearest, total = separating_reward(means, inverse_sd), np.inf, 0.0
    for i in range(means.size):
        nearest = min(nearest, abs(x - means[i]) * inverse_sd[i])
    for i in range(means.size):
        z = (x - means[i]) * inverse_sd[i]
        state.scratch_weights[i] = math.exp(0.5 * (nearest * nearest - z * z)) * inverse_sd[i]
        total += state.scratch_weights[i]
    return total


@shared
def leave_out_what_is_common(view, state, total):
    """Set the variances and gains of arms that are made of factors to those of g_a - g."""
    circuit, average = view.circuit, state.scratch_average
    for c in range(average.size):
        average[c] = 0.0
    for i in range(view.firsts.size):
        a = view.firsts[i]
        for j in range(circuit.arm_cell_start[a], circuit.arm_cell_start[a + 1]):
            c = circuit.arm_cell[j]
            average[c] += state.scratch_weights[i] / total * state.scratch_gradients[a, c]
    for i in range(view.firsts.size):
        a = view.firsts[i]
        if not view.whole[a]:
            for c in range(average.size):
                state.scratch_gradients[a, c] -= average[c]
            fill_spread(view, state, a, view.rows)
            fill_variance(view, state, a)
            evidence = state.scratch_evidence[a] + 1.0
            left = evidence / (evidence + state.scratch_pending[a])
            state.scratch_inverse_sd[i] = 1.0 / math.sqrt(state.scratch_variances[a] * left)
            state.scratch_own_gains[a] *= left * left


@shared
def fill_row_worths(view, state):
    """Set what a sample of each row is worth: sum over arms of f_a gain_a(r)."""
    worth = state.scratch_worth
    for r in range(worth.size):
        worth[r] = 0.0
    for i in range(view.firsts.size):
        a = view.firsts[i]
        if not view.whole[a]:
            chance, prior = gain(state, a, state.scratch_weights[i], 0.0), gain(state, a, 0.0, state.scratch_weights[i])
            for r in range(worth.size):
                if state.scratch_spread[a, r] > 0.0:
                    worth[r] += chance * gain_of_chance(state, a, r) + prior * gain_of_prior(view, state, a, r)


@shared
def fill_worths(view, state):
    """Set the state's scratch to what a round of each arm is worth per cost."""
    fill_row_worths(view, state)
    fill_masses(view, state)
    fill_reach_of_all(view, state)
    by_watching = 0.0
    if view.observes:
        for i in range(view.firsts.size):
            a = view.firsts[i]
            if a > 0 and view.teaches[a]:
                by_watching += state.scratch_weights[i] * state.scratch_own_gains[a] * share_shown(state, a)
    for b in range(view.arms):
        value = state.scratch_weights[view.place[b]] * state.scratch_own_gains[view.alike[b]]
        value += sum_over_shown_rows(view, state, b, state.scratch_worth)
        if b == 0:
            value += by_watching
        state.scratch[b] = value * view.rates[b]


@register
class FactorFind(FactorPolicy):
    """Factor find: separates the best arm from the rest by what all rounds together tell, in the cheapest way."""

    kind = "factor-find"
    goal = "simple regret"
    reference = LIBRARY

    def ask(self, view, state, pending, left, rng):
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        update_means(view, state)
        fill_sums_of_alike(view.alike, pending, state.scratch_pending)
        if fill_meetings(view, state) > 0:
            exclude_unavailable(state.scratch, state.pulls, pending, view.costs, left)
            arm = best(state.scratch, rng)
            if arm >= 0:
                return arm, 1
        fill_posteriors(view, state, pending)
        leave_out_what_is_common(view, state, fill_weights(view, state))
        fill_weights(view, state)
        fill_worths(view, state)
        exclude_unavailable(state.scratch, state.pulls, pending, view.costs, left)
        arm = best(state.scratch, rng)
        if arm < 0:
            return 0, 0
        most = view.budget // (MOST_CHOICES * view.costs[arm])
        return arm, max(length_of(view, state, arm, self.block), most)

    def recommend(self, view, state, rng):
        update_means(view, state)
        for a in range(view.arms):
            known = state.scratch_evidence[a] > 0.0
            state.scratch[a] = recommended_mean(view, state, a) if known else -np.inf
        return best_or_any(state.pulls, state.scratch, rng)
