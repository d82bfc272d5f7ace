"""How pending rounds enter a choice: what the heads of the policies' modules say, in plain numbers, against what `ask` answers.

States and pending rounds are made up: some tallies are told, then any rounds may be pending. With an observation, one at least was told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.streams import RNG
from causalbandits.policies.view import View

from ..oracles.causal_kl import kl
from ..oracles.causal_ucb import best_mixture
from ..oracles.top_two import parting

CLEAR = 1e-7  # a choice is compared where it is decided by more than this
STATES = 150  # per policy and kind of reward
Choice = tuple[int, int] | None  # an arm and its rounds; None where rounding may decide


@dataclass
class Told:
    """What was told, added up."""

    rounds: int
    pulls: np.ndarray  # (arms,) rounds of each arm, whatever they showed
    counts: np.ndarray  # (arms,) effective samples
    sums: np.ndarray  # (arms,) the reward there
    watched: np.ndarray  # (arms,) those of them that are observations
    shows: np.ndarray  # (arms, configurations) the effective samples by configuration
    seen: np.ndarray  # (configurations,) rounds
    seen_reward: np.ndarray  # (configurations,) the reward there


# What each arm is worth, and what is chosen.


def clear_best(values: dict[int, float]) -> int | None:
    """The arm of the largest value; None if another one is near."""
    first, *others = sorted(values, key=lambda a: -values[a])
    return (
        None if others and not values[first] - values[others[0]] > CLEAR * max(1.0, abs(values[others[0]])) else first
    )


def awaits(a: int, counts: np.ndarray, pending: np.ndarray) -> bool:
    """An arm with as many pending rounds as are known of it, and ten, waits."""
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


def expected_samples(view: View, told: Told, pending: np.ndarray, a: int) -> float:
    """Pending rounds of the arm, and a pending observation as the share of those told that showed it."""
    return float(pending[a]) + (
        float(pending[0]) * told.watched[a] / told.watched[0] if view.observes and a > 0 else 0.0
    )


def watch_or_best(
    view: View,
    told: Told,
    values: dict[int, float],
    means: dict[int, float],
    taught: np.ndarray,
    pending: np.ndarray,
    left: int,
    block: float,
) -> Choice:
    """The rule of causal-kl: watch if that saves more than it costs, else the best value; `taught` is p_a for what is saved."""
    if only_watching(view, left):
        return 0, left // int(view.costs[0])
    if view.observes and view.costs[0] <= left and not awaits(0, told.counts, pending):
        v = max(means[a] / price(view, a) for a in means)
        saved = means[0] - price(view, 0) * v
        for a in range(1, view.arms):
            if told.watched[a] > 0 and view.costs[a] <= left:
                saves = taught[a] * (price(view, a) * v - means[a])
                if abs(values[a] - v) < CLEAR < saves:
                    return None
                saved += saves if values[a] > v else 0.0
        if 1e-13 < saved < CLEAR:  # from 1e-12 on it counts; where no arm is open it is 0 but for rounding
            return None
        if saved > CLEAR:
            return 0, 1 + int(block * told.counts[0])
    return best_of_open(view, told.counts, values, pending, left, block)


def best_of_open(
    view: View, counts: np.ndarray, values: dict[int, float], pending: np.ndarray, left: int, block: float
) -> Choice:
    arms = open_arms(view, counts, pending, left)
    if not arms:
        return 0, 0
    arm = clear_best({a: values[a] for a in arms})
    return None if arm is None else (arm, 1 + int(block * counts[arm]))


def causal_kl(view: View, told: Told, pending: np.ndarray, left: int, block: float) -> Choice:
    """U_a / c_a, U_a = max{q : n KL(mu, q) <= log(T / n)}, n with what is pending; mu without, the middle of the range where nothing is known."""
    most = view.budget // int(min(view.costs))
    values, means = {}, {a: float(told.sums[a] / told.counts[a]) for a in range(view.arms) if told.counts[a] > 0}
    for a in range(view.arms):
        n = told.counts[a] + expected_samples(view, told, pending, a)
        bound = (
            highest(view)
            if n == 0
            else entropy_bound(view, means.get(a, view.low + view.width / 2), max(log(most / n), 0.0) / n)
        )
        values[a] = bound / price(view, a)
    taught = told.watched / max(told.watched[0], 1)
    return watch_or_best(view, told, values, means, taught, pending, left, block)


def entropy_bound(view: View, mean: float, level: float) -> float:
    """The largest q with KL(mean, q) <= level: of coins by bisection, of normals with variance 1/4 by its formula."""
    if not view.is_bounded:
        return mean + sqrt(level / 2)
    share = (mean - view.low) / view.width
    low, high = share, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if kl(share, middle) <= level else (low, middle)
    return view.low + view.width * low


def top_two(view: View, told: Told, pending: np.ndarray, left: int, block: float) -> Choice:
    """f_a(x) v_a / (n_a + 1) / c_a, n_a and v_a with what is pending; the observation the sum over arms with p_a, / c_0."""
    if only_watching(view, left):
        return 0, left // int(view.costs[0])
    arms = range(view.arms)
    good = (told.sums - told.counts * view.low) / view.width
    top = max([(good[a] + 0.5) / (told.counts[a] + 1) for a in arms if told.counts[a] > 0], default=0.5)
    shown = [0.0] * view.arms  # p_a
    m, v, n = {}, {}, {}
    for a in arms:
        if view.observes:
            shown[a] = 1.0 if a == 0 else (told.watched[a] + 0.5) / (told.watched[0] + 1) if view.teaches[a] else 0.0
        n[a] = told.counts[a] + 8 + pending[a] + (shown[a] * pending[0] if a > 0 else 0.0)
        m[a] = float(good[a] + 8 * top) / (told.counts[a] + 8)
        s = (good[a] + 4) / (told.counts[a] + 8)
        v[a] = float(s * (1 - s) / (n[a] + 1))
        if a > 0 and told.watched[a] > 0:
            v[a] *= 1 - shown[a] * told.watched[a] / told.counts[a]
    x = parting(m, v)
    nearest = min((x - m[a]) ** 2 / v[a] for a in arms)
    gain = {a: exp((nearest - (x - m[a]) ** 2 / v[a]) / 2) * sqrt(v[a]) / (n[a] + 1) for a in arms}
    values = {a: gain[a] / price(view, a) for a in arms}
    if view.observes:
        values[0] = sum(shown[a] * gain[a] for a in arms) / price(view, 0)
    values = {a: values[a] / max(values.values()) for a in arms}
    found = best_of_open(view, told.counts, values, pending, left, block)
    return (
        found
        if found is None or found[1] == 0
        else (found[0], max(found[1], view.budget // (200 * int(view.costs[found[0]]))))
    )


def causal_ucb_learned(view: View, told: Told, pending: np.ndarray, left: int, block: float) -> Choice:
    """(mu_hat + width sqrt(e log(1 + t e) / 2)) / c, at most the highest reward; pending rounds are in t, and e falls with m / (m + pending)."""
    reward = told.seen_reward / np.maximum(told.seen, 1)
    t = told.rounds + int(pending.sum())
    values, means, taught = {}, {}, np.zeros(view.arms)
    for a in range(view.arms):
        m = int(told.counts[a])
        if m == 0:
            values[a] = highest(view) / price(view, a)
            continue
        p = told.shows[a] / m
        means[a] = float(p @ reward)
        variance = float(p @ ((reward - means[a]) / view.width) ** 2) + 1 / (4 * m)
        of_p = 4 * (min(variance, 1 / 4) if view.is_bounded else variance) / m
        of_rewards = float(sum(p[y] ** 2 / told.seen[y] for y in range(p.size) if p[y] > 0))
        e = (of_p + of_rewards) * m / (m + expected_samples(view, told, pending, a))
        values[a] = min(means[a] + view.width * sqrt(e * log(1 + t * e) / 2), highest(view)) / price(view, a)
        taught[a] = told.watched[a] / max(told.watched[0], 1) * of_p / (of_p + of_rewards)
    return watch_or_best(view, told, values, means, taught, pending, left, block)


def causal_ucb(view: View, told: Told, pending: np.ndarray, left: int, block: float) -> Choice:
    """The best mixture of the joint set, / c_a; pending rounds are in t and, by P(y | do(a)), in N_y. Nothing waits."""
    arms = [a for a in range(view.arms) if view.costs[a] <= left]
    if not arms:
        return 0, 0
    overall = float(told.seen_reward.sum()) / told.rounds
    reward = [float(told.seen_reward[y] / told.seen[y]) if told.seen[y] > 0 else overall for y in range(told.seen.size)]
    n, t = told.seen + pending @ view.parents, told.rounds + int(pending.sum())
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
            values[a] = (float(p @ reward) + sqrt(log(1 + t * s) * s / 2)) / price(view, a)
    arm = clear_best(values)
    return None if arm is None else (arm, 1 + int(block * told.pulls[arm]))


# Made-up problems and states.

VALUES = {"binary": ("0", "1"), "bounded": ("-2", "1", "4")}


def random_world(rng: np.random.Generator, reward: str) -> cb.World:
    """With and without backdoors; where rewards are real X has one, by Z, and W has none."""
    if reward == "real":
        x = cb.node("X", [0, 1], given="Z", table={0: 0.3, 1: 0.6})
        return cb.World(
            [
                cb.node("Z", {0: 0.5, 1: 0.5}),
                x,
                cb.node("W", {0: 0.5, 1: 0.5}),
                cb.linear("Y", {"Z": 1, "X": 1, "W": 1}, noise=1),
            ],
            reward="Y",
        )
    return cb.worlds.random_world(
        rng, variables=3, values=(2, 2), parents=2, backdoors=bool(rng.integers(2)), reward=VALUES[reward]
    )


def random_view(rng: np.random.Generator, policy: cb.Policy, reward: str) -> View:
    world, observe = random_world(rng, reward), bool(rng.integers(4))
    arms = len(world.problem(horizon=1, observe=observe).arms)
    cost = [f"{c:.3f}" for c in rng.uniform(0.99, 1.01, arms) * (rng.uniform(0.5, 2) if rng.integers(2) else 1)]
    if observe:
        cost[0] = f"{rng.uniform(0.7, 2):.3f}"
    problem = world.problem(
        budget=int(rng.choice([300, 1000, 5000])), cost=cost, observe=observe, reveal_parents=policy.reads.name == "parents"
    )
    return policy.view(problem)


def rewards_of(rng: np.random.Generator, numbers: np.ndarray, means: np.ndarray, view: View) -> np.ndarray:
    """The sum of so many rewards with a mean in [0, 1], scaled to the range; of real ones between -2 and 2. Little noise keeps arms close."""
    noise = 0.2 * np.sqrt(numbers) * rng.normal(size=numbers.shape)
    if view.is_bounded:
        return view.low * numbers + view.width * np.rint(numbers * means + noise).clip(0, numbers)
    return numbers * (4 * means - 2) + noise


def tell(
    rng: np.random.Generator,
    policy: cb.Policy,
    view: View,
    state: Any,
    told: Told,
    arm: int,
    rounds: int,
    by_arm: Any,
    by_seen: Any,
) -> None:
    """Tell a made-up tally, and add it up."""
    seen = rng.multinomial(rounds, rng.dirichlet(np.ones(told.seen.size)))
    seen_reward = rewards_of(rng, seen, by_seen, view)
    samples = np.zeros((view.arms, seen.size), np.int64)  # by arm and configuration
    watching = view.observes and arm == 0
    if watching:
        samples[:] = rng.binomial(seen, rng.uniform(0, 0.9, (view.arms, 1)) * view.teaches[:, None])
    samples[arm] = seen
    shown = samples.sum(axis=1)
    rewards = rewards_of(rng, shown, by_arm, view)
    told.rounds += rounds
    told.pulls[arm] += rounds
    told.counts += shown
    told.sums += rewards
    told.watched += shown * watching
    told.shows += samples
    told.seen += seen
    told.seen_reward += seen_reward
    nothing = np.zeros_like
    columns = {
        "shown": shown if watching else nothing(shown),
        "shown_reward": rewards if watching else nothing(rewards),
        "seen": seen,
        "seen_reward": seen_reward,
        "shown_seen": samples if watching else nothing(samples),
    }
    tally = SimpleNamespace(rounds=rounds, reward=float(rewards[arm]), **columns)
    policy.tell(view, state, arm, tally)


def configurations_of(policy: cb.Policy, view: View) -> int:
    """The number of configurations that the policy counts."""
    return view.configurations if policy.reads.name in ("parents", "both") else 0


def random_state(rng: np.random.Generator, policy: cb.Policy, view: View, configurations: int) -> tuple[Any, Told]:
    """Some arms told well and some little; now and then one not at all, but for real rewards, which have no range with a middle."""
    state, arms = policy.init(view), view.arms
    whole, real = (lambda *shape: np.zeros(shape, np.int64)), np.zeros
    told = Told(
        0,
        whole(arms),
        whole(arms),
        real(arms),
        whole(arms),
        whole(arms, configurations),
        whole(configurations),
        real(configurations),
    )
    apart = rng.choice([0.01, 0.05, 0.5])
    by_arm, by_seen = 0.6 + apart * rng.uniform(-0.3, 0.3, arms), 0.5 + apart * rng.uniform(-1, 1, configurations)
    most = int(rng.choice([6, 30, 100]))
    if view.observes:
        tell(rng, policy, view, state, told, 0, int(rng.integers(1, 3 * most)), by_arm, by_seen)
    unknown = int(rng.integers(1, arms)) if view.is_bounded and rng.integers(3) == 0 else -1
    for a in range(arms):
        if a != unknown and (told.counts[a] == 0 or rng.integers(2)):
            tell(rng, policy, view, state, told, a, int(rng.integers(1, most)), by_arm, by_seen)
    return state, told


def random_pending(rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
    """Of each arm none, few, about as many as are known, or enough to wait for."""
    most = np.maximum(counts, 9) * rng.choice([0.3, 1.0, 1.0, 1.3], counts.size)
    return rng.integers(0, most.astype(np.int64) + 1) * rng.integers(0, 2, counts.size)


def first_alone(rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
    """Of the first arm, the observation if there is one, from a half of what is known up to all of it, less than what it waits for."""
    known = max(int(counts[0]), 10)
    return np.where(np.arange(counts.size) == 0, rng.integers(known // 2, known), 0)


Statement = Callable[[View, Told, np.ndarray, int, float], Choice]
CASES: list[tuple[type[cb.Policy], Statement, str]] = [
    *((cb.CausalKL, causal_kl, reward) for reward in ("binary", "bounded", "real")),
    *((cb.TopTwo, top_two, reward) for reward in ("binary", "bounded")),
    *((cb.CausalUCBLearned, causal_ucb_learned, reward) for reward in ("binary", "bounded", "real")),
    *((cb.CausalUCB, causal_ucb, reward) for reward in ("binary", "bounded", "real")),
]


@pytest.mark.parametrize(
    ("kind", "statement", "reward"), CASES, ids=[f"{kind.kind} {reward}" for kind, _, reward in CASES]
)
def test_a_choice_counts_pending_rounds_as_the_policy_says(
    kind: type[cb.Policy], statement: Statement, reward: str
) -> None:
    """Asked with nothing pending, twice with any rounds pending, and once with none but observations: often enough it is these that decide."""
    rng, policy = np.random.default_rng(1), kind()
    block = policy.parameters["block"]
    compared = moved = moved_by_watching = 0
    for _ in range(STATES):
        view = random_view(rng, policy, reward)
        state, told = random_state(rng, policy, view, max(configurations_of(policy, view), 1))
        left = int(rng.uniform(0, view.budget) if rng.integers(10) else rng.uniform(0, 2.5 * view.highest_cost))
        nothing, some, others = (
            np.zeros_like(told.counts),
            random_pending(rng, told.counts),
            random_pending(rng, told.counts),
        )
        chosen = []
        for pending in (nothing, some, others, first_alone(rng, told.counts)):
            chosen.append(statement(view, told, pending, left, block))
            if chosen[-1] is not None:
                arm, count = policy.ask(view, state, pending, left, np.zeros(RNG, np.uint64))
                assert (arm, count) == chosen[-1], f"{told}, pending {pending}, left {left}"
                compared += 1
        decides = [None not in (chosen[0], choice) and choice != chosen[0] for choice in chosen[1:]]
        moved += sum(decides[:2])
        moved_by_watching += view.observes and decides[2]
    assert compared > 0.95 * 4 * STATES
    assert moved > 0.15 * STATES
    assert moved_by_watching > 0.05 * STATES
