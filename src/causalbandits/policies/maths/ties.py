"""The largest value, ties broken at random."""

from __future__ import annotations

import numpy as np

from ...engine.bridge.cache import helper, lean
from ...engine.bridge.vectors import D, at_least, greater, greatest, load_eight, ones
from ...engine.streams import below

TIE = 1e-12  # values this close to the maximum are tied; -inf marks a position that may not be chosen


@lean
def best(values, rng):
    """The position of the largest value, or -1 if all are -inf. Ties (within TIE) are broken at random."""
    top = largest(values)
    if top == -np.inf:
        return -1
    whole = values.size // D * D
    tied = np.int64(0)
    for a in range(0, whole, D):
        tied += ones(at_least(load_eight(values, a), top - TIE))
    for a in range(whole, values.size):
        tied += values[a] >= top - TIE
    skip = below(rng, tied) if tied > 1 else 0
    for a in range(0, whole, D):
        bits = at_least(load_eight(values, a), top - TIE)
        if skip < ones(bits):
            for _ in range(skip):
                bits &= bits - 1
            return a + ones((bits & -bits) - 1)  # the lowest bit that is set
        skip -= ones(bits)
    for a in range(whole, values.size):
        if values[a] >= top - TIE:
            if skip == 0:
                return a
            skip -= 1
    return -1


@lean
def largest(values):
    """The largest value, or -inf if there is none. No value may be NaN."""
    top = -np.inf
    whole = values.size // D * D
    if whole > 0:
        tops = load_eight(values, 0)
        for a in range(D, whole, D):
            tops = greater(tops, load_eight(values, a))
        top = greatest(tops)
    for a in range(whole, values.size):
        top = max(top, values[a])
    return top


@lean
def best_mean(sums, counts, rng):
    """The position of the largest mean, ties broken at random.

    A position without samples is chosen only if no position has one.
    """
    top = -np.inf
    for a in range(sums.size):
        if counts[a] > 0:
            top = max(top, sums[a] / counts[a])
    tied = np.int64(0)
    for a in range(sums.size):
        tied += is_tied(sums[a], counts[a], top)
    skip = below(rng, tied)
    for a in range(sums.size):
        if is_tied(sums[a], counts[a], top):
            if skip == 0:
                return a
            skip -= 1
    return np.int64(-1)


@helper
def is_tied(total, count, top):
    """Whether a mean is tied with the largest mean. If nothing has samples (`top` is -inf), all are tied."""
    return top == -np.inf or (count > 0 and total / count >= top - TIE)
