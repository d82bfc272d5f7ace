"""Intervals that may be looked at after every round: with 95 % probability the true mean is inside at all times at once.

For rewards in [0, 1] with sum S after n rounds, the mean m stays in the set where a bettor against it has not multiplied its money by 1 / alpha:
    R_n(m) = B(S + 1/2, n - S + 1/2) / B(1/2, 1/2) / (m^S (1 - m)^(n - S)) < 1 / alpha.
R_n averages, over q from Beta(1/2, 1/2), the product of (q/m)^x ((1-q)/(1-m))^(1-x). Each factor is convex in x, so for x in [0, 1] of mean m it
is at most 1 on average: R_n is a supermartingale, whatever arm is chosen when, and Ville's inequality gives the statement (Robbins 1970; the
mixture is that of Krichevsky & Trofimov 1981). For rewards of 0 and 1 it is the exact mixture of likelihood ratios.
"Whatever arm is chosen when" includes which trials are told and when, as long as that does not hang on their outcomes: where successes are told
at once and failures late or never, no interval made of what was told is valid.

Real rewards have no bounds: there the normal mixture of Robbins (1970), for rewards whose tails are no heavier than a normal's with standard
deviation 1/2, which is what the policies' radii assume as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

ALPHA = 0.05
BOUNDED = "time-uniform 95 % (beta mixture, Robbins 1970), for each arm by itself"
REAL = "time-uniform 95 % (normal mixture, Robbins 1970), for each arm by itself, if rewards scatter no more than a normal with standard deviation 1/2"
VARIANCE = 0.25  # of the assumed normal; also the most that rewards in [0, 1] can have
PRIOR = 10.0  # rounds that the mixture weighs like data: it is narrowest, relative to an interval for a fixed time, after about 82 rounds


class Interval(NamedTuple):
    low: float
    high: float


def bounded(total: float, count: int, low: float = 0.0, high: float = 1.0, alpha: float = ALPHA) -> Interval:
    """The interval for the mean of `count` rewards between low and high that add up to `total`."""
    if count == 0:
        return Interval(low, high)
    width = high - low
    successes = min(max((total - count * low) / width, 0.0), float(count))
    mean = successes / count
    evidence = _log_beta(successes + 0.5, count - successes + 0.5) - math.log(math.pi) - math.log(1 / alpha)

    def is_inside(m: float) -> bool:
        return evidence < _times_log(successes, m) + _times_log(count - successes, 1 - m)

    return Interval(low + width * _edge(is_inside, mean, 0.0), low + width * _edge(is_inside, mean, 1.0))


def real(total: float, count: int, alpha: float = ALPHA) -> Interval:
    """The same for real rewards."""
    if count == 0:
        return Interval(-math.inf, math.inf)
    variance, prior = VARIANCE * count, VARIANCE * PRIOR
    radius = math.sqrt((variance + prior) * math.log((variance + prior) / (prior * alpha**2))) / count
    return Interval(total / count - radius, total / count + radius)


def _edge(is_inside: Callable[[float], bool], inner: float, outer: float) -> float:
    """Where the set ends between a point inside and a limit, by bisection; the set is an interval, for log R_n is convex in m."""
    if is_inside(outer):
        return outer
    for _ in range(60):
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
