"""Random cases that a policy can play, and a driver that plays its four functions by hand."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from ..engine.streams import ASKS, KEYS, POLICY, RECOMMENDATION, RNG, SEED, key_of, start_run, start_stream
from ..errors import InputError
from ..policies.checks import accept
from ..policies.contract import Policy
from ..policies.records import Tally, View
from ..problem import Problem
from ..simulation.trace import Trace
from ..world import World
from ..worlds import random_world

TRIES = 500  # random problems that are offered to a policy before it counts as one that accepts none


@dataclass(frozen=True)
class Case:
    """A world, a problem and a policy that accepts it. `seed` is the seed of the simulations."""

    world: World
    problem: Problem
    policy: Policy
    seed: int = 0
    compiled: bool | None = None  # as in `simulate`


def random_case(
    policy: Policy, seed: int, rng: np.random.Generator | None = None, compiled: bool | None = None
) -> Case:
    """A random world and a problem that the policy accepts, with fractional costs and a small budget."""
    rng = np.random.default_rng(seed) if rng is None else rng
    refusal = "it was offered none"
    for attempt in range(TRIES):
        world = random_world(
            rng,
            variables=int(rng.integers(2, 6)),
            hidden=int(rng.integers(0, 2)),
            backdoors=bool(rng.integers(0, 2)),
            parents=int(rng.integers(1, 3)),
        )
        parents = world.graph["Y"].parents
        visible = [v.name for v in world.graph.variables if not v.hidden and v.name != "Y"]
        arms: list[Any] = [name for name in visible if name not in parents] if rng.integers(0, 2) else list(visible)
        pair = [name for name in visible if name not in parents][:2]
        if len(pair) == 2 and rng.integers(0, 2):  # an arm of two variables
            arms.append({name: world.graph[name].values[0] for name in pair})
        try:
            reveal = policy.reads == "parents" or attempt >= TRIES // 2
            problem = _random_problem(world, arms, rng, reveal)
            accept(policy, problem)
        except InputError as error:
            refusal = str(error)
            continue
        return Case(world, problem, policy, seed, compiled)
    raise AssertionError(f"{policy.label} accepts none of {TRIES} random problems; the last answer was: {refusal}")


def _random_problem(world: World, arms: list[Any], rng: np.random.Generator, reveal: bool) -> Problem:
    observe = bool(rng.integers(0, 3))
    if rng.integers(0, 4) == 0:
        return world.problem(horizon=int(rng.integers(1, 120)), arms=arms, observe=observe, reveal_parents=reveal)
    places = int(rng.integers(0, 4))
    number = len(world.problem(horizon=1, arms=arms, observe=observe).arms)
    cost = [f"{c:.{places}f}" for c in rng.uniform(0.6, 4, size=number)]
    budget = f"{rng.uniform(1, 150):.{places}f}"
    return world.problem(budget=budget, cost=cost, arms=arms, observe=observe, reveal_parents=reveal)


class Driver:
    """Plays the four functions of a policy as plain Python, with the random streams of a simulated run."""

    def __init__(self, case: Case, seed: int, run: int) -> None:
        self.case = case
        self.view: View = case.policy.view(case.problem)
        self.state = case.policy.init(self.view)
        self.pending = np.zeros(self.view.arms, np.int64)
        self.left = self.view.budget
        self.asks = 0
        self.keys = np.zeros(KEYS, np.uint64)
        self.keys[SEED], self.keys[POLICY] = key_of(f"seed {seed}"), case.policy.key
        start_run(self.keys, run)

    def ask(self) -> tuple[int, int]:
        """The next choice: an arm, and a count of rounds that the money can pay."""
        rng = np.zeros(RNG, np.uint64)
        start_stream(rng, self.keys, ASKS, self.asks)
        arm, count = self.case.policy.ask(self.view, self.state, self.pending, self.left, rng)
        return int(arm), int(min(count, self.left // self.view.costs[arm]))

    def hand_out(self, arm: int, count: int) -> None:
        """Reserve the money of a block. Its rounds are pending until they are told."""
        self.pending[arm] += count
        self.left -= count * int(self.view.costs[arm])
        self.asks += 1

    def tell(self, rounds: Trace, first: int, last: int) -> None:
        """Tell rounds first .. last - 1 of a trace, all of one arm."""
        arm = int(rounds.arms[first])
        self.pending[arm] -= last - first
        self.case.policy.tell(self.view, self.state, arm, tally_of(self.case, rounds, first, last))

    def recommend(self) -> int:
        """The arm that the policy recommends now."""
        rng = np.zeros(RNG, np.uint64)
        start_stream(rng, self.keys, RECOMMENDATION, 0)
        return int(self.case.policy.recommend(self.view, self.state, rng))

    def snapshot(self) -> bytes:
        """All that ask and recommend may not change: the state without its scratch memory, pending rounds, the view."""
        return pickle.dumps((_lasting(self.state), self.pending, _lasting(self.view)))


def _lasting(record: Any) -> Any:
    """The fields of a record but for its working memory."""
    if not is_dataclass(record):
        return record
    kept = [field.name for field in fields(record) if field.name != "scratch" and not field.name.startswith("by_")]
    return {name: getattr(record, name) for name in kept}


def tally_of(case: Case, rounds: Trace, first: int, last: int) -> Tally:
    """What rounds of a trace showed, counted from the values shown."""
    problem, rewards = case.problem, rounds.rewards[first:last]
    reads, arms = case.policy.reads, len(problem.arms)
    shown, shown_reward = (np.zeros(arms if reads == "arms" else 0, kind) for kind in (np.int64, np.float64))
    seen, seen_reward, both = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 0), np.int64)
    if reads in ("parents", "both"):
        configurations, number = configurations_of(case, rounds)[first:last], problem.configurations
        seen = np.bincount(configurations, minlength=number)
        seen_reward = np.bincount(configurations, weights=rewards, minlength=number)
        both = np.zeros((arms, number) if reads == "both" else (0, 0), np.int64)
    if reads in ("arms", "both") and problem.observes and rounds.arms[first] == 0:
        for a, intervention in enumerate(problem.arms):
            if problem.backdoor_paths[a] is None:
                holds = np.array(
                    [all(rounds.shown[n][r] == v for n, v in intervention.items()) for r in range(first, last)]
                )
                if reads == "arms":
                    shown[a], shown_reward[a] = holds.sum(), rewards[holds].sum()
                else:
                    both[a] = np.bincount(configurations[holds], minlength=number)
    return Tally(last - first, float(rewards.sum()), shown, shown_reward, seen, seen_reward, both)


def configurations_of(case: Case, rounds: Trace) -> np.ndarray:
    """The configuration of the reward's parents in every round."""
    graph = case.world.graph
    number = np.zeros(len(rounds), np.int64)
    for name in graph[case.problem.reward.variable].parents:
        values = list(graph[name].values)
        number = number * len(values) + np.array([values.index(v) for v in rounds.shown[name]], np.int64)
    return number
