"""Whether to watch: what one observation saves, against what it costs; and when to wait. Shared by our policies that earn."""

from __future__ import annotations

import numpy as np

from ...engine.bridge.cache import lean
from .indices import must_wait
from .ties import TIE


@lean
def exclude_unavailable(values, counts, pending, costs, left):
    """Take out the arms that cannot be paid, and those that are awaited."""
    for a in range(values.size):
        if costs[a] > left or must_wait(a, counts, pending):
            values[a] = -np.inf


@lean
def starts_with_watching(counts, pending, costs, cheapest_intervention):
    """Whether the first round is to watch: where nothing is cheaper. Else what is cheaper is tried first, and the observation by its value."""
    return counts[0] + pending[0] == 0 and costs[0] <= cheapest_intervention


@lean
def watching_pays(view, optimistic, counts, sums, watched, left):
    """Whether one more observation saves more than it costs.

    v* is the best mean per cost. An arm is open while its optimistic value per cost is above v*: it must be sampled on. An observation
    samples it with probability p_a = watched_a / watched_0, which saves p_a times what a pull of it would lose, c_a v* - mu_a; and it
    loses c_0 v* - mu_0 itself. This is the derivative, at what has been spent so far, of the lower bound's linear program in the
    number of observations: watching goes on exactly until its minimum.
    """
    prices, rates = view.prices, view.rates
    best_rate = sums[0] / counts[0] * rates[0]
    for a in range(1, counts.size):
        if counts[a] > 0:
            best_rate = max(best_rate, sums[a] / counts[a] * rates[a])
    saved = sums[0] / counts[0] - prices[0] * best_rate
    for a in range(1, counts.size):
        if watched[a] > 0 and optimistic[a] > best_rate and view.costs[a] <= left:
            saved += watched[a] / watched[0] * (prices[a] * best_rate - sums[a] / counts[a])
    return saved > TIE
