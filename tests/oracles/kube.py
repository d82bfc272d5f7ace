"""KUBE (Tran-Thanh et al. 2012, Algorithm 1).

Fill an unbounded knapsack with the money left, greedily. Pull a random item of it.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, log, sqrt

from .common import all_arms, argmax, best_of_sampled, money_left, own_means, own_rewards
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Every arm once, then any arm that has an item in the knapsack."""
    if sum(setting.costs) > setting.budget:
        return set()  # the first phase cannot be paid: it refuses

    # initial phase: every arm once
    if len(history) < len(setting.arms):
        return {len(history)}

    return {
        a
        for items in knapsacks(densities(setting, history), setting.costs, money_left(setting, history))
        for a in items
    }


def densities(setting: Setting, history: list[Round]) -> dict[int, float]:
    """(mu_hat_a + sqrt(2 log(t-1) / n_a)) / c_a."""
    t = len(history) + 1
    mu_hat = own_means(setting, history)
    density = {}
    for a in all_arms(setting):
        pulls = len(own_rewards(history, a))  # n_a
        radius = setting.width * sqrt(setting.exploration * log(t - 1) / pulls)
        density[a] = (mu_hat[a] + radius) / float(setting.costs[a])
    return density


def knapsacks(density: dict[int, float], costs: list[Fraction], left: Fraction) -> list[dict[int, int]]:
    """The greedy knapsacks, items by arm, one for each way in which ties may be broken."""
    payable = {a: d for a, d in density.items() if costs[a] <= left}
    if not payable:
        return [{}]
    found = []
    for a in argmax(payable):
        items = floor(left / costs[a])
        rest = {b: d for b, d in density.items() if b != a}
        found += [{a: items, **others} for others in knapsacks(rest, costs, left - items * costs[a])]
    return found


def probabilities(setting: Setting, history: list[Round]) -> dict[int, float]:
    """The probability that each arm is next, if nothing is tied: proportional to its items."""
    (items,) = knapsacks(densities(setting, history), setting.costs, money_left(setting, history))
    return {a: items.get(a, 0) / sum(items.values()) for a in all_arms(setting)}


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean over own pulls."""
    return best_of_sampled(setting, own_means(setting, history))
