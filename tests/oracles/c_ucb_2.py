"""C-UCB-2 (Nair, Patil & Sinha 2021, Algorithm 3).

One UCB for every arm, computed from the configurations of the reward's parents.
"""

from __future__ import annotations

from math import log, prod, sqrt

from .common import affordable, all_arms, argmax, means_by_parents, parents_given
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Each arm once, then the affordable arm with the largest UCB estimate."""
    if sum(setting.costs) > setting.budget:
        return set()  # line 1 cannot be paid: it refuses

    # line 1: play each intervention in round robin
    if len(history) < len(setting.arms):
        return {len(history)}

    # line 4: argmax of mu_bar_a(t-1), over the affordable arms
    t = len(history) + 1
    k_n = prod(setting.parent_cards)  # k^n
    logarithm = max(0.0, log(k_n * (t - 1) ** 2 / 2))  # a negative one counts as 0
    mu_hat = means_by_parents(setting, history)
    mu_bar = {}
    for a in affordable(setting, history):
        mu_bar[a] = mu_hat[a] + setting.width * sqrt(logarithm / (t - 1)) * zeta(setting, a)
    return argmax(mu_bar)


def zeta(setting: Setting, arm: int) -> float:
    """zeta_a = sum over y with c_y > 0 of P(y | do(a)) / c_y, where c_y = min over arms of P(y | do(a))."""
    total = 0.0
    for y, probability in enumerate(parents_given(setting, arm)):
        c_y = min(parents_given(setting, a)[y] for a in all_arms(setting))
        if c_y > 0:
            total = total + probability / c_y
    return total


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest mu_hat_a = sum over y of mu_hat_y P(y | do(a)), over all arms."""
    return argmax(means_by_parents(setting, history))
