"""Factor find, from the rules of docs/policies/factor-find.md; all that is known of the arms is in factor_means.py."""

from __future__ import annotations

from math import exp, floor, sqrt

from .common import affordable, all_arms, interventions
from .factor_means import Estimates, Row
from .factor_ucb import NEAR, length, only_watching_is_left, payable
from .setting import Round, Setting
from .top_two import parting


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round of a history, and in the round after it."""
    allowed: list[set[int]] = []
    while len(allowed) <= len(history):
        start = len(allowed)
        arms, is_meeting = choice(setting, history[:start])
        allowed.append(arms)
        if start < len(history) and arms:
            arm = history[start].arm
            block = 1 if is_meeting else rounds_of(setting, history[:start], arm)
            allowed += [{arm}] * min(block - 1, len(history) - start - 1, payable(setting, history[:start], arm) - 1)
    return allowed


def rounds_of(setting: Setting, history: list[Round], arm: int) -> int:
    return max(length(setting, history, arm), floor(setting.budget / (200 * setting.costs[arm])))


def choice(setting: Setting, history: list[Round]) -> tuple[set[int], bool]:
    """The arms that may be played, and whether it is to meet an arm of which nothing is known."""
    can = affordable(setting, history)
    if not can:
        return set(), False
    if only_watching_is_left(setting, history):
        return {0}, False
    known = Estimates(setting, history)
    meetings = {a: m for a, m in meetings_of(setting, known).items() if a in can}
    if meetings:
        return near_best(meetings), True
    values = worths(setting, known)
    return near_best({a: values[a] for a in can}), False


def near_best(values: dict[int, float]) -> set[int]:
    top = max(values.values())
    return {a for a in values if values[a] >= top * (1 - 10 * NEAR) - 1e-12}


def share_shown(known: Estimates, arm: int) -> float:
    return (known.watched(arm) + 0.5) / (known.watched(0) + 1)


def meetings_of(setting: Setting, known: Estimates) -> dict[int, float]:
    """For rounds that show unknown arms: how many of them, per cost. Only real rewards leave an arm unknown."""
    unknown = [a for a in all_arms(setting) if known.evidence[a] == 0 and not setting.is_bounded]
    found = {a: 1 / setting.price(a) for a in unknown}
    if setting.arms[0] == {} and unknown:
        once = [a for a in unknown if a in known.firsts()]
        shown = sum(1.0 if a == 0 else share_shown(known, a) for a in once if a == 0 or setting.teaches[a])
        if shown > 0:
            found[0] = shown / setting.price(0)
    return found


def judged(setting: Setting, known: Estimates, arm: int) -> float:
    """The mean that counts in a recommendation."""
    n, m = known.evidence[arm], known.means[arm]
    return (m * n + 0.5) / (n + 1) if known.is_whole(arm) and setting.is_bounded else m


def posteriors(setting: Setting, known: Estimates) -> tuple[dict[int, float], dict[int, float]]:
    """Means and variances; a whole arm has those of top-two."""
    top = max([judged(setting, known, a) for a in all_arms(setting) if known.evidence[a] > 0], default=0.5)
    means, variances = {}, {}
    for a in known.firsts():
        if not known.is_whole(a):
            means[a], variances[a] = known.means[a], known.variance(a, known.spreads[a])
            continue
        n, total = len(known.own(a)), sum(known.own(a))
        s = (total + 4) / (n + 8) if setting.is_bounded else 0.5
        means[a], variances[a] = (total + 8 * top) / (n + 8), s * (1 - s) / (n + 9)
        if a in interventions(setting) and setting.arms[0] == {} and known.watched(a):
            variances[a] *= 1 - share_shown(known, a) * known.watched(a) / n
    return means, variances


def weights(means: dict[int, float], variances: dict[int, float]) -> dict[int, float]:
    """f_a, up to a common factor."""
    x = parting(means, variances)
    nearest = min((x - means[a]) ** 2 / variances[a] for a in means)
    return {a: exp((nearest - (x - means[a]) ** 2 / variances[a]) / 2) / sqrt(variances[a]) for a in means}


def worths(setting: Setting, known: Estimates) -> dict[int, float]:
    """What a round of each arm is worth per cost. Arms with the same mean count once."""
    means, variances = posteriors(setting, known)
    f = weights(means, variances)
    tabled = [a for a in known.firsts() if not known.is_whole(a)]
    gradients = {a: known.gradient(a) for a in tabled}
    cells = {cell for a in tabled for cell in gradients[a]}
    average = {c: sum(f[a] * gradients[a].get(c, 0.0) for a in tabled) / sum(f.values()) for c in cells}
    spreads = {a: known.spread({c: gradients[a].get(c, 0.0) - average[c] for c in cells}) for a in tabled}
    for a in tabled:
        variances[a] = known.variance(a, spreads[a])
    f = weights(means, variances)
    gains = {a: known.row_gains(a, spreads[a]) for a in tabled}
    row_worth: dict[Row, float] = {row: sum(f[a] * gains[a][row] for a in tabled) for row in known.rows}
    own = {
        a: variances[a] / (len(known.own(a)) + 9) if known.is_whole(a) else known.own_gain(a, spreads[a])
        for a in known.firsts()
    }
    values = {}
    for b in all_arms(setting):
        first = known.alike[b][0]
        value = f[first] * own[first] + sum(p * row_worth[row] for row, p in known.shown_by(b).items())
        if setting.arms[b] == {}:
            value += sum(f[a] * own[a] * share_shown(known, a) for a in known.firsts() if a > 0 and setting.teaches[a])
        values[b] = value / setting.price(b)
    return values


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    if not history:
        return set(all_arms(setting))
    known = Estimates(setting, history)
    means = {a: judged(setting, known, a) for a in all_arms(setting) if known.evidence[a] > 0}
    top = max(means.values())
    return {a for a in means if means[a] >= top - NEAR}
