"""The example policy of CONTRIBUTING.md, compiled, against plain Python.

It is compared with the same class run as plain Python, and with a loop in plain Python that is written for speed.
"""

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
def example_names() -> dict[str, Any]:
    """The names that the example of CONTRIBUTING.md defines before its simulation."""
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    example = re.search(r"```python\n(.*?)\nresult = ", text, re.DOTALL)
    assert example, "CONTRIBUTING.md has an example that ends in `result = ...`"
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example[1], "CONTRIBUTING.md", "exec", dont_inherit=True), names)
    cb.policies.REGISTRY.pop(names["EpsilonGreedy"].kind)
    return names


def against_same_class() -> Entry:
    """Against `compiled=False`: the four functions and the loop run as Python.

    The library functions that they call stay compiled.
    """
    slow_speed, fast_speed, gain = ratio(simulated(10, compiled=False), 10, simulated(RUNS), RUNS)
    return Entry(
        "a policy of one's own (the same class, compiled=False)", gain, "x", TARGET, speeds(slow_speed, fast_speed)
    )


def against_plain_loop() -> Entry:
    """Against a loop written for speed, which is the faster of the two opponents."""
    names = example_names()
    world, problem = names["world"], names["problem"]
    order, reward = list(world.graph.order), world.reward.variable
    steps, fixed = [], []
    for arm in problem.arms:
        drawn = [name for name in world.needed([reward], arm) if name not in arm]
        steps.append([step(world, order, name) for name in drawn])
        fixed.append([world.graph[name].index(arm[name]) if name in arm else 0 for name in order])
    costs = list(problem.costs)

    def slow() -> None:
        for _ in range(20):
            plain.epsilon_greedy(steps, fixed, order.index(reward), costs, problem.budget, EPSILON)

    slow_speed, fast_speed, gain = ratio(slow, 20, simulated(RUNS), RUNS)
    return Entry(
        "a policy of one's own (a loop written for speed in plain Python)",
        gain,
        "x",
        TARGET,
        speeds(slow_speed, fast_speed),
    )


def simulated(runs: int, compiled: bool = True) -> Work:
    names = example_names()
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
