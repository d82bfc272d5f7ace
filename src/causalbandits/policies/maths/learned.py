"""Estimates of arms through the configurations y of the reward's parents, where P(y | do(a)) is estimated as well."""

from __future__ import annotations

import math

from ...engine.bridge.cache import lean, shared
from .kl import bound_without_samples, upper


@lean
def add_samples(arm, seen, samples, samples_by_configuration):
    """Count the configurations that rounds of one arm showed."""
    for y in range(seen.size):
        samples[arm] += seen[y]
        samples_by_configuration[arm, y] += seen[y]


@lean
def smoothed_variance(total, count, low, width):
    """p (1 - p) of a reward scaled to [0, 1], with p its mean and half a success and half a failure added.

    A reward with bounds has at most this variance. It is never 0.
    """
    p = (min(max((total - count * low) / width, 0.0), float(count)) + 0.5) / (count + 1.0)
    return p * (1.0 - p)


@shared
def update_estimates(view, state):
    """Update the expected rewards and the uncertainty of every arm that has samples.

    expected_sums_a = sum_y M_ay mu_y
    e_a             = (v_a + b_a / m_a) / (b_a m_a) + sum_y P_y^2 b_y / (b_a N_y),  with P_y = M_ay / m_a

    Symbols: m_a samples of arm a, M_ay those with configuration y, N_y all rounds with y, mu_y their mean reward,
    v_a the variance of mu under P, b_y and b_a the variances of a coin with the means of y and of arm a (1/4 for real
    rewards). The derivation is in docs/policies/causal-ucb-learned.md.
    """
    samples, counts, means = state.samples, state.counts, state.means
    by_configuration, low, width = state.samples_by_configuration, view.low, view.width
    for a in range(samples.size):
        if samples[a] == 0:
            continue
        value, variance, of_rewards = 0.0, 0.0, 0.0
        for y in range(means.size):
            share = by_configuration[a, y] / samples[a]
            value += share * means[y]
            if share > 0.0:
                b = smoothed_variance(state.sums[y], counts[y], low, width) if view.is_bounded else 0.25
                of_rewards += share * share * b / counts[y]
        for y in range(means.size):
            variance += by_configuration[a, y] / samples[a] * ((means[y] - value) / width) ** 2
        state.expected_sums[a] = value * samples[a]
        b = smoothed_variance(state.expected_sums[a], samples[a], low, width) if view.is_bounded else 0.25
        relative = variance / b + 1.0 / samples[a]
        of_distribution = (min(relative, 1.0) if view.is_bounded else relative) / samples[a]
        state.uncertainty[a] = of_distribution + of_rewards / b
        state.evidence[a] = 1.0 / state.uncertainty[a]
        share = of_distribution / state.uncertainty[a] if a > 0 else 1.0  # only P_hat_a needs rounds of arm a
        state.useful_observations[a] = state.watched[a] * share


@shared
def fill_upper_bounds(view, state, pending, waiting, exploration):
    """Set the state's scratch to the upper bound of every arm's mean reward per cost.

    max{q : KL(mean, q) <= exploration e log(1 + t e)} / c_a

    Without samples it is the highest reward per cost.
    Pending rounds count as samples: those of the arm, and what the pending observations are expected to show of it.
    `waiting` is the number of all pending rounds.
    """
    samples, watched, values, rates = state.samples, state.watched, state.scratch, view.rates
    for a in range(values.size):
        values[a] = bound_without_samples(view.low, view.width, view.is_bounded) * rates[a]
        if samples[a] > 0:
            e = state.uncertainty[a]
            if waiting > 0:
                shown = watched[a] / watched[0] * pending[0] if a > 0 and watched[0] > 0 else 0.0
                e *= samples[a] / (samples[a] + pending[a] + shown)
            level = exploration * math.log(1.0 + (state.rounds + waiting) * e)
            mean = state.expected_sums[a] / samples[a]
            values[a] = upper(mean / e, 1.0 / e, level, view.low, view.width, view.is_bounded) * rates[a]
