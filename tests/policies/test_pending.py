"""How pending rounds enter a choice: what the heads of the policies' modules say, in plain numbers, against what `ask` answers.

States and pending rounds are made up: some tallies are told, then any rounds may be pending. With an observation, one at least was told.
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

from ..oracles.pending import Choice, Told, causal_kl, causal_ucb, causal_ucb_learned, top_two

STATES = 150  # per policy and kind of reward


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
        budget=int(rng.choice([300, 1000, 5000])),
        cost=cost,
        observe=observe,
        reveal_parents=policy.reads.name == "parents",
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
