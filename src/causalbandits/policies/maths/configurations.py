"""Estimates by configuration y of the reward's parents, shared by the policies that read them."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared
from ...engine.streams import uniform
from .ties import best


@lean
def add_seen(seen, seen_reward, counts, sums, means):
    """Count rounds by configuration. The mean of a configuration that was never seen stays 0."""
    for y in range(counts.size):  # without a branch, because the CPU could not predict it
        counts[y] += seen[y]
        sums[y] += seen_reward[y]
        means[y] = sums[y] / max(counts[y], 1)


@lean
def fill_expected_counts(counts, parents, pending, values):
    """Set `values` to N_y. A pending round of arm a counts P(y | do(a)), which is what it is expected to show."""
    for y in range(values.size):
        values[y] = np.float64(counts[y])
    for a in range(pending.size):
        if pending[a] > 0:
            for y in range(values.size):
                values[y] += pending[a] * parents[a, y]


@lean
def add_radii(means, counts, parents, pending, width, values):
    """Set `values` to mu_hat_y + width / sqrt(max(1, N_y)). N_y includes what pending rounds are expected to show."""
    fill_expected_counts(counts, parents, pending, values)
    for y in range(means.size):
        values[y] = means[y] + width / math.sqrt(max(values[y], 1.0))


@shared
def best_mixture(view, means, left, values, rng):
    """The affordable arm with the largest sum_y mean_y P(y | do(a)), or -1 if no arm is affordable."""
    parents, costs = view.parents, view.costs
    for a in range(costs.size):
        values[a] = mixture(parents, means, a) if costs[a] <= left else -np.inf
    return best(values, rng)


@lean
def mixture(parents, means, a):
    """sum_y mean_y P(y | do(a))."""
    value = 0.0
    for y in range(means.size):
        value += means[y] * parents[a, y]
    return value


@lean
def random_position(cumulative, rng):
    """A random position. `cumulative[i]` is the sum of the probabilities (up to a factor) of positions 0 to i."""
    point = uniform(rng) * cumulative[cumulative.size - 1]
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if point < cumulative[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@lean
def largest_second_moment(parents, mixture):
    """max_a sum_y P(y | do(a))^2 / Q(y) over all y with Q(y) > 0."""
    largest = 0.0
    for a in range(parents.shape[0]):
        moment = 0.0
        for y in range(mixture.size):
            if mixture[y] > 0.0:
                moment += parents[a, y] ** 2 / mixture[y]
        largest = max(largest, moment)
    return largest


@lean
def fill_weighted_sums(sums, parents, mixture, bound, values):
    """Set `values` to sum_y S_y R_a(y) 1{R_a(y) <= bound} for every arm, with R_a(y) = P(y | do(a)) / Q(y)."""
    for a in range(values.size):
        value = 0.0
        for y in range(mixture.size):
            if mixture[y] > 0.0 and parents[a, y] <= bound * mixture[y]:
                value += sums[y] * parents[a, y] / mixture[y]
        values[a] = value
