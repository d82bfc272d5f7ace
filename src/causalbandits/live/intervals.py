"""Confidence intervals that hold at all times at once: look after every round, and stop when you like.

With probability 95 % the true mean of an arm is inside its interval at every time.
See "The intervals" in docs/live.md for the method and its proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

ALPHA = 0.05
BOUNDED = "time-uniform 95 % (beta mixture, Robbins 1970), for each arm by itself"
REAL = (
    "time-uniform 95 % (normal mixture, Robbins 1970), for each arm by itself, "
    "if rewards scatter no more than a normal with standard deviation {deviation:g}, as the problem states"
)
NORMAL = (
    "time-uniform 95 % (mixture of t-tests, Lai 1976), for each arm by itself, "
    "if the rewards of an arm are normal; their standard deviation is estimated"
)
PRIOR = 10.0  # the mixture's weight in rounds; relative to a fixed-time interval it is narrowest after about 82 rounds
EFFECT = 0.5  # variance of the mixture over (mean - m) / deviation; with it 6 rounds are the fewest that say something
BISECTIONS = 60  # halving [0, 1] this often is finer than a float


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def bounded(total: float, count: int, low: float = 0.0, high: float = 1.0, alpha: float = ALPHA) -> Interval:
    """The interval for the mean of `count` rewards between low and high, whose sum is `total`."""
    if count == 0:
        return Interval(low, high)
    width = high - low
    successes = min(max((total - count * low) / width, 0.0), float(count))
    mean = successes / count
    evidence = _log_beta(successes + 0.5, count - successes + 0.5) - math.log(math.pi) - math.log(1 / alpha)

    def is_inside(m: float) -> bool:
        return evidence < _times_log(successes, m) + _times_log(count - successes, 1 - m)

    return Interval(low + width * _edge(is_inside, mean, 0.0), low + width * _edge(is_inside, mean, 1.0))


def real(total: float, count: int, deviation: float, alpha: float = ALPHA) -> Interval:
    """The interval for the mean of `count` real rewards, whose sum is `total` and whose deviation is known."""
    if count == 0:
        return Interval(-math.inf, math.inf)
    variance, prior = deviation**2 * count, deviation**2 * PRIOR
    radius = math.sqrt((variance + prior) * math.log((variance + prior) / (prior * alpha**2))) / count
    return Interval(total / count - radius, total / count + radius)


def normal(mean: float, squares: float, count: int, alpha: float = ALPHA) -> Interval:
    """The interval for the mean of `count` normal rewards of unknown deviation.

    `squares` is the sum of their squared differences from `mean`.
    """
    if count < 2:
        return Interval(-math.inf, math.inf)
    shrunk = 1 + count * EFFECT
    ratio = math.exp(2 / count * (0.5 * math.log(shrunk) + math.log(1 / alpha)))
    if ratio >= shrunk:
        return Interval(-math.inf, math.inf)
    radius = math.sqrt((ratio - 1) / (1 - ratio / shrunk) * max(squares, 0.0) / count)
    return Interval(mean - radius, mean + radius)


def _edge(is_inside: Callable[[float], bool], inner: float, outer: float) -> float:
    """The end of the interval between a point inside it and the limit `outer`, by bisection.

    Bisection is right because log R_n is convex in m, so the set is an interval.
    """
    if is_inside(outer):
        return outer
    for _ in range(BISECTIONS):
        middle = (inner + outer) / 2
        if is_inside(middle):
            inner = middle
        else:
            outer = middle
    return outer


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _times_log(factor: float, x: float) -> float:
    """factor * log(x), with 0 log 0 = 0."""
    if factor == 0:
        return 0.0
    return factor * math.log(x) if x > 0 else -math.inf
