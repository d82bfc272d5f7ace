"""Phases of equal pulls, planned for a budget. After each phase arms are dropped.

Only `ask` may draw random numbers. So a tie is decided when a tied arm is next handed out: that arm is kept.
"""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean
from .phases import floor_product
from .ties import TIE

DROPPED, TIED, SURVIVES = 0, 1, 2  # the status of an arm; some of the tied arms will be kept


@lean
def fill_targets(rounds, targets):
    """Set targets[k] = n_k = ceil((T - K) / (logbar(K) (K + 1 - k))) for k from 1 to K - 1, and n_0 = 0.

    K is targets.size and T is `rounds`.
    """
    arms = targets.size
    log_bar = 0.5
    for i in range(2, arms + 1):
        log_bar += 1.0 / i
    targets[0] = 0
    for k in range(1, arms):
        # the last factor undoes rounding above a whole number
        targets[k] = math.ceil((rounds - arms) / (log_bar * (arms + 1 - k)) * (1 - 1e-13))


@lean
def highest_total_cost(sorted_costs, targets):
    """The highest possible cost of all phases: the cheapest arm is dropped first, then the next cheapest."""
    arms = targets.size
    cost = targets[arms - 1] * sorted_costs[arms - 1]
    for k in range(1, arms):
        cost += targets[k] * sorted_costs[k - 1]
    return cost


@lean
def plan_phases(sorted_costs, budget, targets):
    """Fill the targets for T = floor(budget / mean cost), or for fewer rounds.

    T is the largest number of rounds for which the budget pays for every course of events.
    """
    arms = targets.size
    cost = np.int64(0)
    for a in range(arms):
        cost += sorted_costs[a]
    most = floor_product(budget, arms, cost)
    least = arms + 1  # every arm once; the policy has checked that the budget pays for it
    while least < most:
        middle = (least + most + 1) // 2
        fill_targets(middle, targets)
        if highest_total_cost(sorted_costs, targets) <= budget:
            least = middle
        else:
            most = middle - 1
    fill_targets(most, targets)


@lean
def drop_worst(number, status, pulls, reward, values):
    """Drop the `number` arms with the worst means. Arms that are tied at the border become TIED.

    Returns how many of the tied arms are to be kept. `values` (arms,) is working memory.
    """
    for a in range(status.size):
        values[a] = reward[a] / pulls[a] if status[a] == SURVIVES else np.inf
    while number > 0:
        low = np.inf
        for a in range(status.size):
            low = min(low, values[a])
        tied = 0
        for a in range(status.size):
            tied += values[a] <= low + TIE
        for a in range(status.size):
            if values[a] <= low + TIE:
                status[a] = DROPPED if tied <= number else TIED
                values[a] = np.inf
        if tied > number:
            return tied - number
        number -= tied
    return 0
