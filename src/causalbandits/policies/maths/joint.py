"""One joint confidence set for the means at all configurations y of the reward's parents, and the best mixture in it.

The set is {q : sum_y N_y KL(mu_y, q_y) <= f}, and sum_y P_y q_y is maximised over it. One multiplier is searched for,
whatever the number of configurations. The derivation is in docs/policies/causal-ucb.md, section "How it is solved".
Counts are passed as their inverses 1 / N_y; 0 stands for a configuration that was never seen, where q_y = 1.
"""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared
from .ties import TIE

MOST_STEPS = 60  # of Newton's method; it takes about three
TOLERANCE = 1e-6  # of the multiplier's equation, relative to f; the relative error of the value is about its square
LARGEST_MULTIPLIER = 1e100  # as good as infinite, and its square is still a float


@lean
def invert_counts(counts):
    """Replace N_y by 1 / N_y, and 0 by 0."""
    for y in range(counts.size):
        counts[y] = 1.0 / counts[y] if counts[y] > 0.0 else 0.0


@lean
def estimate(weights, means, inverses):
    """The estimated mean sum_y P_y mu_y, with mu_y = 1 where y is unseen, and s = sum_y P_y^2 / N_y over the seen y.

    1 / s is the number of effective samples.
    """
    value, s = 0.0, 0.0
    for y in range(weights.size):
        value += weights[y] * (means[y] if inverses[y] > 0.0 else 1.0)
        s += weights[y] * weights[y] * inverses[y]
    return value, s


@lean
def joint_upper(weights, means, inverses, level):
    """max of sum_y P_y q_y over q in [0, 1] with sum_y N_y KL(mu_y, q_y) <= level; q_y = 1 where y is unseen."""
    unseen_weight, room, information = 0.0, 0.0, 0.0
    for y in range(weights.size):
        if inverses[y] == 0.0:
            unseen_weight += weights[y]
        else:
            room += weights[y] * (1.0 - means[y])
            # the mean, with half a success and half a failure added
            smoothed = (means[y] + 0.5 * inverses[y]) / (1.0 + inverses[y])
            information += weights[y] * weights[y] * smoothed * (1.0 - smoothed) * inverses[y]
    if level <= 0.0 or room <= 0.0:
        return estimate(weights, means, inverses)[0]
    multiplier = math.sqrt(2.0 * level / information)  # as if KL were quadratic
    low, high = 0.0, LARGEST_MULTIPLIER
    value = 0.0
    for _ in range(MOST_STEPS):
        value, used, slope = unseen_weight, 0.0, 0.0
        for y in range(weights.size):
            if inverses[y] > 0.0 and weights[y] > 0.0:
                mean, weight = means[y], weights[y] * inverses[y]
                r = multiplier * weight
                root = math.sqrt((1.0 - r) * (1.0 - r) + 4.0 * r * mean)
                above = 0.5 * (1.0 + r + root)  # (1 - mu) / (1 - q)
                missing = (1.0 - mean) / above  # 1 - q
                cost = (1.0 - mean) * math.log(above)
                if mean > 0.0:
                    # mu / q, in the form without cancellation
                    cost += mean * math.log(0.5 * (1.0 - r + root) if r < 1.0 else 2.0 * r * mean / (r - 1.0 + root))
                used += cost / inverses[y]
                value += weights[y] * (1.0 - missing)
                if root > 0.0:
                    slope += weights[y] * weight * (1.0 - missing) * missing / root  # P_y dq_y / dl
        value += (level - used) / multiplier
        if abs(level - used) <= TOLERANCE * level:
            break
        if used < level:
            low = multiplier
        else:
            high = multiplier
        if used > 0.0 and slope > 0.0:  # Newton's step for log f as a function of log l, which is almost linear
            step = used * math.log(level / used) / (multiplier * multiplier * slope)
            multiplier *= math.exp(min(max(step, -3.0), 3.0))
        else:
            multiplier *= 2.0
        if not low < multiplier < high:
            multiplier = math.sqrt(max(low, 1e-3 * high) * high) if high < LARGEST_MULTIPLIER else 8.0 * low
        if multiplier >= LARGEST_MULTIPLIER:
            break
    return min(value, 1.0)


@lean
def joint_level(rounds, s, exploration):
    """f = exploration log(1 + t s): log(1 + t / n) for n = 1 / s effective samples."""
    return exploration * math.log(1.0 + rounds * s)


@shared
def fill_joint_bounds(view, means, inverses, rounds, left, exploration, values):
    """Set `values` to (low + width U_a) / c_a for every affordable arm, where U_a is the best mixture in the arm's set.

    Real rewards use the normal distribution's KL, which has a closed form. An arm whose quadratic bound is below the
    value of another arm keeps that bound: it is neither the largest value nor tied with it.
    """
    parents, low, width, rates, is_bounded = view.parents, view.low, view.width, view.rates, view.is_bounded
    best, first = -np.inf, 0
    for a in range(values.size):
        values[a] = -np.inf
        if view.costs[a] <= left:
            bound, s = estimate(parents[a], means, inverses)
            bound += math.sqrt(joint_level(rounds, s, exploration) * s / 2.0)
            values[a] = (low + width * (min(bound, 1.0) if is_bounded else bound)) * rates[a]
            if values[a] > best:
                best, first = values[a], a
    if not is_bounded or best == -np.inf:
        return
    best = -np.inf
    for i in range(values.size):
        a = first if i == 0 else i - 1 if i <= first else i  # the arm with the largest bound first, then the others
        if values[a] > -np.inf and values[a] >= best - TIE:
            level = joint_level(rounds, estimate(parents[a], means, inverses)[1], exploration)
            values[a] = (low + width * joint_upper(parents[a], means, inverses, level)) * rates[a]
            best = max(best, values[a])
