"""Upper confidence bounds by relative entropy (KL), shared by the policies that use them."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared

BOOST = 6.0  # chosen among 3 and 6, with 2, 3 and 6 in place of twice the arms: docs/policies/factor-ucb.md


@lean
def bernoulli_kl(p, q):
    """KL(p, q) of two coins, 0 < q < 1."""
    result = 0.0
    if p > 0.0:
        result += p * math.log(p / q)
    if p < 1.0:
        result += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return result


@lean
def bernoulli_upper(mean, level):
    """The largest q with KL(mean, q) <= level, to the last digits.

    KL is convex in q, so Newton's method from the right only decreases q. It starts at the smaller of two bounds:
    KL >= 2 (q - mean)^2 (Pinsker), and KL >= mean log(mean) + (1 - mean) log((1 - mean) / (1 - q)).
    """
    if level <= 0.0 or mean >= 1.0:
        return mean
    if mean <= 0.0:
        return 1.0 - math.exp(-level)
    q = 1.0 - (1.0 - mean) * math.exp((mean * math.log(mean) - level) / (1.0 - mean))
    q = min(q, mean + math.sqrt(level / 2.0))
    if q >= 1.0:
        return 1.0
    for _ in range(60):
        lower = q - (bernoulli_kl(mean, q) - level) * q * (1.0 - q) / (q - mean)
        if not lower < q:
            break
        q = max(lower, mean)
    return q


@lean
def upper(total, count, level, low, width, is_bounded):
    """The upper confidence bound of the mean of `count` rewards with the sum `total`.

    Bounded rewards use the KL of coins, which is a bound for them. Real rewards use normals with deviation width / 2.
    """
    mean = total / count
    if not is_bounded:
        return mean + width * math.sqrt(max(level, 0.0) / (2.0 * count))
    share = min(max((mean - low) / width, 0.0), 1.0)
    return low + width * bernoulli_upper(share, level / count)


@lean
def lower(total, count, level, low, width, is_bounded):
    """The lower confidence bound of the mean: the upper bound of the negative rewards, negated."""
    return -upper(-total, count, level, -(low + width), width, is_bounded)


@lean
def log_plausibility(mean, count, goal, low, width, is_bounded):
    """-n KL(mean, goal): the logarithm of how plausible a mean of `goal` or more is, given n rewards with this mean."""
    if not is_bounded:
        gap = max(goal - mean, 0.0) / width
        return -2.0 * count * gap * gap
    share, wanted = min(max((mean - low) / width, 0.0), 1.0), (goal - low) / width
    if wanted <= share:
        return 0.0
    return -count * bernoulli_kl(share, wanted) if wanted < 1.0 else -np.inf


@shared
def upper_h_plus(total, count, view, exploration):
    """The bound of `upper` at the level exploration log(T / n), T the rounds of the whole run.

    The level of KL-UCB-H+ (Kaufmann 2018) has exploration 1.
    """
    level = exploration * math.log(view.rounds / count)
    return upper(total, count, level, view.low, view.width, view.is_bounded)


@lean
def boost(n, arms):
    """By how much the level of an arm with n samples is raised, so that bad luck at the start does not last.

    With many arms it is less: each of them would be tried more often, and one run that is unlucky weighs less.
    """
    return 1.0 + BOOST / (n + 2.0 * arms)


@lean
def bound_without_samples(low, width, is_bounded):
    """The upper bound of a mean without samples: the highest reward."""
    return low + width if is_bounded else np.inf
