"""The largest value, ties broken at random."""

from __future__ import annotations

import numpy as np

from .cache import compiled
from .streams import below

TIE = 1e-12  # values this close to the maximum are tied; -inf marks what may not be chosen


@compiled
def best(values, rng):
    """The position of the largest value; one of them at random if several are within 1e-12 of it; -1 if all are -inf."""
    top = largest(values)
    if top == -np.inf:
        return -1
    bar = top - TIE
    tied = 0
    for a in range(values.size):
        tied += values[a] >= bar
    skip = below(rng, tied) if tied > 1 else 0
    for a in range(values.size):
        if values[a] >= bar:
            if skip == 0:
                return a
            skip -= 1
    return -1


@compiled
def largest(values):
    """The largest value, -inf of none. Four running maxima, for one alone would wait for itself."""
    t0 = t1 = t2 = t3 = -np.inf
    whole = values.size // 4 * 4
    for a in range(0, whole, 4):
        t0 = max(t0, values[a])
        t1 = max(t1, values[a + 1])
        t2 = max(t2, values[a + 2])
        t3 = max(t3, values[a + 3])
    for a in range(whole, values.size):
        t0 = max(t0, values[a])
    return max(max(t0, t1), max(t2, t3))


@compiled
def best_mean(sums, counts, rng):
    """The position of the largest mean; what has no sample is unknown, and never chosen while anything else has one."""
    means = np.empty(sums.size)
    for a in range(sums.size):
        means[a] = sums[a] / counts[a] if counts[a] > 0 else -np.inf
    chosen = best(means, rng)
    return chosen if chosen >= 0 else below(rng, sums.size)
