"""A user's own policy, CONTRIBUTING's: compiled, against the same class run as plain Python, and against a loop written for speed in plain Python."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import causalbandits as cb
from causalbandits.mechanisms import Table

from . import plain
from .clock import Entry, Work, ratio, speeds

TARGET, RUNS, EPSILON = 50, 4000, 0.2


@cache
def skeleton() -> dict[str, Any]:
    """The names that CONTRIBUTING's example defines, up to the simulation."""
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    example = re.search(r"```python\n(.*?)\nresult = ", text, re.DOTALL)
    assert example, "CONTRIBUTING.md has an example that ends in `result = ...`"
    names: dict[str, Any] = {"__name__": "skeleton"}
    exec(compile(example[1], "CONTRIBUTING.md", "exec", dont_inherit=True), names)
    cb.policies.REGISTRY.pop(names["EpsilonGreedy"].kind)
    return names


def against_same_class() -> Entry:
    """`compiled=False`: its four functions and the loop as they stand; what they call of the library stays compiled."""
    one, other, times = ratio(simulated(10, compiled=False), 10, simulated(RUNS), RUNS)
    return Entry("a policy of one's own (the same class, compiled=False)", times, "x", TARGET, speeds(one, other))


def against_plain_loop() -> Entry:
    """The stronger opponent."""
    names = skeleton()
    world, problem = names["world"], names["problem"]
    order, reward = list(world.graph.order), world.reward.variable
    steps, fixed = [], []
    for arm in problem.arms:
        drawn = [name for name in world.needed([reward], arm) if name not in arm]
        steps.append([step(world, order, name) for name in drawn])
        fixed.append([world.graph[name].index(arm[name]) if name in arm else 0 for name in order])
    costs = [cost / 1e6 for cost in problem.costs]

    def slow() -> None:
        for _ in range(20):
            plain.epsilon_greedy(steps, fixed, order.index(reward), costs, problem.budget / 1e6, EPSILON)

    one, other, times = ratio(slow, 20, simulated(RUNS), RUNS)
    return Entry(
        "a policy of one's own (a loop written for speed in plain Python)", times, "x", TARGET, speeds(one, other)
    )


def simulated(runs: int, compiled: bool = True) -> Work:
    names = skeleton()
    policy = names["EpsilonGreedy"](epsilon=EPSILON)
    return lambda: cb.simulate(
        names["world"], names["problem"], policy, runs=runs, seed=1, threads=1, compiled=compiled, progress=False
    )


def step(world: cb.World, order: list[str], name: str) -> plain.Step:
    table = world.mechanisms[name]
    assert isinstance(table, Table)
    assert table.probabilities.shape[-1] == 2
    return (
        order.index(name),
        [order.index(cause) for cause in table.given],
        table.probabilities[..., 0].ravel().tolist(),
    )
