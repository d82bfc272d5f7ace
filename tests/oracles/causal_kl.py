"""Causal KL-UCB, from its derivation: the index by bisection, the savings of an observation by definition."""

from __future__ import annotations

from dataclasses import replace
from math import exp, floor, inf, log, sqrt

from .common import (
    affordable,
    all_arms,
    argmax,
    best_of_sampled,
    effective_means,
    effective_rewards,
    interventions,
    mean,
    money_left,
    own_rewards,
    shown_rewards,
)
from .setting import Round, Setting


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round of a history, and in the round after it.

    A choice stands for a block of rounds.
    """
    allowed: list[set[int]] = []
    while len(allowed) <= len(history):
        start = len(allowed)
        arms = choice(setting, history[:start])
        allowed.append(arms)
        if start < len(history) and arms:
            arm = history[start].arm
            block = length(setting, history[:start], arm)
            allowed += [{arm}] * min(block - 1, len(history) - start - 1, payable(setting, history[:start], arm) - 1)
    return allowed


def payable(setting: Setting, history: list[Round], arm: int) -> int:
    """How many rounds of the arm the money left pays for."""
    return int(
        (setting.budget - sum((setting.costs[r.arm] for r in history), setting.costs[0] * 0)) / setting.costs[arm]
    )


def length(setting: Setting, history: list[Round], arm: int) -> int:
    """The number of rounds for which the choice of an arm stands, if the money is enough."""
    if observes(setting) and not any(a in affordable(setting, history) for a in interventions(setting)):
        return 10**9  # the observation, to the end
    return 1 + floor(setting.block * samples(setting, history, arm))


def choice(setting: Setting, history: list[Round]) -> set[int]:
    """The observation while it saves something, else the best index per cost."""
    can = affordable(setting, history)
    if not can or nothing_is_worth_its_price(setting, {a: index(setting, history, a) for a in can}):
        return set()
    if observes(setting) and not any(a in can for a in interventions(setting)):
        return {0}
    best = argmax({a: index(setting, history, a) for a in can})
    if not (observes(setting) and 0 in can):
        return best
    if not history_of_observation(history):
        return {0} if is_due(setting) else best
    # An arm whose index equals v up to rounding may count as open or not: both choices are allowed.
    readings = [saved(setting, history, can, slack) > 1e-12 * setting.width for slack in (-1e-9, 1e-9)]
    means, values = effective_means(setting, history), {a: index(setting, history, a) for a in all_arms(setting)}
    evidence = {a: float(samples(setting, history, a)) for a in all_arms(setting)}
    watch = rare_or_observation(setting, history, can, means, values, evidence)
    return (watch if any(readings) else set()) | (set() if all(readings) else best)


def rare_or_observation(
    setting: Setting,
    history: list[Round],
    can: list[int],
    means: dict[int, float],
    values: dict[int, float],
    evidence: dict[int, float],
) -> set[int]:
    """What is played where watching pays: an arm that is too rare to wait for, or else the observation.

    Waiting for arm a takes min(1 / p_a, rounds left) rounds. It loses 0.1 / (n + 1) times the arm's share of the waits
    of all arms, times c_0 exp(-(n + 1) KL(m_a, c_a v)) (U_a / c_a - v) per round. A pull loses c_a v - m_a. The first
    must be larger. The arm with the largest quotient is pulled. n is what the evidence is worth in samples, and m_a the
    mean with one more sample, which is the mean of the observation.
    """
    v = best_known_rate(setting, means)
    rounds = int(money_left(setting, history) / setting.costs[0])
    watched = len(history_of_observation(history))
    waits = {
        a: min((watched + 1) / (len(shown_rewards(setting, history, a)) + 1), rounds)
        for a in interventions(setting)
        if a in can
    }
    quotients = {}
    for a in interventions(setting):
        n, cost = evidence[a], setting.price(a)
        m = (n * means.get(a, 0.0) + means[0]) / (n + 1)
        if a in can and values[a] > v and cost * v - m > 1e-12 * setting.width:
            chance = exp(-(n + 1) * divergence(setting, m, cost * v))
            share = waits[a] / sum(waits.values())
            lost = 0.1 / (n + 1) * share * setting.price(0) * chance * (values[a] - v) * waits[a]
            quotients[a] = lost / (cost * v - m)
    top = max(quotients.values(), default=0.0)
    rare = {a for a in quotients if quotients[a] >= top * (1 - 1e-9)}  # rounding may decide between them
    return (rare if top > 1 - 1e-9 else set()) | ({0} if top <= 1 + 1e-9 else set())


def divergence(setting: Setting, m: float, goal: float) -> float:
    """The relative entropy between two means, 0 where the goal is reached: of coins, or of normals."""
    if not setting.is_bounded:
        return 2 * (max(goal - m, 0.0) / setting.width) ** 2
    share, wanted = (m - setting.low) / setting.width, (goal - setting.low) / setting.width
    return kl(share, wanted) if wanted > share else 0.0


def nothing_is_worth_its_price(setting: Setting, values: dict[int, float]) -> bool:
    """Whether money may be kept, and every arm that can be paid is worth less than nothing even at its best."""
    return setting.keeps_money and max(values.values()) < 0


def best_known_rate(setting: Setting, means: dict[int, float]) -> float:
    """v: the best mean per cost, and at least 0 where money may be kept."""
    return max([means[a] / setting.price(a) for a in means] + ([0.0] if setting.keeps_money else []))


def is_due(setting: Setting) -> bool:
    """Whether watching comes first: it does if nothing is cheaper."""
    return setting.costs[0] <= min(setting.costs[a] for a in interventions(setting))


def observes(setting: Setting) -> bool:
    return setting.arms[0] == {}


def history_of_observation(history: list[Round]) -> list[float]:
    return own_rewards(history, 0)


def samples(setting: Setting, history: list[Round], arm: int) -> int:
    return len(effective_rewards(setting, history, arm))


def saved(setting: Setting, history: list[Round], can: list[int], slack: float = 0.0) -> float:
    """sum over the open arms of p_a (c_a v* - mu_a), minus c_0 v* - mu_0. An arm is open if its index is above v*."""
    means = effective_means(setting, history)
    v = best_known_rate(setting, means)
    watched = len(history_of_observation(history))
    total = means[0] - setting.price(0) * v
    for a in interventions(setting):
        shown = len(shown_rewards(setting, history, a))
        if a in can and shown and index(setting, history, a) > v + slack:
            total += shown / watched * (setting.price(a) * v - means[a])
    return total


def index(setting: Setting, history: list[Round], arm: int) -> float:
    """U_a / c_a, with U_a = max{q : n KL(mu, q) <= exploration log(T / n)}."""
    rewards = effective_rewards(setting, history, arm)
    if not rewards:
        return (setting.low + setting.width if setting.is_bounded else inf) / setting.price(arm)
    most = int(setting.budget / min(setting.costs))  # T
    level = setting.exploration * max(log(most / len(rewards)), 0.0)
    return upper(setting, mean(rewards), level / len(rewards)) / setting.price(arm)


def upper(setting: Setting, middle: float, level: float) -> float:
    """max{q : KL(mu, q) <= level}, by bisection; for real rewards the KL of normals with the deviation width / 2."""
    if not setting.is_bounded:
        return middle + setting.width * sqrt(level / 2)
    share = min(max((middle - setting.low) / setting.width, 0.0), 1.0)
    low, high = share, 1.0
    for _ in range(100):
        between = (low + high) / 2
        if between < 1 and kl(share, between) <= level:
            low = between
        else:
            high = between
    return setting.low + setting.width * low


def kl(p: float, q: float) -> float:
    """The relative entropy of two coins."""
    if q <= 0:
        return 0.0 if p <= 0 else inf
    if q >= 1:
        return 0.0 if p >= 1 else inf
    return (p * log(p / q) if p > 0 else 0.0) + ((1 - p) * log((1 - p) / (1 - q)) if p < 1 else 0.0)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest lower bound of a mean over effective samples, not per cost."""
    sampled = [a for a in all_arms(setting) if samples(setting, history, a)]
    return best_of_sampled(setting, {a: lower(setting, effective_rewards(setting, history, a)) for a in sampled})


def lower(setting: Setting, rewards: list[float]) -> float:
    """The smallest q with n KL(mu, q) <= 2."""
    return lower_bound(setting, mean(rewards), 2 / len(rewards))


def lower_bound(setting: Setting, middle: float, level: float) -> float:
    """min{q : KL(mu, q) <= level}: the upper bound of the rewards turned around."""
    turned = replace(setting, low=-(setting.low + setting.width))
    return -upper(turned, -middle, level)
