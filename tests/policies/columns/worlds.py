"""Worlds and a policy for tests of what is counted."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

import causalbandits as cb

COUNTS = (1, 3, 15, 16, 64, 65, 100, 1024, 1500)  # rounds of a block: one by one, in bulk, more than a chunk
REWARDS = ("binary", "success of three", "zero or one", "bounded", "real")


def world_of(hidden: int, seed: int, reward: str = "binary") -> cb.World:
    """A random world with six variables of two to four values, and the reward Y of this kind."""
    rng = np.random.default_rng([17, hidden, seed])
    values = {"success of three": ("1", "2", "3"), "bounded": ("-1", "0.5", "2")}.get(reward, ("0", "1"))
    world = cb.worlds.random_world(rng, variables=6, values=(2, 4), parents=3, hidden=hidden, reward=values)
    if reward == "real":
        *others, last = world.nodes
        weights = {name: float(rng.normal()) for name in last.variable.parents}
        return cb.World([*others, cb.linear("Y", weights, noise=0.7, intercept=1.0)], reward="Y")
    if reward == "success of three":
        return cb.World(world.nodes, reward="Y", success="2")
    if reward == "zero or one":
        return cb.World(world.nodes, reward="Y", bounds=(0, 1))
    return world


def all_arms(world: cb.World) -> list[dict[str, str]]:
    """Every arm of one variable, and some of two."""
    graph = world.graph
    names = [v.name for v in graph.variables if not v.hidden and v.name != "Y"]
    pairs = list(itertools.combinations(names, 2))[::3]
    sets = [*((name,) for name in names), *pairs]
    return [
        dict(zip(listed, values, strict=True))
        for listed in sets
        for values in itertools.product(*(graph[name].values[:2] for name in listed))
    ]


@cb.record
class State:
    asked: int


TALLIES: list[Any] = []  # what the policy below was told


class Recording(cb.Policy):
    """Plays all arms in turn, in blocks of several lengths, and keeps every tally."""

    kind = "recording"
    reads = "factors"

    def init(self, view):
        TALLIES.clear()  # a run may begin again
        return State(0)

    def ask(self, view, state, pending, left, rng):
        return state.asked % view.arms, COUNTS[(state.asked + state.asked // view.arms) % len(COUNTS)]

    def tell(self, view, state, arm, tally):
        state.asked += 1
        TALLIES.append(replace(tally, **{name: array.copy() for name, array in vars(tally).items() if np.ndim(array)}))

    def recommend(self, view, state, rng):
        return 0


class RecordingArms(Recording):
    """The same for the tally of arms."""

    kind = "recording-arms"
    reads = "arms"


def recorded(world: cb.World, problem: cb.Problem, policy: cb.Policy) -> tuple[cb.Trace, list[Any]]:
    """A run round by round, and the tally of every block."""
    trace = cb.trace(world, problem, policy, seed=5, compiled=False)
    return trace, list(TALLIES)
