"""Random worlds and problems that a given policy can play, and a driver that plays a policy by hand."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import causalbandits as cb
from causalbandits.engine.streams import ASKS, KEYS, POLICY, RECOMMENDATION, RNG, SEED, key_of, start_run, start_stream
from causalbandits.policies.checks import accept
from causalbandits.policies.view import View


@dataclass(frozen=True)
class Case:
    world: cb.World
    problem: cb.Problem
    policy: cb.Policy


def random_case(kind: str, seed: int) -> Case:
    """A random world and problem, with fractional costs and a small budget, that the policy accepts: tried until one is."""
    rng = np.random.default_rng(seed)
    kind_of_policy = cb.policies.REGISTRY[kind]
    changed = {
        name: value * float(rng.choice([1, 1, 0.5, 4]))
        for name, value in kind_of_policy().parameters.items()
        if isinstance(value, float)
    }
    policy = kind_of_policy(**changed, name=kind)
    for _ in range(500):
        world = cb.worlds.random_world(
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
            problem = _random_problem(world, arms, rng, reveal=policy.reads.name == "parents")
            accept(policy, problem)
        except cb.InputError:
            continue
        return Case(world, problem, policy)
    raise AssertionError(f"no random problem was found that {kind} accepts")


def _random_problem(world: cb.World, arms: list[Any], rng: np.random.Generator, reveal: bool) -> cb.Problem:
    observe = bool(rng.integers(0, 3))
    if rng.integers(0, 4) == 0:
        return world.problem(horizon=int(rng.integers(1, 120)), arms=arms, observe=observe, reveal_parents=reveal)
    places = int(rng.integers(0, 4))
    number = len(world.problem(horizon=1, arms=arms, observe=observe).arms)
    cost = [f"{c:.{places}f}" for c in rng.uniform(0.6, 4, size=number)]
    budget = f"{rng.uniform(1, 150):.{places}f}"
    return world.problem(budget=budget, cost=cost, arms=arms, observe=observe, reveal_parents=reveal)


class Driver:
    """Plays a policy's four functions as plain Python, from the streams of a simulated run."""

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
        """The next choice, with its count clipped to what the money pays."""
        rng = np.zeros(RNG, np.uint64)
        start_stream(rng, self.keys, ASKS, self.asks)
        arm, count = self.case.policy.ask(self.view, self.state, self.pending, self.left, rng)
        return int(arm), int(min(count, self.left // self.view.costs[arm]))

    def hand_out(self, arm: int, count: int) -> None:
        """Reserve the money of a block; its rounds are pending until they are told."""
        self.pending[arm] += count
        self.left -= count * int(self.view.costs[arm])
        self.asks += 1

    def tell(self, trace: cb.Trace, first: int, last: int) -> None:
        """Tell rounds first .. last - 1 of a trace, all of one arm."""
        arm = int(trace.arms[first])
        self.pending[arm] -= last - first
        self.case.policy.tell(self.view, self.state, arm, tally_of(self.case, trace, first, last))

    def recommend(self) -> int:
        rng = np.zeros(RNG, np.uint64)
        start_stream(rng, self.keys, RECOMMENDATION, 0)
        return int(self.case.policy.recommend(self.view, self.state, rng))

    def snapshot(self) -> bytes:
        """All that ask and recommend may not change: the view, the pending rounds, and the state but for its scratch."""
        kept = {f.name: getattr(self.state, f.name) for f in fields(self.state) if not f.name.startswith("scratch")}
        return pickle.dumps((kept, self.pending, self.view))


def tally_of(case: Case, trace: cb.Trace, first: int, last: int) -> Any:
    """What rounds of a trace showed, counted anew from the values shown."""
    problem, rewards = case.problem, trace.rewards[first:last]
    reads, arms = case.policy.reads.name, len(problem.arms)
    shown, shown_reward = (np.zeros(arms if reads == "arms" else 0, kind) for kind in (np.int64, np.float64))
    seen, seen_reward, both = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 0), np.int64)
    if reads in ("parents", "both"):
        configurations, number = configurations_of(case, trace)[first:last], problem.configurations
        seen = np.bincount(configurations, minlength=number)
        seen_reward = np.bincount(configurations, weights=rewards, minlength=number)
        both = np.zeros((arms, number) if reads == "both" else (0, 0), np.int64)
    if reads in ("arms", "both") and problem.observes and trace.arms[first] == 0:
        for a, intervention in enumerate(problem.arms):
            if problem.backdoor_paths[a] is None:
                holds = np.array(
                    [all(trace.shown[n][r] == v for n, v in intervention.items()) for r in range(first, last)]
                )
                if reads == "arms":
                    shown[a], shown_reward[a] = holds.sum(), rewards[holds].sum()
                else:
                    both[a] = np.bincount(configurations[holds], minlength=number)
    counted = {
        "shown": shown,
        "shown_reward": shown_reward,
        "seen": seen,
        "seen_reward": seen_reward,
        "shown_seen": both,
    }
    tally = case.policy.reads.tally(problem)
    columns = {field.name: counted[field.name] for field in fields(tally) if field.name in counted}
    return replace(tally, rounds=last - first, reward=float(rewards.sum()), **columns)


def configurations_of(case: Case, trace: cb.Trace) -> np.ndarray:
    """The configuration of the reward's parents in every round."""
    graph = case.world.graph
    number = np.zeros(len(trace), np.int64)
    for name in graph[case.problem.reward.variable].parents:
        values = list(graph[name].values)
        number = number * len(values) + np.array([values.index(v) for v in trace.shown[name]], np.int64)
    return number
