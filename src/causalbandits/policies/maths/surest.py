"""Which arm to recommend: the one whose mean is surely high. A plain mean would tie an arm seen once with the best."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared
from .indices import total
from .kl import lower
from .ties import best

ENTROPY_LEVEL = 2.0  # of the lower bound by relative entropy, chosen among 0.5 to 8: see docs/policies/causal-kl.md
QUADRATIC_LEVEL = 1.0  # of the lower bound by Hoeffding's inequality, which is wider at the same level


@shared
def surest_arm(view, sums, counts, values, rng):
    """The arm with the largest lower bound by relative entropy. Without any sample, all arms are tied."""
    for a in range(counts.size):
        values[a] = -np.inf
        if counts[a] > 0:
            values[a] = entropy_lower(view, sums[a] / counts[a], counts[a])
    return best_or_any(counts, values, rng)


@shared
def entropy_lower(view, mean, n):
    """The least q with n KL(mean, q) <= ENTROPY_LEVEL."""
    return lower(mean * n, n, ENTROPY_LEVEL, view.low, view.width, view.is_bounded)


@lean
def quadratic_lower(mean, inverse_samples, width):
    """mean - width sqrt(level / (2 n)), from 1 / n."""
    return mean - width * math.sqrt(QUADRATIC_LEVEL * inverse_samples / 2.0)


@lean
def best_or_any(counts, values, rng):
    """The position of the largest value. Before the first sample, any position."""
    if total(counts) == 0:
        for a in range(values.size):
            values[a] = 0.0
    return best(values, rng)
