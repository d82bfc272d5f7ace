"""The choices of policies while rounds are pending: slow versions of their rules, in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np

from causalbandits.policies.view import View

from .causal_kl import kl
from .causal_ucb import best_mixture
from .top_two import parting

CLEAR = 1e-7  # a choice is compared only if it is decided by more than this
Choice = tuple[int, int] | None  # an arm and its rounds; None where rounding could decide


@dataclass
class Totals:
    """The sums of all outcomes that the policy was totals."""

    rounds: int
    pulls: np.ndarray  # (arms,) rounds of each arm, whatever they showed
    counts: np.ndarray  # (arms,) effective samples
    sums: np.ndarray  # (arms,) the sum of their rewards
    watched: np.ndarray  # (arms,) the effective samples that are observations
    shows: np.ndarray  # (arms, configurations) the effective samples by configuration
    seen: np.ndarray  # (configurations,) rounds
    seen_reward: np.ndarray  # (configurations,) the sum of their rewards


def clear_best(values: dict[int, float]) -> int | None:
    """The arm of the largest value; None if another one is near."""
    first, *others = sorted(values, key=lambda a: -values[a])
    return (
        None if others and not values[first] - values[others[0]] > CLEAR * max(1.0, abs(values[others[0]])) else first
    )


def awaits(a: int, counts: np.ndarray, pending: np.ndarray) -> bool:
    """An arm waits if it has at least ten pending rounds, and at least as many as it has samples."""
    return bool(pending[a] >= counts[a] and pending[a] >= 10)


def open_arms(view: View, counts: np.ndarray, pending: np.ndarray, left: int) -> list[int]:
    return [a for a in range(view.arms) if view.costs[a] <= left and not awaits(a, counts, pending)]


def only_watching(view: View, left: int) -> bool:
    """Whether the money left pays for no intervention, so that the observation is played to the end."""
    return view.observes and left < min(view.costs[1:])


def highest(view: View) -> float:
    return view.low + view.width if view.is_bounded else inf


def price(view: View, a: int) -> float:
    return float(view.costs[a]) / 1e6


def expected_samples(view: View, totals: Totals, pending: np.ndarray, a: int) -> float:
    """Pending rounds of the arm, and a pending observation as the share of the earlier observations that showed it."""
    return float(pending[a]) + (
        float(pending[0]) * totals.watched[a] / totals.watched[0] if view.observes and a > 0 else 0.0
    )


def watch_or_best(
    view: View,
    totals: Totals,
    values: dict[int, float],
    means: dict[int, float],
    taught: np.ndarray,
    evidence: np.ndarray,
    pending: np.ndarray,
    left: int,
    block: float,
) -> Choice:
    """The rule of causal-kl: watch if that saves more than it costs; otherwise take the best value.

    `taught` is the p_a with which the savings are weighted, `evidence` the number of samples that count for an arm.
    """
    if only_watching(view, left):
        return 0, left // int(view.costs[0])
    if view.observes and view.costs[0] <= left and not awaits(0, totals.counts, pending):
        v = max(means[a] / price(view, a) for a in means)
        saved = means[0] - price(view, 0) * v
        for a in range(1, view.arms):
            if totals.watched[a] > 0 and view.costs[a] <= left:
                saves = taught[a] * (price(view, a) * v - means[a])
                if abs(values[a] - v) < CLEAR < saves:
                    return None
                saved += saves if values[a] > v else 0.0
        if 1e-13 < saved < CLEAR:  # savings count from 1e-12 on; without an open arm they are 0, up to rounding
            return None
        if saved > CLEAR:
            return rare_or_observation(view, totals, values, means, evidence, pending, left, block)
    return best_of_open(view, totals.counts, values, pending, left, block)


def rare_or_observation(
    view: View,
    totals: Totals,
    values: dict[int, float],
    means: dict[int, float],
    evidence: np.ndarray,
    pending: np.ndarray,
    left: int,
    block: float,
) -> Choice:
    """Where watching pays: the arm that is too rare to wait for, or the observation. Pending pulls count as samples."""
    v = max(means[a] / price(view, a) for a in means)
    rounds = left // int(view.costs[0])
    waits = [min((totals.watched[0] + 1) / (totals.watched[a] + 1), rounds) for a in range(view.arms)]
    all_waits = sum(waits[a] for a in range(1, view.arms) if view.costs[a] <= left)
    quotients = {0: 1.0}
    for a in open_arms(view, totals.counts, pending, left):
        mean, goal = (evidence[a] * means.get(a, 0.0) + means[0]) / (evidence[a] + 1), price(view, a) * v
        if a > 0 and abs(values[a] - v) < CLEAR < goal - mean:
            return None
        if a > 0 and values[a] > v and goal - mean > CLEAR:
            n = evidence[a] + pending[a] + 1
            chance = exp(-n * divergence(view, mean, goal))
            lost = 0.1 / n * waits[a] / all_waits * price(view, 0) * chance * (values[a] - v) * waits[a]
            quotients[a] = lost / (goal - mean)
    arm = clear_best(quotients)
    return None if arm is None else (arm, 1 + int(block * totals.counts[arm]))


def divergence(view: View, mean: float, goal: float) -> float:
    """The relative entropy between two means, 0 where the goal is reached: of coins, or of normals."""
    share, wanted = (mean - view.low) / view.width, (goal - view.low) / view.width
    if not view.is_bounded:
        return 2 * max(wanted - share, 0.0) ** 2
    return kl(share, wanted) if wanted > share else 0.0


def best_of_open(
    view: View, counts: np.ndarray, values: dict[int, float], pending: np.ndarray, left: int, block: float
) -> Choice:
    arms = open_arms(view, counts, pending, left)
    if not arms:
        return 0, 0
    arm = clear_best({a: values[a] for a in arms})
    return None if arm is None else (arm, 1 + int(block * counts[arm]))


def causal_kl(view: View, totals: Totals, pending: np.ndarray, left: int, block: float) -> Choice:
    """U_a / c_a, where U_a = max{q : n KL(mu, q) <= log(T / n)}.

    n counts pending rounds, mu does not. Without any sample, mu is the middle of the range.
    """
    most = view.budget // int(min(view.costs))
    values, means = {}, {a: float(totals.sums[a] / totals.counts[a]) for a in range(view.arms) if totals.counts[a] > 0}
    for a in range(view.arms):
        n = totals.counts[a] + expected_samples(view, totals, pending, a)
        bound = (
            highest(view)
            if n == 0
            else entropy_bound(view, means.get(a, view.low + view.width / 2), max(log(most / n), 0.0) / n)
        )
        values[a] = bound / price(view, a)
    taught = totals.watched / max(totals.watched[0], 1)
    return watch_or_best(view, totals, values, means, taught, totals.counts, pending, left, block)


def entropy_bound(view: View, mean: float, level: float) -> float:
    """The largest q with KL(mean, q) <= level: for coins by bisection, for normals of variance 1/4 by a formula."""
    if not view.is_bounded:
        return mean + view.width * sqrt(level / 2)
    share = (mean - view.low) / view.width
    low, high = share, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if kl(share, middle) <= level else (low, middle)
    return view.low + view.width * low


def top_two(view: View, totals: Totals, pending: np.ndarray, left: int, block: float) -> Choice:
    """f_a(x) v_a / (n_a + 1) / c_a, where n_a and v_a count pending rounds.

    For the observation: the sum over arms of p_a f_a(x) v_a / (n_a + 1), divided by c_0.
    """
    if only_watching(view, left):
        return 0, left // int(view.costs[0])
    arms = range(view.arms)
    good = (totals.sums - totals.counts * view.low) / view.width
    top = max([(good[a] + 0.5) / (totals.counts[a] + 1) for a in arms if totals.counts[a] > 0], default=0.5)
    shown = [0.0] * view.arms  # p_a
    m, v, n = {}, {}, {}
    for a in arms:
        if view.observes:
            shown[a] = (
                1.0 if a == 0 else (totals.watched[a] + 0.5) / (totals.watched[0] + 1) if view.teaches[a] else 0.0
            )
        n[a] = totals.counts[a] + 8 + pending[a] + (shown[a] * pending[0] if a > 0 else 0.0)
        m[a] = float(good[a] + 8 * top) / (totals.counts[a] + 8)
        s = (good[a] + 4) / (totals.counts[a] + 8)
        v[a] = float(s * (1 - s) / (n[a] + 1))
        if a > 0 and totals.watched[a] > 0:
            v[a] *= 1 - shown[a] * totals.watched[a] / totals.counts[a]
    x = parting(m, v)
    nearest = min((x - m[a]) ** 2 / v[a] for a in arms)
    gain = {a: exp((nearest - (x - m[a]) ** 2 / v[a]) / 2) * sqrt(v[a]) / (n[a] + 1) for a in arms}
    values = {a: gain[a] / price(view, a) for a in arms}
    if view.observes:
        values[0] = sum(shown[a] * gain[a] for a in arms) / price(view, 0)
    values = {a: values[a] / max(values.values()) for a in arms}
    found = best_of_open(view, totals.counts, values, pending, left, block)
    return (
        found
        if found is None or found[1] == 0
        else (found[0], max(found[1], view.budget // (200 * int(view.costs[found[0]]))))
    )


def coins(view: View, totals: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """p (1 - p) with half a success and half a failure added; 1/4 for real rewards."""
    p = ((totals - numbers * view.low) / view.width + 1 / 2) / (numbers + 1)
    return p * (1 - p) if view.is_bounded else np.full(p.shape, 1 / 4)


def causal_ucb_learned(view: View, totals: Totals, pending: np.ndarray, left: int, block: float) -> Choice:
    """max{q : KL(mu_hat, q) <= e log(1 + t e)} / c, at most the highest reward per cost.

    Pending rounds count in t. They also make e smaller, by the factor m / (m + pending).
    """
    reward = totals.seen_reward / np.maximum(totals.seen, 1)
    b_of = coins(view, totals.seen_reward, totals.seen)
    t = totals.rounds + int(pending.sum())
    values, means, taught, evidence = {}, {}, np.zeros(view.arms), np.zeros(view.arms)
    for a in range(view.arms):
        m = int(totals.counts[a])
        if m == 0:
            values[a] = highest(view) / price(view, a)
            continue
        p = totals.shows[a] / m
        means[a] = float(p @ reward)
        b = float(coins(view, np.array([means[a] * m]), np.array([m]))[0])
        relative = float(p @ ((reward - means[a]) / view.width) ** 2) / b + 1 / m
        of_p = (min(relative, 1) if view.is_bounded else relative) / m
        of_rewards = float(sum(p[y] ** 2 * b_of[y] / totals.seen[y] for y in range(p.size) if p[y] > 0)) / b
        e = (of_p + of_rewards) * m / (m + expected_samples(view, totals, pending, a))
        values[a] = entropy_bound(view, means[a], e * log(1 + t * e)) / price(view, a)
        taught[a] = totals.watched[a] / max(totals.watched[0], 1) * of_p / (of_p + of_rewards)
        evidence[a] = 1 / (of_p + of_rewards)
    return watch_or_best(view, totals, values, means, taught, evidence, pending, left, block)


def causal_ucb(view: View, totals: Totals, pending: np.ndarray, left: int, block: float) -> Choice:
    """The best mixture of the joint set, per cost. No arm waits.

    Pending rounds count in t and, weighted by P(y | do(a)), in N_y.
    """
    arms = [a for a in range(view.arms) if view.costs[a] <= left]
    if not arms:
        return 0, 0
    overall = float(totals.seen_reward.sum()) / totals.rounds
    reward = [
        float(totals.seen_reward[y] / totals.seen[y]) if totals.seen[y] > 0 else overall
        for y in range(totals.seen.size)
    ]
    n, t = totals.seen + pending @ view.parents, totals.rounds + int(pending.sum())
    values = {}
    for a in arms:
        p = view.parents[a]
        if view.is_bounded:
            seen = [
                (float(p[y]), float(n[y]), (reward[y] - view.low) / view.width)
                for y in range(p.size)
                if n[y] > 0 and p[y] > 0
            ]
            share = float(p[n == 0].sum()) + best_mixture(
                seen, log(1 + t * sum(w**2 / number for w, number, _ in seen))
            )  # type: ignore[arg-type]
            values[a] = (view.low + view.width * share) / price(view, a)
        else:
            s = float((p**2 / np.maximum(n, 1)).sum())
            values[a] = (float(p @ reward) + view.width * sqrt(log(1 + t * s) * s / 2)) / price(view, a)
    arm = clear_best(values)
    return None if arm is None else (arm, 1 + int(block * totals.pulls[arm]))
