"""Algorithm 2 of Lattimore, Lattimore & Reid 2016. It takes the design eta as an input.

With costs per arm: T = floor(B / mean cost under eta).
"""

from __future__ import annotations

from math import floor, log, sqrt

from .common import all_arms, argmax, configuration_rewards, money_left, parents_given
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Any arm that eta draws, while the most expensive of them can be paid."""
    drawn = {a for a in all_arms(setting) if eta(setting)[a] > 0}
    if max(setting.costs[a] for a in drawn) > money_left(setting, history):
        return set()
    return drawn


def eta(setting: Setting) -> list[float]:
    assert setting.design is not None, "this algorithm is told the design"
    return setting.design


def probabilities(setting: Setting, history: list[Round]) -> dict[int, float]:
    """Line 2: a_t is drawn from eta."""
    return dict(enumerate(eta(setting)))


def mixture(setting: Setting, y: int) -> float:
    """Q(y) = sum over b of eta_b P(y | b)."""
    return sum(eta(setting)[b] * parents_given(setting, b)[y] for b in all_arms(setting))


def m(setting: Setting) -> float:
    """m(eta) = max over a of E_a[P(y | a) / Q(y)]."""
    largest = 0.0
    for a in all_arms(setting):
        total = 0.0
        for y, probability in enumerate(parents_given(setting, a)):
            if probability > 0:
                total = total + probability * probability / mixture(setting, y)
        largest = max(largest, total)
    return largest


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """Lines 5 and 6: argmax of mu_hat_a = (1/T) sum over t of Y_t R_a(y_t) 1{R_a(y_t) <= B_a}."""
    mean_cost = sum(eta(setting)[a] * float(setting.costs[a]) for a in all_arms(setting))
    rounds = floor(float(setting.budget) / mean_cost * (1 + 1e-13))
    bound = sqrt(m(setting) * rounds / log(2 * rounds * len(setting.arms)))
    mu_hat = {}
    for a in all_arms(setting):
        total = 0.0
        for y, probability in enumerate(parents_given(setting, a)):
            for reward in configuration_rewards(history, y):
                ratio = probability / mixture(setting, y)
                if ratio <= bound:
                    total = total + (reward - setting.low) * ratio
        mu_hat[a] = total / max(1, len(history))
    return argmax(mu_hat)
