"""Greedy, the project's own baseline: the estimate of C-UCB-2 without its radius and its first phase.

C-UCB-2: Nair, Patil & Sinha 2021, section 5.
"""

from __future__ import annotations

from .common import affordable, argmax, means_by_parents
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """The affordable arm with the largest sum over y of mu_hat_y P(y | do(a)), from round 1."""
    mu_hat = means_by_parents(setting, history)
    return argmax({a: mu_hat[a] for a in affordable(setting, history)})


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest sum over y of mu_hat_y P(y | do(a)), over all arms."""
    return argmax(means_by_parents(setting, history))
