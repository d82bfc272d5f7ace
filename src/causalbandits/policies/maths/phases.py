"""Watch first, then try the arms that watching seldom showed: shared by PB-ALG, gamma-NB-ALG and nb-costs."""

from __future__ import annotations

import numpy as np

from ...engine.bridge.cache import lean, shared
from ...engine.streams import below
from .ties import best


@lean
def floor_product(a, b, c):
    """floor(a b / c), even if a b does not fit into 64 bits.

    A quotient in floats is corrected by its remainder, which does fit.
    """
    quotient = np.int64(np.float64(a) * np.float64(b) / np.float64(c))
    remainder = a * b - quotient * c
    while remainder < 0:
        quotient -= 1
        remainder += c
    while remainder >= c:
        quotient += 1
        remainder -= c
    return quotient


@lean
def rarity_threshold(q):
    """m(q) = min{whole tau >= 2 : #{a : q_a < 1/tau} <= tau}."""
    tau = 2
    while True:
        rare = 0
        for a in range(q.size):
            if q[a] < 1.0 / tau:
                rare += 1
        if rare <= tau:
            return tau
        tau += 1


@lean
def plan_rare(shown, costs, money, p_hat, plan):
    """Plan equal pulls for A = {a : p_hat_a < 1 / m_hat}, the interventions that watching seldom shows.

    Sets plan[a], and returns m_hat, |A| and the sum of costs over A. shown[0] is the number of observations.
    An arm that watching cannot teach about was never shown, so it is always in A. `p_hat` (arms,) is working memory.
    """
    p_hat[0] = 1.0
    for a in range(1, shown.size):
        p_hat[a] = shown[a] / shown[0]
    m_hat = rarity_threshold(p_hat)
    number = 0
    cost = np.int64(0)
    for a in range(1, shown.size):
        if p_hat[a] < 1.0 / m_hat:  # line 11 of gamma-NB-ALG
            number += 1
            cost += costs[a]
    for a in range(1, shown.size):
        plan[a] = money // cost if p_hat[a] < 1.0 / m_hat else 0  # line 12
    return m_hat, number, cost


@lean
def rare_limit_by_cost(shown, costs):
    """The largest shown[a] of an arm of A' = {a : q_a <= 1/n(q)}.

    n(q) = min{tau : sum of c_a over {a : q_a < 1/tau} <= tau}

    q_a = shown[a] / shown[0], and c_a is in units of the observation's cost. See docs/policies/nb-costs.md.
    """
    limit = np.int64(0)
    for a in range(1, shown.size):
        limit = max(limit, shown[a])
    while True:
        cost = np.int64(0)
        next_limit = np.int64(0)
        for a in range(1, shown.size):
            if shown[a] < limit:  # q_a < 1/tau, tau = shown[0] / limit
                cost += costs[a]
                next_limit = max(next_limit, shown[a])
        if np.float64(cost) * limit <= np.float64(shown[0]) * costs[0]:  # whole numbers, as floats against overflow
            return limit
        limit = next_limit


@lean
def plan_rare_by_cost(shown, costs, money, plan):
    """Plan equal pulls for all arms of A', which is never empty."""
    limit = rare_limit_by_cost(shown, costs)
    cost = np.int64(0)
    for a in range(1, shown.size):
        if shown[a] <= limit:
            cost += costs[a]
    for a in range(1, shown.size):
        plan[a] = money // cost if shown[a] <= limit else 0


@lean
def next_planned(plan, pulls, pending, costs, left):
    """The first arm with planned pulls that were not handed out, and how many; (0, 0) if there is none.

    If rounds were lost, the money may no longer pay for the plan. Then the affordable arm
    with the fewest pulls is chosen, for one round.
    """
    first, fewest, needed = -1, -1, np.int64(0)
    for a in range(plan.size):
        missing = plan[a] - pulls[a] - pending[a]
        if missing > 0:
            needed += missing * costs[a]
            if first < 0:
                first = a
            if costs[a] <= left and (fewest < 0 or pulls[a] + pending[a] < pulls[fewest] + pending[fewest]):
                fewest = a
    if needed > left:
        return max(fewest, 0), (1 if fewest >= 0 else 0)
    return (first, plan[first] - pulls[first] - pending[first]) if first >= 0 else (0, 0)


@shared
def best_estimate(state, rng):
    """The arm with the best mean: from its own pulls if it has any, else from what watching showed.

    An arm without samples is chosen only if no arm has one.
    """
    means = state.scratch
    for a in range(means.size):
        if a > 0 and state.pulls[a] > 0:
            means[a] = state.reward[a] / state.pulls[a]
        else:
            means[a] = state.shown_reward[a] / state.shown[a] if state.shown[a] > 0 else -np.inf
    chosen = best(means, rng)
    return chosen if chosen >= 0 else below(rng, means.size)
