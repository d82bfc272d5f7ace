"""Top-two with watching, from its derivation.

x is found by bisection; the worth of a pull or an observation follows its definition.
"""

from __future__ import annotations

from math import exp, floor, log, pi, sqrt

from .common import (
    affordable,
    all_arms,
    argmax,
    effective_rewards,
    interventions,
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
        before, rest = history[: len(allowed)], history[len(allowed) :]
        arms = choice(setting, before)
        allowed.append(arms)
        if rest and arms:
            arm = rest[0].arm
            payable = int(money_left(setting, before) / setting.costs[arm])
            only_watching = not any(a in affordable(setting, before) for a in interventions(setting))
            least = int(setting.budget / 200 / setting.costs[arm])
            block = (
                payable
                if only_watching
                else max(1 + floor(setting.block * len(effective_rewards(setting, before, arm))), least)
            )
            allowed += [{arm}] * (min(block, payable, len(rest)) - 1)
    return allowed


def choice(setting: Setting, history: list[Round]) -> set[int]:
    """The arm that is worth most per cost, among those that can be paid."""
    values = worth(setting, history)
    top = max(values.values())
    return argmax({a: values[a] / top for a in affordable(setting, history)})


def worth(setting: Setting, history: list[Round]) -> dict[int, float]:
    """The worth of every arm per cost, up to one common factor.

    An intervention: f_a(x) v_a / (n_a + 1) / c_a
    The observation: the sum over all arms of p_a f_a(x) v_a / (n_a + 1), divided by c_0
    """
    n = {a: len(effective_rewards(setting, history, a)) + 8 for a in all_arms(setting)}
    m = {a: hoped(setting, history, a) for a in all_arms(setting)}
    v = {a: variance(setting, history, a) for a in all_arms(setting)}
    x = parting(m, v)
    least = min((x - m[a]) ** 2 / v[a] for a in m)
    gain = {a: exp((least - (x - m[a]) ** 2 / v[a]) / 2) / sqrt(v[a]) * v[a] / (n[a] + 1) for a in m}
    values = {a: gain[a] / float(setting.costs[a]) for a in m}
    if setting.arms[0] == {}:
        seen = sum(share_shown(setting, history, a) * gain[a] for a in interventions(setting) if setting.teaches[a])
        values[0] = (gain[0] + seen) / float(setting.costs[0])
    return values


def scaled(setting: Setting, history: list[Round], arm: int) -> list[float]:
    """The arm's effective rewards, scaled to [0, 1]."""
    return [(r - setting.low) / setting.width for r in effective_rewards(setting, history, arm)]


def judged(setting: Setting, history: list[Round], arm: int) -> float:
    """The mean of Jeffreys' posterior: half a success and half a failure before all."""
    rewards = scaled(setting, history, arm)
    if not setting.is_bounded:  # no prior is right for what may be anything
        return sum(rewards) / max(len(rewards), 1)
    return (sum(rewards) + 0.5) / (len(rewards) + 1)


def hoped(setting: Setting, history: list[Round], arm: int) -> float:
    """The mean after eight samples as good as the best arm so far; 1/2 where nothing is known of any."""
    rewards = scaled(setting, history, arm)
    top = max([judged(setting, history, a) for a in all_arms(setting) if scaled(setting, history, a)], default=0.5)
    return (sum(rewards) + 8 * top) / (len(rewards) + 8)


def variance(setting: Setting, history: list[Round], arm: int) -> float:
    """After four successes and four failures, less what all watched arms share."""
    rewards = scaled(setting, history, arm)
    share = (sum(rewards) + 4) / (len(rewards) + 8) if setting.is_bounded else 0.5
    v = share * (1 - share) / (len(rewards) + 9)
    shown = len(shown_rewards(setting, history, arm))
    return v * (1 - share_shown(setting, history, arm) * shown / len(rewards)) if shown else v


def share_shown(setting: Setting, history: list[Round], arm: int) -> float:
    """p_a, with half an observation that showed the arm and half a one that did not before all."""
    return (len(shown_rewards(setting, history, arm)) + 0.5) / (len(own_rewards(history, 0)) + 1)


def parting(m: dict[int, float], v: dict[int, float]) -> float:
    """The x with log P(theta_b < x) = log of the sum over a != b of P(theta_a > x), b an arm of the best mean."""
    b = max(m, key=lambda a: m[a])
    others = [a for a in m if a != b]
    if not others:
        return m[b]
    low, high = min(m[a] - 9 * sqrt(v[a]) for a in m), max(m[a] + 9 * sqrt(v[a]) for a in m)
    for _ in range(200):
        x = (low + high) / 2
        above = sum(tail((x - m[a]) / sqrt(v[a])) for a in others)
        if log(tail((m[b] - x) / sqrt(v[b]))) > log(above):
            high = x
        else:
            low = x
    return x


def tail(z: float) -> float:
    """P(Z > z) by the formula of Borjesson & Sundberg (1979) with a = 1 / pi, b = 2 pi."""
    if z < 0:
        return 1 - tail(-z)
    z = min(z, 30.0)  # farther is as far
    return exp(-z * z / 2) / sqrt(2 * pi) / ((1 - 1 / pi) * z + sqrt(z * z + 2 * pi) / pi)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean of Jeffreys' posterior, of the arms with a sample."""
    sampled = [a for a in all_arms(setting) if effective_rewards(setting, history, a)]
    return argmax({a: judged(setting, history, a) for a in sampled or all_arms(setting)})
