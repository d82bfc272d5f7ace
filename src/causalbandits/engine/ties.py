"""The largest value, ties broken at random."""

from __future__ import annotations

import numpy as np

from .cache import compiled
from .streams import below

TIE = 1e-12  # values this close to the maximum are tied; -inf marks what may not be chosen


@compiled
def best(values, rng):
    """The position of the largest value; one of them at random if several are within 1e-12 of it; -1 if all are -inf."""
    top = -np.inf
    for a in range(values.size):
        top = max(top, values[a])
    if top == -np.inf:
        return -1
    tied = 0
    first = -1
    for a in range(values.size):
        if values[a] >= top - TIE:
            if tied == 0:
                first = a
            tied += 1
    if tied == 1:
        return first
    skip = below(rng, tied)
    for a in range(first, values.size):
        if values[a] >= top - TIE:
            if skip == 0:
                return a
            skip -= 1
    return first


@compiled
def best_mean(sums, counts, rng):
    """The position of the largest mean; what has no sample is unknown, and never chosen while anything else has one."""
    means = np.full(sums.size, -np.inf)
    for a in range(sums.size):
        if counts[a] > 0:
            means[a] = sums[a] / counts[a]
    chosen = best(means, rng)
    return chosen if chosen >= 0 else below(rng, sums.size)
