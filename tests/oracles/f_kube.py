"""F-KUBE (Tran-Thanh et al. 2012, fractional KUBE).

The baseline with a budget and without side information: the largest UCB per cost.
"""

from __future__ import annotations

from math import log, sqrt

from .common import affordable, argmax, best_of_sampled, own_means, own_rewards
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Every arm once, then the affordable arm with the largest UCB per cost, until nothing is affordable."""
    if sum(setting.costs) > setting.budget:
        return set()  # the first phase cannot be paid: it refuses

    # every arm once
    if len(history) < len(setting.arms):
        return {len(history)}

    # argmax over the affordable arms of (mu_hat_a + sqrt(2 log(t-1) / n_a)) / c_a
    t = len(history) + 1
    mu_hat = own_means(setting, history)
    density = {}
    for a in affordable(setting, history):
        pulls = len(own_rewards(history, a))  # n_a
        radius = setting.width * sqrt(setting.exploration * log(t - 1) / pulls)
        density[a] = (mu_hat[a] + radius) / float(setting.costs[a])
    return argmax(density)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean over own pulls."""
    return best_of_sampled(setting, own_means(setting, history))
