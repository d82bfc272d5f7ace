"""Upper confidence indices, shared by UCB, F-KUBE and CRM-NB-ALG.

Their decisions are those of (mean + sqrt(c log t / n)) / cost. Kept per arm: the mean and 1 / sqrt(n), so that an index is one
multiplication and one addition; a pull changes the entries of one arm only.
"""

from __future__ import annotations

import math

import numpy as np

from .cache import compiled
from .ties import best


@compiled
def add_pulls(arm, rounds, reward, counts, sums, means, roots):
    """Count rounds of one arm."""
    counts[arm] += rounds
    sums[arm] += reward
    means[arm] = sums[arm] / counts[arm]
    roots[arm] = 1.0 / math.sqrt(counts[arm])


@compiled
def add_shown(shown, shown_reward, counts, sums, means, roots):
    """Count, for every arm, the observations that showed its assignment."""
    for a in range(counts.size):
        counts[a] += shown[a]
        sums[a] += shown_reward[a]
        number = max(counts[a], 1)
        means[a] = sums[a] / number
        roots[a] = 1.0 / math.sqrt(number)


@compiled
def first_untried(pulls, pending):
    """The first arm that was neither pulled nor handed out, or -1."""
    for a in range(pulls.size):
        if pulls[a] + pending[a] == 0:
            return a
    return -1


@compiled
def total(counts):
    """The sum of whole numbers."""
    result = np.int64(0)
    for a in range(counts.size):
        result += counts[a]
    return result


@compiled
def best_index(means, roots, counts, pending, width, prices, costs, left, rng):
    """argmax over the affordable arms of (mean + width / sqrt(n)) / price, n with the pending pulls; -1 if nothing is affordable."""
    values = np.empty(means.size)
    for a in range(means.size):
        values[a] = (means[a] + width * roots[a]) / prices[a]
    if total(pending) > 0:
        for a in range(means.size):
            values[a] = (means[a] + width / math.sqrt(counts[a] + pending[a])) / prices[a]
    for a in range(means.size):
        if costs[a] > left:
            values[a] = -np.inf
    return best(values, rng)
