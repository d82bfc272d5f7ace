"""Causal UCB with P(y | do(a)) learned, from its derivation: every quantity counted anew from the history."""

from __future__ import annotations

from math import floor, inf, log, prod, sqrt

from .causal_kl import (
    best_known_rate,
    is_due,
    nothing_is_worth_its_price,
    observes,
    payable,
    rare_or_observation,
)
from .common import (
    affordable,
    all_arms,
    argmax,
    best_of_sampled,
    configuration_mean,
    configuration_rewards,
    interventions,
    shows,
)
from .setting import Round, Setting


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round of a history, and in the round after it.

    A choice stands for a block of rounds.
    """
    allowed: list[set[int]] = []
    while len(allowed) <= len(history):
        start = len(allowed)
        allowed.append(choice(setting, history[:start]))
        if start < len(history) and allowed[start]:
            arm = history[start].arm
            block = length(setting, history[:start], arm)
            allowed += [{arm}] * min(block - 1, len(history) - start - 1, payable(setting, history[:start], arm) - 1)
    return allowed


def only_watching_is_left(setting: Setting, history: list[Round]) -> bool:
    return observes(setting) and not any(a in affordable(setting, history) for a in interventions(setting))


def length(setting: Setting, history: list[Round], arm: int) -> int:
    """The number of rounds for which the choice of an arm stands, if the money is enough."""
    if only_watching_is_left(setting, history):
        return 10**9
    return 1 + floor(setting.block * len(samples(setting, history, arm)))


def samples(setting: Setting, history: list[Round], arm: int) -> list[Round]:
    """The rounds that show a configuration drawn from P(y | do(a)).

    These are the arm's own rounds, and the observations in which its assignment held.
    """
    return [r for r in history if r.arm == arm or shows(setting, r, arm)]


def choice(setting: Setting, history: list[Round]) -> set[int]:
    """The observation while it saves something, else the best index per cost."""
    can = affordable(setting, history)
    if not can or nothing_is_worth_its_price(setting, {a: index(setting, history, a) for a in can}):
        return set()
    if only_watching_is_left(setting, history):
        return {0}
    best = argmax({a: index(setting, history, a) for a in can})
    if not (observes(setting) and 0 in can):
        return best
    if not samples(setting, history, 0):
        return {0} if is_due(setting) else best
    # An arm whose index equals v up to rounding may count as open or not: both choices are allowed.
    readings = [saved(setting, history, can, slack) > 1e-12 * setting.width for slack in (-1e-9, 1e-9)]
    means, values = learned_means(setting, history), {a: index(setting, history, a) for a in all_arms(setting)}
    evidence = {a: 1 / sum(uncertainty(setting, history, a)) if a in means else 0.0 for a in all_arms(setting)}
    watch = rare_or_observation(setting, history, can, means, values, evidence)
    return (watch if any(readings) else set()) | (set() if all(readings) else best)


def shares(setting: Setting, history: list[Round], arm: int) -> list[float]:
    """P_hat_a(y)."""
    seen = [r.configuration for r in samples(setting, history, arm)]
    return [seen.count(y) / len(seen) for y in range(prod(setting.parent_cards))]


def learned_means(setting: Setting, history: list[Round]) -> dict[int, float]:
    """sum_y P_hat_a(y) mu_hat_y, for the arms that have a sample."""
    sampled = [a for a in range(len(setting.arms)) if samples(setting, history, a)]
    return {
        a: sum(p * configuration_mean(history, y) for y, p in enumerate(shares(setting, history, a))) for a in sampled
    }


def index(setting: Setting, history: list[Round], arm: int) -> float:
    """U_a / c_a, where U_a is at most the highest reward:

    U_a = mu_hat_a + width sqrt(exploration e log(1 + t e) / 2)
    e = 4 v / m + sum_y P_hat_y^2 / N_y
    """
    highest = setting.low + setting.width if setting.is_bounded else inf
    m = len(samples(setting, history, arm))
    if m == 0:
        return highest / setting.price(arm)
    e = sum(uncertainty(setting, history, arm))
    mean = learned_means(setting, history)[arm]
    bound = mean + setting.width * sqrt(setting.exploration * e * log(1 + len(history) * e) / 2)
    return min(bound / setting.price(arm), highest / setting.price(arm))


def uncertainty(setting: Setting, history: list[Round], arm: int) -> tuple[float, float]:
    """The uncertainty about P, 4 v / m, and about the rewards, sum_y P_hat_y^2 / N_y."""
    m = len(samples(setting, history, arm))
    p = shares(setting, history, arm)
    means = [configuration_mean(history, y) for y in range(len(p))]
    mean = sum(share * value for share, value in zip(p, means, strict=True))
    variance = sum(share * ((value - mean) / setting.width) ** 2 for share, value in zip(p, means, strict=True)) + 1 / (
        4 * m
    )
    if setting.is_bounded:
        variance = min(variance, 1 / 4)
    rewards = sum(share**2 / len(configuration_rewards(history, y)) for y, share in enumerate(p) if share > 0)
    return 4 * variance / m, rewards


def saved(setting: Setting, history: list[Round], can: list[int], slack: float = 0.0) -> float:
    """The sum over the open arms of p_a rho_a (c_a v* - mu_a), minus c_0 v* - mu_0.

    rho_a is the share of P in the uncertainty about arm a.
    """
    means = learned_means(setting, history)
    v = best_known_rate(setting, means)
    watched = [r for r in history if r.arm == 0]
    total = means[0] - setting.price(0) * v
    for a in interventions(setting):
        shown = len([r for r in watched if shows(setting, r, a)])
        if a in can and shown and index(setting, history, a) > v + slack:
            of_p, of_rewards = uncertainty(setting, history, a)
            total += shown / len(watched) * of_p / (of_p + of_rewards) * (setting.price(a) * v - means[a])
    return total


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest lower bound, mu_hat - width sqrt(e / 2), of the arms that have a sample."""
    means = learned_means(setting, history)
    bounds = {a: means[a] - setting.width * sqrt(sum(uncertainty(setting, history, a)) / 2) for a in means}
    return best_of_sampled(setting, bounds)
