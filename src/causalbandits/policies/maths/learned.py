"""Estimates of arms through the configurations y of the reward's parents, where P(y | do(a)) is estimated as well."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared


@lean
def add_samples(arm, seen, samples, samples_by_configuration):
    """Count the configurations that rounds of one arm showed."""
    for y in range(seen.size):
        samples[arm] += seen[y]
        samples_by_configuration[arm, y] += seen[y]


@lean
def update_estimates(view, state):
    """Update the expected rewards and the uncertainty of every arm that has samples.

    expected_sums_a = sum_y M_ay mu_y
    e_a             = 4 v_a / m_a + sum_y P_y^2 / N_y,  with P_y = M_ay / m_a

    Symbols: m_a samples of arm a, M_ay those with configuration y, N_y all rounds with y, mu_y their mean reward,
    v_a the variance of mu under P. The derivation is in docs/policies/causal-ucb-learned.md.
    """
    samples, counts, means = state.samples, state.counts, state.means
    by_configuration = state.samples_by_configuration
    for a in range(samples.size):
        if samples[a] == 0:
            continue
        value, variance, of_rewards = 0.0, 0.0, 0.0
        for y in range(means.size):
            share = by_configuration[a, y] / samples[a]
            value += share * means[y]
            of_rewards += share * share / max(counts[y], 1)
        for y in range(means.size):
            variance += by_configuration[a, y] / samples[a] * ((means[y] - value) / view.width) ** 2
        four_variances = 4.0 * variance + 1.0 / samples[a]
        of_distribution = (min(four_variances, 1.0) if view.is_bounded else four_variances) / samples[a]
        state.expected_sums[a] = value * samples[a]
        state.uncertainty[a] = of_distribution + of_rewards
        state.evidence[a] = 1.0 / state.uncertainty[a]
        share = of_distribution / (of_distribution + of_rewards) if a > 0 else 1.0  # only P_hat_a needs rounds of arm a
        state.useful_observations[a] = state.watched[a] * share


@shared
def fill_upper_bounds(view, state, pending, waiting, exploration):
    """Set the state's scratch to the upper bound of every arm's mean reward per cost.

    (mean + width sqrt(exploration e log(1 + t e) / 2)) / c_a

    At most it is the highest reward per cost, as it is without samples.
    Pending rounds count as samples: those of the arm, and what the pending observations are expected to show of it.
    `waiting` is the number of all pending rounds.
    """
    samples, watched, values, width, rates = state.samples, state.watched, state.scratch, view.width, view.rates
    for a in range(values.size):
        values[a] = (view.low + width if view.is_bounded else np.inf) * rates[a]
        if samples[a] > 0:
            e = state.uncertainty[a]
            if waiting > 0:
                shown = watched[a] / watched[0] * pending[0] if a > 0 and watched[0] > 0 else 0.0
                e *= samples[a] / (samples[a] + pending[a] + shown)
            bound = state.expected_sums[a] / samples[a] + width * math.sqrt(
                exploration * e * math.log(1.0 + (state.rounds + waiting) * e) / 2.0
            )
            values[a] = min(bound * rates[a], values[a])
