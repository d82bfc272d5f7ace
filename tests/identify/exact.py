"""The oracle of factors: conditional distributions of small worlds by exact enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping

import numpy as np

import causalbandits as cb
from causalbandits.identify.factors import Factor


def product(world: cb.World, names: Collection[str]) -> np.ndarray:
    """The product of the tables of some variables: one axis per variable of the world, causes first."""
    order = world.graph.order
    table = np.ones([len(world.graph[name].values) for name in order])
    for name in names:
        mechanism = world.mechanisms[name]
        places = [order.index(axis) for axis in (*mechanism.given, name)]
        part = np.asarray(mechanism.probabilities).transpose(np.argsort(places))
        table = table * part.reshape([n if i in places else 1 for i, n in enumerate(table.shape)])
    return table


def joint(world: cb.World, do: Mapping[str, str]) -> np.ndarray:
    """P(all variables | do), hidden ones too."""
    table = product(world, [name for name in world.graph.order if name not in do])
    for i, name in enumerate(world.graph.order):
        if name in do:
            holds = np.array([value == do[name] for value in world.graph[name].values], float)
            table = table * holds.reshape([-1 if i == j else 1 for j in range(table.ndim)])
    return table


def conditional(world: cb.World, table: np.ndarray, factor: Factor) -> np.ndarray:
    """P(variable | conditions) in a joint table: not a number in rows that it never shows."""
    wanted = (*factor.conditions, factor.variable)
    order = world.graph.order
    kept = [name for name in order if name in wanted]
    table = table.sum(axis=tuple(i for i, name in enumerate(order) if name not in wanted))
    table = table.transpose([kept.index(name) for name in wanted])
    with np.errstate(invalid="ignore"):
        return table / table.sum(axis=-1, keepdims=True)


def by_definition(world: cb.World, factor: Factor) -> np.ndarray:
    """The factor Q[H] / Q[S]. Q[H] is the sum over the hidden variables of the product of their tables and those of H.

    Q[H] is a function of all visible variables. The quotient must be the same for all values of all but a few of them.
    """
    order = world.graph.order
    hidden = [name for name in order if world.graph[name].hidden]
    table = product(world, [*hidden, *factor.given, factor.variable])
    table = table.sum(axis=tuple(order.index(name) for name in hidden), keepdims=True)
    table = table / table.sum(axis=order.index(factor.variable), keepdims=True)
    wanted = [order.index(name) for name in (*factor.conditions, factor.variable)]
    others = tuple(i for i in range(len(order)) if i not in wanted)
    assert np.ptp(table, axis=others).max() < 1e-9, f"{factor} depends on more"
    kept = sorted(wanted)
    return table[tuple(0 if i in others else slice(None) for i in range(len(order)))].transpose(
        [kept.index(i) for i in wanted]
    )


def mean(world: cb.World, do: Mapping[str, str]) -> float:
    """The mean of the reward under an intervention."""
    place = world.graph.order.index(world.reward.variable)
    table = joint(world, do)
    return float(table.sum(axis=tuple(i for i in range(table.ndim) if i != place)) @ world.reward_values)


def mean_from_factors(world: cb.World, arm: Mapping[str, str], factors: tuple[Factor, ...]) -> float:
    """The mean of an arm as the sum of the products of its factors."""
    index = {name: i for i, name in enumerate(world.graph.order)}
    operands: list[object] = []
    for factor in factors:
        operands += [by_definition(world, factor), [index[name] for name in (*factor.conditions, factor.variable)]]
    for name in {name for factor in factors for name in factor.conditions} & set(arm):
        operands += [np.array([float(value == arm[name]) for value in world.graph[name].values]), [index[name]]]
    return float(np.einsum(*operands, [index[world.reward.variable]], optimize="greedy") @ world.reward_values)


def settings(world: cb.World, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Every way to set these variables."""
    for values in itertools.product(*(world.graph[name].values for name in names)):
        yield dict(zip(names, values, strict=True))
