"""Successive Rejects (Audibert, Bubeck & Munos 2010, Figure 3).

With costs per arm: T is so small that the budget pays even for the most expensive course of events.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from .common import TIE, all_arms, mean, own_rewards
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """A surviving arm that has fewer than n_k pulls; nothing after phase K - 1."""
    _, wanting, _ = replayed(setting, history)
    return wanting


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The survivor; more than one where the last decision was a tie."""
    _, _, left = replayed(setting, history)
    return left


def n(k: int, rounds: int, arms: int) -> int:
    """n_k = ceil(1/logbar(K) (T - K) / (K + 1 - k)), n_0 = 0."""
    if k == 0:
        return 0
    log_bar = Fraction(1, 2) + sum((Fraction(1, i) for i in range(2, arms + 1)), Fraction(0))
    return ceil(1 / log_bar * (rounds - arms) / (arms + 1 - k))


def most_rounds(setting: Setting) -> int:
    """T: floor(B / mean cost), or the largest number below it for which the budget pays whatever happens."""
    arms = len(setting.arms)
    rounds = floor(setting.budget / (sum(setting.costs) / arms))
    rising = sorted(setting.costs)
    while (
        sum(n(k, rounds, arms) * rising[k - 1] for k in range(1, arms)) + n(arms - 1, rounds, arms) * rising[-1]
        > setting.budget
    ):
        rounds = rounds - 1
    return rounds


def replayed(setting: Setting, history: list[Round]) -> tuple[int, set[int], set[int]]:
    """The phase that the history has reached, the arms that may be pulled next, and the arms that may survive.

    The paper does not say which of tied arms is rejected: the history shows which one was.
    """
    arms = len(setting.arms)
    rounds = most_rounds(setting)
    certain, tied = set(all_arms(setting)), set()  # A_k; some of the tied arms are in it too
    size = arms  # |A_k|
    for k in range(1, arms):
        before, target = n(k - 1, rounds, arms), n(k, rounds, arms)
        if target > before:
            # step (1): for each arm of A_k, n_k - n_(k-1) more rounds
            pulls = {a: len(own_rewards(history, a)) for a in all_arms(setting)}
            spared = {a for a in tied if pulls[a] > before}
            assert len(certain) + len(spared) <= size, "too many arms were spared"
            assert not any(pulls[a] > before for a in set(all_arms(setting)) - certain - tied), (
                "a rejected arm was pulled"
            )
            wanting = {a for a in certain | spared if pulls[a] < target}
            if len(certain) + len(spared) < size:
                wanting |= tied - spared
            if wanting:
                return k, wanting, certain | tied
            certain, tied = certain | spared, set()
        # step (2): dismiss the worst mean of the first n_k pulls
        size = size - 1
        if not tied:
            means = {a: mean(own_rewards(history, a)[:target]) for a in certain}
            tied = {a for a in certain if means[a] <= min(means.values()) + TIE}
            certain = certain - tied
        if len(certain) == size:  # all tied arms are dismissed by now
            tied = set()
    return arms, set(), certain | tied
