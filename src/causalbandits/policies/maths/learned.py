"""What the configurations y of the reward's parents tell about arms whose P(y | do(a)) is itself estimated."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean


@lean
def add_samples(arm, seen, samples, shows):
    """Count the configurations that some rounds of one arm showed."""
    for y in range(seen.size):
        samples[arm] += seen[y]
        shows[arm, y] += seen[y]


@lean
def fill_estimates(shows, samples, watched, counts, means, width, is_bounded, expected, spreads, taught):
    """Of every arm with samples the sum of what its configurations are worth, sum_y M_ay mu_y; and how uncertain its mean is, 1 / effective samples.

    e_a = 4 v_a / m_a + sum_y P_y^2 / N_y with P_y = M_ay / m_a: a P learned from m_a rounds errs by the variance v_a that the means have under it,
    in which 1 / (4 m_a) stands for what was not seen yet, and of values in [0, 1] none has more than 1/4. `taught` are the observations of an arm
    times the share of e_a that is P's, for only that needs rounds of the arm; of the observation itself all.
    """
    for a in range(samples.size):
        if samples[a] == 0:
            continue
        value, square, s = 0.0, 0.0, 0.0
        for y in range(means.size):
            share = shows[a, y] / samples[a]
            value += share * means[y]
            s += share * share / max(counts[y], 1)
        for y in range(means.size):
            square += shows[a, y] / samples[a] * ((means[y] - value) / width) ** 2
        four = 4.0 * square + 1.0 / samples[a]
        expected[a] = value * samples[a]
        own = (min(four, 1.0) if is_bounded else four) / samples[a]
        spreads[a] = own + s
        taught[a] = watched[a] * (own / (own + s) if a > 0 else 1.0)


@lean
def fill_learned(expected, samples, spreads, watched, pending, waiting, rounds, low, width, is_bounded, rates, values):
    """(mean + width sqrt(e log(1 + t e) / 2)) / c_a, at most the highest reward; that of an arm without samples.

    `waiting` pending rounds in all: those of an arm, and what pending observations are expected to show of it, count as samples more.
    """
    for a in range(values.size):
        values[a] = (low + width if is_bounded else np.inf) * rates[a]
        if samples[a] > 0:
            e = spreads[a]
            if waiting > 0:
                shown = watched[a] / watched[0] * pending[0] if a > 0 and watched[0] > 0 else 0.0
                e *= samples[a] / (samples[a] + pending[a] + shown)
            bound = expected[a] / samples[a] + width * math.sqrt(e * math.log(1.0 + (rounds + waiting) * e) / 2.0)
            values[a] = min(bound * rates[a], values[a])
