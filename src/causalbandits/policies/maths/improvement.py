"""How much better than a goal a mean may still be: E max(mean - goal, 0) under its posterior."""

from __future__ import annotations

import math

from ...engine.bridge.cache import lean

SQRT_2_PI = math.sqrt(2.0 * math.pi)
MOST_TERMS = 500  # of the continued fraction; it takes about sqrt(a + b) terms
TOLERANCE = 1e-12
TINY = 1e-300  # instead of 0 in a denominator


@lean
def normal_improvement(mean, deviation, goal):
    """E max(X - goal, 0) of a normal X."""
    z = (goal - mean) / deviation
    tail = 0.5 * math.erfc(z / math.sqrt(2.0))
    return max(deviation * math.exp(-0.5 * z * z) / SQRT_2_PI - (goal - mean) * tail, 0.0)


@lean
def beta_improvement(a, b, goal):
    """E max(X - goal, 0) of X from Beta(a, b): mean P(Z > goal) - goal P(X > goal), where Z is from Beta(a + 1, b).

    Numba has no incomplete beta function, and neither has Python's library.
    """
    mean = a / (a + b)
    if goal <= 0.0:
        return mean - goal
    if goal >= 1.0 or a <= 0.0:
        return 0.0
    if b <= 0.0:
        return 1.0 - goal
    return max(mean * beta_tail(a + 1.0, b, goal) - goal * beta_tail(a, b, goal), 0.0)


@lean
def beta_tail(a, b, x):
    """P(X > x) of X with the distribution Beta(a, b), 0 < x < 1."""
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    factor = math.exp(logarithm)
    if x < (a + 1.0) / (a + b + 2.0):
        return 1.0 - factor * _beta_fraction(a, b, x) / a
    return factor * _beta_fraction(b, a, 1.0 - x) / b


@lean
def _beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    numerator, denominator = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1.0))
    value = denominator
    for m in range(1, MOST_TERMS):
        before = value
        even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        numerator, denominator = _not_zero(1.0 + even / numerator), 1.0 / _not_zero(1.0 + even * denominator)
        value *= numerator * denominator
        numerator, denominator = _not_zero(1.0 + odd / numerator), 1.0 / _not_zero(1.0 + odd * denominator)
        value *= numerator * denominator
        if abs(value - before) <= TOLERANCE * abs(value):
            break
    return value


@lean
def _not_zero(x):
    return x if abs(x) > TINY else TINY
