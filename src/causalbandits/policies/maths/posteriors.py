"""Exact random draws from posteriors, from a policy's own stream."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared
from ...engine.streams import normal_quantile, uniform


@lean
def normal_variate(rng):
    """A standard normal."""
    return normal_quantile(uniform(rng))


@lean
def gamma_variate(shape, rng):
    """A gamma variate with shape > 0 and scale 1: the rejection method of Marsaglia & Tsang (2000).

    A shape below 1 is raised by 1, and the result is corrected as in their paper.
    """
    d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal_variate(rng)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = uniform(rng)
            # their squeeze: it accepts what the next test would accept, without logarithms
            if u < 1.0 - 0.0331 * (x * x) * (x * x):
                break
            if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
                break
    if shape >= 1.0:
        return d * v
    return d * v * uniform(rng) ** (1.0 / shape)


@lean
def beta_variate(a, b, rng):
    """A beta variate with shapes a and b: the share of the first of two gamma variates."""
    first = gamma_variate(a, rng)
    return first / (first + gamma_variate(b, rng))


@lean
def posterior_draw(total, count, low, width, is_bounded, rng):
    """A draw from the posterior of a mean. A real reward without samples may have any mean: infinity."""
    if is_bounded:
        share = min(max((total - count * low) / width, 0.0), float(count))
        return low + width * beta_variate(1.0 + share, 1.0 + count - share, rng)
    return total / count + width * normal_variate(rng) / (2.0 * math.sqrt(count)) if count > 0 else np.inf


@shared
def posterior_mean(total, count, view):
    """The mean of the posterior: one success and one failure are added to rewards with bounds."""
    return (total + 2.0 * view.low + view.width) / (count + 2.0) if view.is_bounded else total / count
