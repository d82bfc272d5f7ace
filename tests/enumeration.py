"""Distributions and means of small worlds by enumeration: every combination of values, one after the other."""

from __future__ import annotations

import itertools
import math

import numpy as np

import causalbandits as cb
from causalbandits.mechanisms import Linear


def enumerate_world(world: cb.World, do: dict[str, str]) -> dict[tuple[int, ...], float]:
    """P(all variables with named values | do): the mutilated product, one factor per variable that is not set."""
    names = [name for name in world.graph.order if world.graph[name].values]
    joint = {}
    for values in itertools.product(*(range(len(world.graph[name].values)) for name in names)):
        at = dict(zip(names, values, strict=True))
        p = 1.0
        for name in names:
            if name in do:
                p *= float(world.graph[name].values[at[name]] == do[name])
            else:
                table = world.mechanisms[name]
                p *= float(table.probabilities[(*(at[cause] for cause in table.given), at[name])])
        joint[values] = p
    return joint


def enumerated(world: cb.World, do: dict[str, str], wanted: list[str]) -> np.ndarray:
    """P(wanted | do) by enumeration."""
    names = [name for name in world.graph.order if world.graph[name].values]
    table = np.zeros([len(world.graph[name].values) for name in wanted])
    for values, p in enumerate_world(world, do).items():
        at = dict(zip(names, values, strict=True))
        table[tuple(at[name] for name in wanted)] += p
    return table


def enumerated_moments(world: cb.World, do: dict[str, str]) -> tuple[float, float]:
    """Mean and standard deviation of the reward under an intervention, by enumeration."""
    mechanism = world.mechanisms[world.reward.variable]
    wanted = list(mechanism.given) if isinstance(mechanism, Linear) else [world.reward.variable]
    table = enumerated(world, do, wanted)
    mean = second = 0.0
    for at in np.ndindex(table.shape):
        values = [world.graph[name].values[i] for name, i in zip(wanted, at, strict=True)]
        if isinstance(mechanism, Linear):
            value = mechanism.intercept + sum(
                mechanism.weights[n] * float(v) for n, v in zip(wanted, values, strict=True)
            )
        elif world.reward.kind == "binary":
            value = float(values[0] == world.reward.success)
        else:
            value = float(values[0])
        mean += table[at] * value
        second += table[at] * value**2
    noise = mechanism.noise if isinstance(mechanism, Linear) else 0.0
    return mean, math.sqrt(second - mean**2 + noise**2)


def bounded_world(hidden: bool = True) -> cb.World:
    """A reward with the values 0, 1 and 3, confounded by U, which has an effect itself.

    Coin and Die have no influence on the reward.
    """
    values = ["low", "mid", "high"]
    rewards = {
        (x, u): [0.1 + 0.2 * i, 0.7 - 0.2 * i - 0.1 * j, 0.2 + 0.1 * j]
        for i, x in enumerate(values)
        for j, u in enumerate("abc")
    }
    return cb.World(
        [
            cb.node("Coin", {0: 0.6, 1: 0.4}),
            cb.node("Die", {"one": 0.2, "two": 0.3, "three": 0.5}),
            cb.node("U", {"a": 0.2, "b": 0.5, "c": 0.3}, hidden=hidden),
            cb.node("X", values, given="U", table={"a": [0.7, 0.2, 0.1], "b": [0.1, 0.6, 0.3], "c": [0.05, 0.15, 0.8]}),
            cb.node("Z", {0: 0.35, 1: 0.65}),
            cb.node("Y", [0, 1, 3], given=["X", "U"], table=rewards, parents=["Z", "X", "U"]),
            cb.node(
                "E",
                ["no", "yes"],
                given=["Y", "Z"],
                table={(y, z): 0.1 + 0.2 * y + 0.1 * z for y in (0, 1, 3) for z in (0, 1)},
            ),
        ],
        reward="Y",
    )


def linear_world() -> cb.World:
    """A linear reward with an intercept, a negative weight, and causes with values other than 0 and 1."""
    return cb.World(
        [
            cb.node("A", {-1: 0.2, 0.5: 0.5, 2: 0.3}),
            cb.node("B", [1, 3], given="A", table={-1: 0.2, 0.5: 0.4, 2: 0.9}),
            cb.node("Other", {0: 0.5, 1: 0.5}),
            cb.linear("Y", {"B": -0.4, "A": 0.7}, noise=0.3, intercept=1.5),
        ],
        reward="Y",
    )


def interventions_of(world: cb.World) -> list[dict[str, str]]:
    """The observation, every setting of one visible variable, and of two."""
    visible = [v for v in world.graph.variables if not v.hidden and v.values and v.name != world.reward.variable]
    single = [{v.name: value} for v in visible for value in v.values]
    return [{}, *single, *({**a, **b} for a, b in itertools.combinations(single, 2) if a.keys() != b.keys())]


def small_world(seed: int) -> cb.World:
    rng = np.random.default_rng(seed)
    return cb.worlds.random_world(rng, variables=int(rng.integers(2, 6)), values=(2, 3), hidden=int(rng.integers(0, 2)))


SAMPLED = {
    "binary, a chain": small_world(13),
    "binary, a hidden common cause": small_world(28),
    "bounded": bounded_world(hidden=False),
    "bounded, a hidden common cause": bounded_world(),
    "real": cb.worlds.confounded_chain(),
    "real, an intercept": linear_world(),
    "marketing": cb.worlds.marketing(),
}
