"""Which arms may be the best, by normal posteriors: the reward that parts the best arm from the rest. Used by "top-two"."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean

CUTOFF = 30.0  # standard deviations, beyond which nothing is resolved: exp(-450) still is a number
SQRT_2_PI = math.sqrt(2.0 * math.pi)


@lean
def mills(z):
    """P(Z > z) / density(z) of a standard normal for z >= 0, within 2 %: Borjesson & Sundberg (1979), exact at 0 and at infinity."""
    return math.pi / ((math.pi - 1.0) * z + math.sqrt(z * z + 2.0 * math.pi))


@lean
def scaled_density(z):
    """exp(-z^2 / 2), the density up to a factor; beyond CUTOFF as there."""
    return math.exp(-0.5 * min(z * z, CUTOFF * CUTOFF))


@lean
def scaled_tail(z, density):
    """P(Z > z) up to the same factor, from the density there."""
    return density * mills(z) if z >= 0.0 else SQRT_2_PI - density * mills(-z)


@lean
def separating_reward(means, inverse_sd):
    """The x above which one arm is to be expected: sum over a of P(theta_a > x) = 1, where theta_a is normal with a mean and 1 / sd = inverse_sd.

    With b the arm of the best mean it is P(theta_b < x) = sum over the others of P(theta_a > x). That is solved in logarithms, so that x lies rightly
    between b and the rest where both are tiny: by Newton's method, within bounds that close in.
    """
    b, low, high = 0, np.inf, -np.inf
    for a in range(means.size):
        if means[a] > means[b]:
            b = a
        margin = 9.0 / inverse_sd[a]  # P(Z > 9) is 1e-19: the solution is within that of some arm
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
        if above == 0.0:  # there is no other arm
            return x
        excess = math.log(below / above)
        if excess > 0.0:
            high = x
        else:
            low = x
        step = excess / (slope_below / below + slope_above / above)
        if abs(step) * inverse_sd[b] < 1e-5:  # the error is squared: below 1e-9
            return x - step
        x -= step
        if not low < x < high:
            x = (low + high) / 2.0
    return x
