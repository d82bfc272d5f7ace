"""Pending rounds in a choice: `ask` against the slow versions in oracles/pending.py.

States and pending rounds are made up. A policy is told some tallies, then any rounds may be pending.
If there is an observation, at least one was told.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.streams import RNG
from causalbandits.policies.view import View

from ..oracles.pending import Choice, Totals, causal_kl, causal_ucb, causal_ucb_learned, top_two

STATES = 150  # per policy and kind of reward
VALUES = {"binary": ("0", "1"), "bounded": ("-2", "1", "4")}


def random_world(rng: np.random.Generator, reward: str) -> cb.World:
    """A world with or without backdoor paths. With real rewards X has one, through Z, and W has none."""
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
        budget=int(rng.choice([300, 1000, 5000])),
        cost=cost,
        observe=observe,
        reveal_parents=policy.reads.name == "parents",
    )
    return policy.view(problem)


def rewards_of(rng: np.random.Generator, numbers: np.ndarray, means: np.ndarray, view: View) -> np.ndarray:
    """The sums of these numbers of rewards, whose means are in [0, 1] before they are scaled to the range.

    Real rewards are scaled to [-2, 2]. There is little noise, so arms stay close to each other.
    """
    noise = 0.2 * np.sqrt(numbers) * rng.normal(size=numbers.shape)
    if view.is_bounded:
        return view.low * numbers + view.width * np.rint(numbers * means + noise).clip(0, numbers)
    return numbers * (4 * means - 2) + noise


def tell(
    rng: np.random.Generator,
    policy: cb.Policy,
    view: View,
    state: Any,
    totals: Totals,
    arm: int,
    rounds: int,
    by_arm: Any,
    by_seen: Any,
) -> None:
    """Tell the policy a made-up tally, and add it to the totals."""
    seen = rng.multinomial(rounds, rng.dirichlet(np.ones(totals.seen.size)))
    seen_reward = rewards_of(rng, seen, by_seen, view)
    samples = np.zeros((view.arms, seen.size), np.int64)  # by arm and configuration
    watching = view.observes and arm == 0
    if watching:
        samples[:] = rng.binomial(seen, rng.uniform(0, 0.9, (view.arms, 1)) * view.teaches[:, None])
    samples[arm] = seen
    shown = samples.sum(axis=1)
    rewards = rewards_of(rng, shown, by_arm, view)
    totals.rounds += rounds
    totals.pulls[arm] += rounds
    totals.counts += shown
    totals.sums += rewards
    totals.watched += shown * watching
    totals.shows += samples
    totals.seen += seen
    totals.seen_reward += seen_reward
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


def random_state(rng: np.random.Generator, policy: cb.Policy, view: View, configurations: int) -> tuple[Any, Totals]:
    """A state that knows some arms well and some little.

    Sometimes an arm has no sample, but not with real rewards, because their range has no middle.
    """
    state, arms = policy.init(view), view.arms
    whole, real = (lambda *shape: np.zeros(shape, np.int64)), np.zeros
    totals = Totals(
        0,
        whole(arms),
        whole(arms),
        real(arms),
        whole(arms),
        whole(arms, configurations),
        whole(configurations),
        real(configurations),
    )
    spread = rng.choice([0.01, 0.05, 0.5])
    by_arm, by_seen = 0.6 + spread * rng.uniform(-0.3, 0.3, arms), 0.5 + spread * rng.uniform(-1, 1, configurations)
    most = int(rng.choice([6, 30, 100]))
    if view.observes:
        tell(rng, policy, view, state, totals, 0, int(rng.integers(1, 3 * most)), by_arm, by_seen)
    unknown = int(rng.integers(1, arms)) if view.is_bounded and rng.integers(3) == 0 else -1
    for a in range(arms):
        if a != unknown and (totals.counts[a] == 0 or rng.integers(2)):
            tell(rng, policy, view, state, totals, a, int(rng.integers(1, most)), by_arm, by_seen)
    return state, totals


def random_pending(rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
    """Pending rounds of each arm: none, few, about as many as its samples, or so many that it waits."""
    most = np.maximum(counts, 9) * rng.choice([0.3, 1.0, 1.0, 1.3], counts.size)
    return rng.integers(0, most.astype(np.int64) + 1) * rng.integers(0, 2, counts.size)


def first_alone(rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
    """Pending rounds of the first arm alone, from half of its samples up to all of them.

    These are too few for the arm to wait. The first arm is the observation, if there is one.
    """
    known = max(int(counts[0]), 10)
    return np.where(np.arange(counts.size) == 0, rng.integers(known // 2, known), 0)


Rule = Callable[[View, Totals, np.ndarray, int, float], Choice]
CASES: list[tuple[type[cb.Policy], Rule, str]] = [
    *((cb.CausalKL, causal_kl, reward) for reward in ("binary", "bounded", "real")),
    *((cb.TopTwo, top_two, reward) for reward in ("binary", "bounded")),
    *((cb.CausalUCBLearned, causal_ucb_learned, reward) for reward in ("binary", "bounded", "real")),
    *((cb.CausalUCB, causal_ucb, reward) for reward in ("binary", "bounded", "real")),
]


@pytest.mark.parametrize(("kind", "rule", "reward"), CASES, ids=[f"{kind.kind} {reward}" for kind, _, reward in CASES])
def test_a_choice_counts_pending_rounds_as_the_policy_says(kind: type[cb.Policy], rule: Rule, reward: str) -> None:
    """Ask with nothing pending, twice with random pending rounds, and once with pending observations only.

    The pending rounds must change the choice often enough.
    """
    rng, policy = np.random.default_rng(1), kind()
    block = policy.parameters["block"]
    compared = moved = moved_by_watching = 0
    for _ in range(STATES):
        view = random_view(rng, policy, reward)
        state, totals = random_state(rng, policy, view, max(configurations_of(policy, view), 1))
        left = int(rng.uniform(0, view.budget) if rng.integers(10) else rng.uniform(0, 2.5 * view.highest_cost))
        nothing, some, others = (
            np.zeros_like(totals.counts),
            random_pending(rng, totals.counts),
            random_pending(rng, totals.counts),
        )
        chosen = []
        for pending in (nothing, some, others, first_alone(rng, totals.counts)):
            chosen.append(rule(view, totals, pending, left, block))
            if chosen[-1] is not None:
                arm, count = policy.ask(view, state, pending, left, np.zeros(RNG, np.uint64))
                assert (arm, count) == chosen[-1], f"{totals}, pending {pending}, left {left}"
                compared += 1
        decides = [None not in (chosen[0], choice) and choice != chosen[0] for choice in chosen[1:]]
        moved += sum(decides[:2])
        moved_by_watching += view.observes and decides[2]
    assert compared > 0.95 * 4 * STATES
    assert moved > 0.15 * STATES
    assert moved_by_watching > 0.03 * STATES  # where an arm is too rare to wait for, pending observations decide less
