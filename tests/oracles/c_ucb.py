"""C-UCB (Lu et al. 2020). It knows the horizon T.

A UCB for every configuration of the reward's parents, weighted by P(Pa(Y) = y | do(a)). With delta = 1 / T^2 its radius
is sqrt(2 log(1 / delta) / N) = sqrt(4 log T / N): the exploration is 4.
"""

from __future__ import annotations

from math import floor, log, sqrt

from .common import affordable, argmax, configuration_mean, configuration_rewards, means_by_parents, parents_given
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """The affordable arm with the largest sum over y of UCB_y P(y | do(a)), from round 1."""
    payable = affordable(setting, history)
    if not payable:
        return set()

    horizon = floor(setting.budget / min(setting.costs))  # T

    index = {}
    for a in payable:
        total = 0.0
        for y, probability in enumerate(parents_given(setting, a)):
            seen = len(configuration_rewards(history, y))  # N_y
            ucb = configuration_mean(history, y) + setting.width * sqrt(
                setting.exploration * log(horizon) / max(1, seen)
            )
            total = total + ucb * probability
        index[a] = total
    return argmax(index)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest sum over y of mu_hat_y P(y | do(a)), over all arms."""
    return argmax(means_by_parents(setting, history))
