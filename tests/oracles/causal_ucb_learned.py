"""Causal UCB with P(y | do(a)) learned, from its derivation: every quantity counted anew from the history."""

from __future__ import annotations

from math import floor, inf, log, prod

from .causal_kl import (
    best_known_rate,
    is_due,
    lower_bound,
    nothing_is_worth_its_price,
    observes,
    payable,
    rare_or_observation,
    upper,
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
    """U_a / c_a, with U_a = max{q : KL(mu_hat_a, q) <= exploration e log(1 + t e)}; e is the uncertainty."""
    if not samples(setting, history, arm):
        return (setting.low + setting.width if setting.is_bounded else inf) / setting.price(arm)
    e = sum(uncertainty(setting, history, arm))
    level = setting.exploration * e * log(1 + len(history) * e)
    return upper(setting, learned_means(setting, history)[arm], level) / setting.price(arm)


def coin(setting: Setting, total: float, number: int) -> float:
    """p (1 - p) with half a success and half a failure added; 1/4 for real rewards."""
    if not setting.is_bounded:
        return 1 / 4
    p = ((total - number * setting.low) / setting.width + 1 / 2) / (number + 1)
    return p * (1 - p)


def uncertainty(setting: Setting, history: list[Round], arm: int) -> tuple[float, float]:
    """The uncertainty about P and about the rewards, as inverse numbers of samples:

    min(v / b + 1 / m, 1) / m    and    sum_y P_hat_y^2 b_y / (b N_y)

    b and b_y are the variances of coins with the means of the arm and of the configuration. Real rewards have no limit.
    """
    m = len(samples(setting, history, arm))
    p = shares(setting, history, arm)
    means = [configuration_mean(history, y) for y in range(len(p))]
    average = sum(share * value for share, value in zip(p, means, strict=True))
    variance = sum(share * ((value - average) / setting.width) ** 2 for share, value in zip(p, means, strict=True))
    b = coin(setting, average * m, m)
    relative = variance / b + 1 / m
    rewards = 0.0
    for y, share in enumerate(p):
        seen = configuration_rewards(history, y)
        if share > 0:
            rewards += share**2 * coin(setting, sum(seen), len(seen)) / len(seen)
    return (min(relative, 1) if setting.is_bounded else relative) / m, rewards / b


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
    """The largest lower bound, min{q : KL(mu_hat_a, q) <= 2 e}, of the arms that have a sample."""
    means = learned_means(setting, history)
    bounds = {a: lower_bound(setting, means[a], 2 * sum(uncertainty(setting, history, a))) for a in means}
    return best_of_sampled(setting, bounds)
