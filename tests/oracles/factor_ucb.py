"""Factor UCB, from the rules of docs/policies/factor-ucb.md; all that is known of the arms is in factor_means.py."""

from __future__ import annotations

from math import exp, floor, inf, log, pi, sqrt

from scipy.special import betainc, erfc

from .causal_kl import is_due, lower_bound, nothing_is_worth_its_price, observes, payable, upper
from .common import affordable, all_arms, argmax, best_of_sampled, interventions, money_left
from .factor_means import Estimates
from .setting import Round, Setting

NEAR = 1e-7  # a choice that is decided by less may be made either way: rounding may decide it


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round of a history, and in the round after it."""
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
    if only_watching_is_left(setting, history):
        return 10**9
    rounds = sum(r.arm == arm for r in history)
    if not setting.needed[arm]:
        rounds = len(Estimates(setting, history).own(arm))
    return 1 + floor(setting.block * rounds)


def choice(setting: Setting, history: list[Round]) -> set[int]:
    can = affordable(setting, history)
    if not can:
        return set()
    known = Estimates(setting, history)
    values = {a: index(setting, known, a) for a in all_arms(setting)}
    if nothing_is_worth_its_price(setting, {a: values[a] for a in can}):
        return set()
    if only_watching_is_left(setting, history):
        return {0}
    best = near_best({a: values[a] for a in can})
    if not (observes(setting) and 0 in can):
        return best
    if not any(r.arm == 0 for r in history):
        return {0} if is_due(setting) else best
    rates = [known.mean(a) / setting.price(a) for a in all_arms(setting) if known.evidence[a] > 0]
    rate = max([*rates, 0.0] if setting.keeps_money else rates)
    readings = [saved(setting, known, can, values, rate, slack) for slack in (-NEAR, NEAR)]
    margin = NEAR * setting.width
    watch = arms_not_to_wait_for(setting, known, can, rate) if max(readings) > -margin else set()
    return (watch or set()) | (best if min(readings) < margin else set())


def near_best(values: dict[int, float]) -> set[int]:
    top = max(values.values())
    return {a for a, v in values.items() if v >= top - NEAR * max(1.0, abs(top))} if top < inf else argmax(values)


def index(setting: Setting, known: Estimates, arm: int) -> float:
    """U_a / c_a."""
    n, t = known.evidence[arm], len(known.history)
    if n == 0:
        return (setting.low + setting.width if setting.is_bounded else inf) / setting.price(arm)
    most = int(setting.budget / min(setting.costs))
    raised = 1 + 6 / (n + 2 * len(setting.arms))
    level = log(max(most / n, 1)) if known.is_whole(arm) else raised * log(1 + t / (2 * n))
    return upper(setting, known.mean(arm), setting.exploration * level / n) / setting.price(arm)


def is_open(setting: Setting, values: dict[int, float], rate: float, arm: int, slack: float) -> bool:
    return setting.arms[arm] != {} and values[arm] > rate + slack


def saved(
    setting: Setting, known: Estimates, can: list[int], values: dict[int, float], rate: float, slack: float
) -> float:
    """sum over the open arms of s_a / W_a (c_a v* - m_a), minus c_0 v* - m_0."""
    is_open_to = [a for a in can if is_open(setting, values, rate, a, slack)]
    total = known.mean(0) - setting.price(0) * rate
    for a in is_open_to:
        if known.evidence[a] > 0:
            if known.is_whole(a):
                share = known.watched(a) / known.watched(0)
            else:
                share = by_watching(setting, known, a) / by_all(known, is_open_to, a)
            total += share * (setting.price(a) * rate - known.mean(a))
    return total


def in_samples(known: Estimates, arm: int, lower: float) -> float:
    return lower / known.variance(arm, known.spreads[arm]) * (known.evidence[arm] + 1)


def by_watching(setting: Setting, known: Estimates, arm: int) -> float:
    """s_a: the samples of the arm that one observation is worth."""
    if known.is_whole(arm):
        return (known.watched(arm) + 1) / (known.watched(0) + 1)
    spread = known.spreads[arm]
    gains = known.row_gains(arm, spread)
    lower = sum(p * gains[row] for row, p in known.shown_by(0).items())
    lower += known.own_gain(arm, spread) * known.watched(arm) / known.watched(0)
    return min(in_samples(known, arm, lower), 1.0)


def by_all(known: Estimates, is_open_to: list[int], arm: int) -> float:
    """W_a: the samples of the arm that one pull of every open arm is worth, in the rows that these need themselves."""
    spread = known.spreads[arm]
    pulls = sum(b in known.alike[arm] for b in is_open_to)
    lower, gains = pulls * known.own_gain(arm, spread), known.row_gains(arm, spread)
    for b in is_open_to:
        if not known.is_whole(b):
            rows = {row: p for row, p in known.meets(b).items() if row[0] in known.setting.needed[arm]}
            lower += sum(p * gains[row] for row, p in rows.items())
    return max(in_samples(known, arm, lower), 1.0)


def arms_not_to_wait_for(setting: Setting, known: Estimates, can: list[int], rate: float) -> set[int]:
    """Where watching saves: the arm that it would take too long to wait for, or the observation."""
    longest = float(money_left(setting, known.history) // setting.costs[0])
    waits = {a: min(1 / max(by_watching(setting, known, a), 1e-300), longest) for a in can if a > 0}
    watched, quotients = known.watched(0), {0: 1.0}
    for a in waits:
        goal = setting.price(a) * rate
        mean, gain = posterior(setting, known, a, goal)
        if sum(r.arm == a for r in known.history) < watched and goal - mean > 1e-12 * setting.width:
            lost = 3 * gain / setting.price(a) * setting.price(0) * waits[a] * waits[a] / sum(waits.values())
            quotients[a] = lost / (goal - mean)
    top = max(quotients.values())
    return {a for a, quotient in quotients.items() if quotient >= top * (1 - 1e-6)}


def posterior(setting: Setting, known: Estimates, arm: int, goal: float) -> tuple[float, float]:
    """The mean of the posterior, and E max(theta - goal, 0)."""
    n, m = known.evidence[arm], known.means[arm]
    if not setting.is_bounded:
        if n == 0:
            m = known.means[0]
        mean, deviation = setting.width * m, setting.width / 2 / sqrt(max(n, 1.0))
        z = (goal - mean) / deviation
        density, tail = exp(-z * z / 2) / sqrt(2 * pi), float(erfc(z / sqrt(2))) / 2
        return mean, deviation * density - (goal - mean) * tail
    if n == 0:
        m = 0.5
    added = 1 if known.is_whole(arm) else 0
    a, b = m * n + added, (1 - m) * n + added
    x = (goal - setting.low) / setting.width
    mean = a / (a + b)
    if x <= 0:
        gain = mean - x
    elif x >= 1:
        gain = 0.0
    else:
        gain = mean * (1 - float(betainc(a + 1, b, x))) - x * (1 - float(betainc(a, b, x)))
    return setting.low + setting.width * mean, setting.width * max(gain, 0.0)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest lower bound of a mean, not per cost."""
    if not history:
        return set(all_arms(setting))
    known = Estimates(setting, history)
    lows = {
        a: lower_bound(setting, known.mean(a), 2 / known.evidence[a])
        for a in all_arms(setting)
        if known.evidence[a] > 0
    }
    top = max(lows.values(), default=0.0)
    return {a for a in lows if lows[a] >= top - NEAR * setting.width} or best_of_sampled(setting, {})
