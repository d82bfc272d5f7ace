"""Causal UCB, from its definition: the best mixture over one joint confidence set for all configurations.

The multiplier of the best mixture is found by bisection.
"""

from __future__ import annotations

from math import exp, floor, log, sqrt

from .causal_kl import kl, nothing_is_worth_its_price, payable
from .common import affordable, all_arms, argmax, configuration_rewards, mean, own_rewards, parents_given
from .setting import Round, Setting


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round of a history, and in the round after it.

    A choice stands for 1 + block pulls_a rounds.
    """
    allowed: list[set[int]] = []
    while len(allowed) <= len(history):
        start = len(allowed)
        allowed.append(choice(setting, history[:start]))
        if start < len(history) and allowed[start]:
            arm = history[start].arm
            block = 1 + floor(setting.block * len(own_rewards(history[:start], arm)))
            allowed += [{arm}] * min(block - 1, len(history) - start - 1, payable(setting, history[:start], arm) - 1)
    return allowed


def choice(setting: Setting, history: list[Round]) -> set[int]:
    """The best index per cost of the affordable arms."""
    values = {a: index(setting, history, a) / setting.price(a) for a in affordable(setting, history)}
    return set() if not values or nothing_is_worth_its_price(setting, values) else argmax(values)


def index(setting: Setting, history: list[Round], arm: int) -> float:
    """The largest sum_y P_y q_y over all q in the confidence set:

    sum_y N_y KL(mu_hat_y, q_y) <= exploration log(1 + t sum_y P_y^2 / N_y)

    Where N_y = 0, q_y is the highest reward.
    """
    weights = parents_given(setting, arm)
    rewards = [configuration_rewards(history, y) for y in range(len(weights))]
    t = len(history)
    if not setting.is_bounded:  # what was never seen counts as seen once, at the mean of all rewards
        means = [mean(r) if r else mean_of_all(history) for r in rewards]
        s = sum(p**2 / max(len(r), 1) for p, r in zip(weights, rewards, strict=True))
        return sum(p * m for p, m in zip(weights, means, strict=True)) + setting.width * sqrt(
            setting.exploration * log(1 + t * s) * s / 2
        )
    seen = [
        (p, len(r), (mean(r) - setting.low) / setting.width)
        for p, r in zip(weights, rewards, strict=True)
        if r and p > 0
    ]
    unseen = sum(p for p, r in zip(weights, rewards, strict=True) if not r)
    level = setting.exploration * log(1 + t * sum(p**2 / n for p, n, _ in seen))
    return setting.low + setting.width * (unseen + best_mixture(seen, level))


def best_mixture(seen: list[tuple[float, int, float]], level: float) -> float:
    """The largest sum of P q over triples (P, N, mu), with sum of N KL(mu, q) <= level.

    One multiplier tilts all q. Its logarithm is found by bisection.
    """
    low, high = -80.0, 80.0
    for _ in range(120):
        middle = (low + high) / 2
        if sum(n * kl(m, tilted(m, exp(middle) * p / n)) for p, n, m in seen) <= level:
            low = middle
        else:
            high = middle
    return sum(p * tilted(m, exp(low) * p / n) for p, n, m in seen)


def tilted(m: float, r: float) -> float:
    """The q in [m, 1] with q - m = r q (1 - q)."""
    root = sqrt((1 - r) ** 2 + 4 * r * m)
    if m == 0 and r <= 1:
        return 0.0
    # one root in two forms: each is used where it loses no digits
    return 2 * m / (1 - r + root) if r < 1 else min(1.0, (r - 1 + root) / (2 * r))


def mean_of_all(history: list[Round]) -> float:
    return mean([r.reward for r in history]) if history else 0.0


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest lower bound, mu_hat - width sqrt(s / 2), with s = sum_y P_y^2 / max(N_y, 1).

    A configuration that was never seen counts as the mean of all rewards.
    """
    bounds = {}
    for a in all_arms(setting):
        weights = parents_given(setting, a)
        rewards = [configuration_rewards(history, y) for y in range(len(weights))]
        middle = sum(p * (mean(r) if r else mean_of_all(history)) for p, r in zip(weights, rewards, strict=True))
        s = sum(p**2 / max(len(r), 1) for p, r in zip(weights, rewards, strict=True))
        bounds[a] = middle / setting.width - sqrt(s / 2)
    return argmax(bounds)
