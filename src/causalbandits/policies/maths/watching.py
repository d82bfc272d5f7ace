"""Whether to watch: compare what one observation saves with what it costs. Shared by the policies that earn."""

from __future__ import annotations

import numpy as np

from ...engine.bridge.cache import lean, shared
from .indices import must_wait
from .ties import TIE


@lean
def exclude_unavailable(values, counts, pending, costs, left):
    """Set the value of an arm to -inf if it is too expensive, or if it must wait for pending rounds."""
    for a in range(values.size):
        if costs[a] > left or must_wait(a, counts, pending):
            values[a] = -np.inf


@lean
def starts_with_watching(counts, pending, costs, cheapest_intervention):
    """Whether to watch first: before any observation, if no intervention is cheaper."""
    return counts[0] + pending[0] == 0 and costs[0] <= cheapest_intervention


@shared
def watching_pays(view, optimistic, counts, sums, watched, left):
    """Whether one more observation saves more than it costs.

    sum over the open arms of p_a (c_a v* - mu_a)  >  c_0 v* - mu_0

    Symbols: v* the best mean per cost, p_a = watched_a / watched_0. An arm is open while its optimistic value per cost
    is above v*. docs/policies/causal-kl.md derives the rule from a lower bound of the regret.
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
