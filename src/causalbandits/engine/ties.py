"""The largest value, ties broken at random."""

from __future__ import annotations

import numpy as np

from .cache import compiled, lean
from .streams import below
from .words import D, at_least, greater, greatest, load_doubles

TIE = 1e-12  # values this close to the maximum are tied; -inf marks what may not be chosen


@lean
def best(values, rng):
    """The position of the largest value; one of them at random if several are within 1e-12 of it; -1 if all are -inf."""
    top = largest(values)
    if top == -np.inf:
        return -1
    first, tied = tied_from(values, top - TIE, 0)
    if tied == 1:
        return first
    for _ in range(below(rng, tied)):
        first, tied = tied_from(values, top - TIE, first + 1)
    return first


@lean
def largest(values):
    """The largest value, -inf of none; none may be NaN."""
    top = -np.inf
    whole = values.size // D * D
    if whole > 0:
        tops = load_doubles(values, 0)
        for a in range(D, whole, D):
            tops = greater(tops, load_doubles(values, a))
        top = greatest(tops)
    for a in range(whole, values.size):
        top = max(top, values[a])
    return top


@lean
def tied_from(values, bar, start):
    """The first position from `start` on with a value of at least the bar, and how many there are."""
    first, tied = np.int64(-1), np.int64(0)
    a = start
    while a < values.size:
        if a % D == 0 and a + D <= values.size and at_least(load_doubles(values, a), bar) == 0:
            a += D
            continue
        if values[a] >= bar:
            first = a if first < 0 else first
            tied += 1
        a += 1
    return first, tied


@compiled
def best_mean(sums, counts, rng):
    """The position of the largest mean; what has no sample is unknown, and never chosen while anything else has one."""
    means = np.empty(sums.size)
    for a in range(sums.size):
        means[a] = sums[a] / counts[a] if counts[a] > 0 else -np.inf
    chosen = best(means, rng)
    return chosen if chosen >= 0 else below(rng, sums.size)
