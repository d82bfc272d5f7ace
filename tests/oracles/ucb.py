"""UCB (Auer, Cesa-Bianchi & Fischer 2002, UCB1).

The baseline that uses neither costs nor side information in its index.
"""

from __future__ import annotations

from math import log, sqrt

from .common import affordable, argmax, best_of_sampled, own_means, own_rewards
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Every arm once, then the affordable arm with the largest UCB, until nothing is affordable."""
    if sum(setting.costs) > setting.budget:
        return set()  # the first phase cannot be paid: it refuses

    # every arm once
    if len(history) < len(setting.arms):
        return {len(history)}

    # argmax over the affordable arms of mu_hat_a + sqrt(2 log(t-1) / n_a)
    t = len(history) + 1
    mu_hat = own_means(setting, history)
    index = {}
    for a in affordable(setting, history):
        pulls = len(own_rewards(history, a))  # n_a
        index[a] = mu_hat[a] + setting.width * sqrt(setting.exploration * log(t - 1) / pulls)
    return argmax(index)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean over own pulls."""
    return best_of_sampled(setting, own_means(setting, history))
