"""Random cases that a policy can play, and a driver that plays its four functions by hand."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from ..engine.streams import ASKS, KEYS, POLICY, RECOMMENDATION, RNG, SEED, key_of, start_run, start_stream
from ..errors import InputError, check_kind
from ..policies.answers import checked_answer, checked_recommendation
from ..policies.checks import accept
from ..policies.columns import PARENTS, columns_named
from ..policies.contract import Policy
from ..policies.view import View
from ..problem import Problem
from ..simulation.arguments import check_options, whole_number
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
    check_kind("The policy", policy, Policy, "an instance such as MyPolicy()")
    seed = whole_number("seed", seed, 0)
    check_options(compiled=compiled)
    rng = np.random.default_rng(seed) if rng is None else rng
    check_kind("The rng", rng, np.random.Generator, "a generator such as np.random.default_rng(1)")
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
            reveal = columns_named(policy.reads) is PARENTS or attempt >= TRIES // 2
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
        self.columns = columns_named(case.policy.reads)
        self._variables = case.problem.graph.variables
        places = {variable.name: place for place, variable in enumerate(self._variables)}
        self._layout = self.columns.layout(case.problem, places)

    def ask(self) -> tuple[int, int]:
        """The next choice: an arm, and a count of rounds that the money can pay."""
        rng = np.zeros(RNG, np.uint64)
        start_stream(rng, self.keys, ASKS, self.asks)
        answer = self.case.policy.ask(self.view, self.state, self.pending, self.left, rng)
        arm, count = checked_answer(self.case.policy, answer, self.view.arms, bool(self.pending.any()))
        return arm, int(min(count, self.left // self.view.costs[arm]))

    def hand_out(self, arm: int, count: int) -> None:
        """Reserve the money of a block. Its rounds are pending until they are told."""
        self.pending[arm] += count
        self.left -= count * int(self.view.costs[arm])
        self.asks += 1

    def tell(self, rounds: Trace, first: int, last: int) -> None:
        """Tell rounds first .. last - 1 of a trace, all of one arm."""
        arm = int(rounds.arms[first])
        self.pending[arm] -= last - first
        self.case.policy.tell(self.view, self.state, arm, self.tally(rounds, first, last))

    def tally(self, rounds: Trace, first: int, last: int) -> Any:
        """What rounds first .. last - 1 of a trace showed."""
        tally = self.columns.tally(self.case.problem)
        tally.rounds, tally.reward = last - first, float(rounds.rewards[first:last].sum())
        for r in range(first, last):
            values = [self._number(place, rounds, r) for place in range(len(self._variables))]
            self.columns.add(self._layout, tally, int(rounds.arms[r]), values, rounds.rewards[r])
        return tally

    def _number(self, place: int, rounds: Trace, r: int) -> int:
        """The number of a variable's value in a round; -1 for one that is hidden or has no list of values."""
        variable = self._variables[place]
        shown = rounds.shown.get(variable.name) if variable.values else None
        return -1 if shown is None else variable.values.index(str(shown[r]))

    def recommend(self) -> int:
        """The arm that the policy recommends now."""
        rng = np.zeros(RNG, np.uint64)
        start_stream(rng, self.keys, RECOMMENDATION, 0)
        answer = self.case.policy.recommend(self.view, self.state, rng)
        return checked_recommendation(self.case.policy, answer, self.view.arms)

    def snapshot(self) -> bytes:
        """All that ask and recommend may not change: the state without its scratch memory, pending rounds, the view."""
        return pickle.dumps((_lasting(self.state), self.pending, _lasting(self.view)))

    def spoil_scratch(self) -> None:
        """Overwrite the scratch memory of the state: it must mean nothing between two calls."""
        for name in _scratch(self.state):
            memory = getattr(self.state, name)
            if isinstance(memory, np.ndarray):
                memory.fill(np.nan if memory.dtype.kind == "f" else 1)


def _scratch(record: Any) -> list[str]:
    """The names of the fields that are working memory: `scratch...`, and in views of version 0.1 `by_...`."""
    names = [field.name for field in fields(record)] if is_dataclass(record) else []
    return [name for name in names if name.startswith("scratch") or (isinstance(record, View) and name[:3] == "by_")]


def _lasting(record: Any) -> Any:
    """What a record holds but for its working memory."""
    if not is_dataclass(record):
        return record
    scratch = _scratch(record)
    return {field.name: getattr(record, field.name) for field in fields(record) if field.name not in scratch}
