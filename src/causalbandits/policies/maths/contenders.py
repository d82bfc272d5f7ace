"""The reward that separates the best arm from the rest, by normal posteriors. See docs/policies/top-two.md."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean

PRIOR_SAMPLES = 8.0  # chosen among 4, 8 and 16: see docs/policies/top-two.md
CUTOFF = 30.0  # standard deviations; beyond it the density stays constant, because exp(-450) is still a float
SQRT_2_PI = math.sqrt(2.0 * math.pi)


@lean
def hopeful_posterior(count, total, best_mean, is_bounded):
    """The mean and variance of the posterior of an arm with `count` rewards in [0, 1] and their sum.

    The prior is PRIOR_SAMPLES rewards with the best mean. Its variance is that of a coin, with half of them successes;
    real rewards have a deviation of 1/2.
    """
    n = count + PRIOR_SAMPLES
    share = (min(max(total, 0.0), float(count)) + PRIOR_SAMPLES / 2.0) / n if is_bounded else 0.5
    return (total + PRIOR_SAMPLES * best_mean) / n, share * (1.0 - share) / (n + 1.0)


@lean
def mills(z):
    """P(Z > z) / density(z) of a standard normal for z >= 0, within 2 %.

    By Borjesson & Sundberg (1979). It is exact at 0 and at infinity.
    """
    return math.pi / ((math.pi - 1.0) * z + math.sqrt(z * z + 2.0 * math.pi))


@lean
def scaled_density(z):
    """exp(-z^2 / 2): the normal density times sqrt(2 pi). Beyond CUTOFF it stays constant."""
    return math.exp(-0.5 * min(z * z, CUTOFF * CUTOFF))


@lean
def scaled_tail(z, density):
    """P(Z > z) times sqrt(2 pi), from the scaled density at z."""
    return density * mills(z) if z >= 0.0 else SQRT_2_PI - density * mills(-z)


@lean
def separating_reward(means, inverse_sd):
    """The x above which one arm is expected: sum_a P(theta_a > x) = 1, where theta_a is normal.

    Let b be the arm with the best mean. Newton's method solves, in logarithms and within bounds that shrink,
        P(theta_b < x) = sum over the other arms of P(theta_a > x).
    Logarithms keep x between b and the other arms where both sides are tiny.
    """
    b, low, high = 0, np.inf, -np.inf
    for a in range(means.size):
        if means[a] > means[b]:
            b = a
        margin = 9.0 / inverse_sd[a]  # P(Z > 9) is 1e-19: x is that close to some arm
        low, high = min(low, means[a] - margin), max(high, means[a] + margin)
    x = means[b]
    for _ in range(60):
        z = (x - means[b]) * inverse_sd[b]
        density = scaled_density(z)
        below, slope_below = scaled_tail(-z, density), density * inverse_sd[b]
        above, slope_above = 0.0, 0.0
        for a in range(means.size):
            if a != b:
                z = (x - means[a]) * inverse_sd[a]
                density = scaled_density(z)
                above += scaled_tail(z, density)
                slope_above += density * inverse_sd[a]
        if above == 0.0:  # b is the only arm
            return x
        excess = math.log(below / above)
        if excess > 0.0:
            high = x
        else:
            low = x
        step = excess / (slope_below / below + slope_above / above)
        if abs(step) * inverse_sd[b] < 1e-5:  # Newton's method squares the error: it is below 1e-9
            return x - step
        x -= step
        if not low < x < high:
            x = (low + high) / 2.0
    return x
