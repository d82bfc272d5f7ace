"""Whether to watch: compare what one observation saves with what it costs. Shared by the policies that earn."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared
from .indices import must_wait
from .kl import log_plausibility
from .ties import TIE

HURRY = 0.1  # how much the loss of waiting counts: docs/policies/causal-kl.md


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
def best_known_rate(view, counts, sums):
    """v*: the best mean per cost, or that of keeping the money, 0. The observation must have a sample."""
    best_rate = sums[0] / counts[0] * view.rates[0]
    for a in range(1, counts.size):
        if counts[a] > 0:
            best_rate = max(best_rate, sums[a] / counts[a] * view.rates[a])
    return max(best_rate, 0.0) if view.keeps_money else best_rate


@shared
def nothing_is_worth_its_price(view, optimistic, left):
    """Whether money may be kept, and no affordable arm has an optimistic value of 0 or more."""
    worth = 0
    for a in range(optimistic.size):
        worth += view.costs[a] <= left and optimistic[a] >= 0.0
    return view.keeps_money and worth == 0


@shared
def watching_pays(view, optimistic, counts, sums, watched, left):
    """Whether one more observation saves more than it costs.

    sum over the open arms of p_a (c_a v* - mu_a)  >  c_0 v* - mu_0

    Symbols: v* the best mean per cost, p_a = watched_a / watched_0. An arm is open while its optimistic value per cost
    is above v*. docs/policies/causal-kl.md derives the rule from a lower bound of the regret.
    """
    prices, best_rate = view.prices, best_known_rate(view, counts, sums)
    saved = sums[0] / counts[0] - prices[0] * best_rate
    for a in range(1, counts.size):
        if watched[a] > 0 and optimistic[a] > best_rate and view.costs[a] <= left:
            saved += watched[a] / watched[0] * (prices[a] * best_rate - sums[a] / counts[a])
    return saved > TIE * view.width


@shared
def too_rare_to_wait_for(view, optimistic, counts, sums, watched, evidence, pending, left):
    """The intervention to pull although watching pays, because waiting for it would lose more; -1 if there is none.

    w_a c_0 exp(-(n_a + 1) KL(m_a, c_a v*)) (U_a / c_a - v*) wait_a  >  c_a v* - m_a

    Symbols: U_a / c_a the optimistic value, n_a the evidence about arm a in samples, m_a its mean with one more sample,
    which is the mean of the observation, wait_a = min(1 / p_a, rounds left), p_a = (watched_a + 1) / (watched_0 + 1),
    w_a = HURRY / (n_a + 1) times the share of wait_a in the waits of all affordable interventions.
    The arm whose left side is the largest multiple of the right one is chosen. See docs/policies/causal-kl.md.
    """
    best_rate, chosen, most, waits = best_known_rate(view, counts, sums), -1, 1.0, 0.0
    longest = float(left // view.costs[0])
    for a in range(1, counts.size):
        if view.costs[a] <= left:
            waits += min((watched[0] + 1.0) / (watched[a] + 1.0), longest)
    for a in range(1, counts.size):
        if optimistic[a] > best_rate and view.costs[a] <= left and not must_wait(a, counts, pending):
            known = sums[a] / counts[a] * evidence[a] if counts[a] > 0 else 0.0
            mean, n = (known + sums[0] / counts[0]) / (evidence[a] + 1.0), evidence[a] + pending[a] + 1.0
            goal = view.prices[a] * best_rate
            wait = min((watched[0] + 1.0) / (watched[a] + 1.0), longest)
            chance = math.exp(log_plausibility(mean, n, goal, view.low, view.width, view.is_bounded))
            lost = HURRY / n * wait / waits * view.prices[0] * chance * (optimistic[a] - best_rate) * wait
            if goal - mean > TIE * view.width and lost > most * (goal - mean):
                chosen, most = a, lost / (goal - mean)
    return chosen
