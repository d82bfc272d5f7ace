"""A world as arrays, which the sampler reads. Built once per world, problem and kind of tally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..bridge.cache import compiled
from ..bridge.record import record

if TYPE_CHECKING:
    from ...policies.columns import Columns
    from ...problem import Problem
    from ...world import World

BULK = 8  # from so many rounds on in bulk: with 50 nodes a round takes 0.13 us, a chunk of 1024 rounds takes 1 us
FACTORS_BULK = 16  # where factors are counted: with 8 nodes a round takes 0.07 us, a chunk takes 0.7 us
NEVER = 1 << 62
ONE = 1 << 63  # probability 1 in 63-bit fixed point: every random u of 63 bits is below it


@record
class Tables:
    """The nodes of a world and their tables. Nodes are the variables with named values, causes first.

    Coins come before all other nodes: they have two values and no cause.

    Lists of lists are kept as `*_start` offsets into flat arrays.
    """

    counts_arms: bool  # whether observations are counted for every arm whose assignment held
    by_parents: bool  # whether the configuration of the reward's parents is drawn at once, before the reward
    bulk: int  # from so many rounds on a block is drawn in bulk
    most_rows: int  # of the largest table, of nodes or of what is counted in bulk
    observes: bool
    cards: NDArray[np.int64]  # (nodes,) number of values
    plane: NDArray[np.int64]  # (nodes,) offset of the node's values among the values of all nodes
    cause_start: NDArray[np.int64]  # (nodes + 1,)
    cause: NDArray[np.int64]  # the nodes on which the table depends
    stride: NDArray[np.int64]  # what the next value of that cause adds to the row's offset
    row: NDArray[np.int64]  # (nodes,) offset of the node's first row of probabilities
    cumulative: NDArray[np.uint64]  # P(value <= k | row), 63-bit fixed point
    conditional: NDArray[np.uint64]  # P(value = k | row, value >= k), 63-bit fixed point
    set_start: NDArray[np.int64]  # (arms + 1,)
    set_node: NDArray[np.int64]  # what an arm sets
    set_value: NDArray[np.int64]  # to which value
    draw_start: NDArray[np.int64]  # (arms + 1,)
    draw: NDArray[np.int64]  # the nodes that must be drawn for the tally of an arm
    coins: NDArray[np.int64]  # (arms,) the number of coins if the arm needs all of them, else 0
    coin: NDArray[np.uint64]  # (coins,) P(first value), 63-bit fixed point
    rest_start: NDArray[np.int64]  # (arms + 1,)
    rest: NDArray[np.int64]  # the other nodes, drawn only for a trace
    is_binary: bool  # the reward has two values, which count 0 and 1
    success: int  # for a binary reward, the plane of the value that counts 1
    term_node: NDArray[np.int64]  # the nodes whose values add up to the reward: itself, or the causes of a linear one
    term_start: NDArray[np.int64]  # (terms + 1,)
    term: NDArray[np.float64]  # what each value of such a node adds
    intercept: float
    noise: float
    arm_of: NDArray[np.int64]  # (values of all nodes,) the arm of one variable that this value teaches about, or -1
    watched: NDArray[np.int64]  # nodes with such an arm, except for the leaves
    inner: NDArray[np.int64]  # nodes of an observation that are no coins, or on which something else depends
    leaves: NDArray[np.int64]  # the other ones: coins that are only counted; empty unless the reward is binary
    arm_node: NDArray[np.int64]  # (arms,) the node of a single-variable arm that watching teaches about
    arm_value: NDArray[np.int64]  # (arms,) its value; -1 for other arms
    few_coins: bool  # whether all these nodes are coins and fit into the bits of one word
    joint: NDArray[np.int64]  # arms of several variables that watching teaches about
    parent: NDArray[np.int64]  # the parents of the reward
    parent_stride: NDArray[np.int64]  # what the next value of that parent adds to the configuration's number
    keep: NDArray[np.uint64]  # (arms, configurations) alias table of P(y | do(a)): P(the column is kept), fixed point
    other: NDArray[np.int64]  # (arms, configurations) what replaces the column if it is not kept
    reward_node: int  # -1 for a linear reward
    reward_row: NDArray[np.int64]  # (configurations,) offset of the reward's row of probabilities
    reward_mean: NDArray[np.float64]  # (configurations,) of a linear reward


@compiled
def alias_tables(probabilities):
    """Walker's alias tables (Vose 1991) of the rows of a table.

    A column is drawn uniformly. It is kept with probability `keep`, and replaced by its `other` otherwise.
    """
    rows, columns = probabilities.shape
    keep, other = np.empty((rows, columns), np.uint64), np.empty((rows, columns), np.int64)
    short, long = np.empty(columns, np.int64), np.empty(columns, np.int64)
    for a in range(rows):
        share = probabilities[a] * columns
        shorts, longs = 0, 0
        for y in range(columns):
            keep[a, y], other[a, y] = np.uint64(ONE), y
            if share[y] < 1.0:
                short[shorts] = y
                shorts += 1
            else:
                long[longs] = y
                longs += 1
        while shorts > 0 and longs > 0:
            shorts -= 1
            low, high = short[shorts], long[longs - 1]
            keep[a, low], other[a, low] = np.uint64(share[low] * ONE), high
            share[high] -= 1.0 - share[low]
            if share[high] < 1.0:
                longs -= 1
                short[shorts] = high
                shorts += 1
    return keep, other


def node_names(world: World) -> list[str]:
    """The variables with named values in the order of the nodes."""
    ordered = [name for name in world.graph.order if world.graph[name].values]
    return sorted(ordered, key=lambda name: not _is_coin(world, name))


def _is_coin(world: World, name: str) -> bool:
    return len(world.graph[name].values) == 2 and not world.mechanisms[name].given


def tables_of(world: World, problem: Problem, columns: Columns) -> Tables:
    """The arrays for drawing rounds of a problem's arms in a world, for one kind of tally.

    The last tables of each kind are kept, because they do not depend on budgets and costs.
    """
    counted = columns.watched(problem).tobytes(), columns.tabled(problem), columns.most_rows(problem)
    made_for = (problem.arms, problem.observes, *counted)
    kept = _KEPT.setdefault(world, {})
    if columns.name not in kept or kept[columns.name][0] != made_for:
        kept[columns.name] = made_for, _new_tables(world, problem, columns)
    return kept[columns.name][1]


_KEPT: WeakKeyDictionary[World, dict[str, tuple[Any, Tables]]] = WeakKeyDictionary()  # by world and kind of tally


class _Nodes(NamedTuple):
    """The nodes of a world: variables with named values, coins first."""

    names: list[str]
    number: dict[str, int]  # of each name
    cards: list[int]
    plane: NDArray[np.int64]  # (nodes + 1,) offsets of their values
    coins: int


class _Rows(NamedTuple):
    """The tables of all nodes, row by row."""

    causes: list[list[int]]
    strides: list[list[int]]
    start: list[int]  # (nodes + 1,) offsets
    cumulative: list[NDArray[np.uint64]]
    conditional: list[NDArray[np.uint64]]


class _Draws(NamedTuple):
    """By arm: what it sets, which nodes its tally needs, and the other nodes."""

    sets: list[list[tuple[int, int]]]  # node and value
    needed: list[list[int]]
    rest: list[list[int]]


def _new_tables(world: World, problem: Problem, columns: Columns) -> Tables:
    nodes = _nodes(world)
    rows = _rows(world, nodes)
    draws = _draws(world, problem, columns, nodes)
    coins = nodes.coins
    return Tables(
        counts_arms=columns.counts_arms,
        by_parents=columns.by_parents,
        bulk=_bulk(columns),
        most_rows=max(columns.most_rows(problem), *(len(part) for part in rows.cumulative)),
        observes=problem.observes,
        cards=_ints(nodes.cards),
        plane=_ints(nodes.plane[:-1]),
        cause_start=_starts(rows.causes),
        cause=_flat(rows.causes),
        stride=_flat(rows.strides),
        row=_ints(rows.start[:-1]),
        cumulative=np.concatenate([part.ravel() for part in rows.cumulative]),
        conditional=np.concatenate([part.ravel() for part in rows.conditional]),
        set_start=_starts(draws.sets),
        set_node=_ints([node for pairs in draws.sets for node, _ in pairs]),
        set_value=_ints([value for pairs in draws.sets for _, value in pairs]),
        draw_start=_starts(draws.needed),
        draw=_flat(draws.needed),
        coins=_ints([coins if needed[:coins] == list(range(coins)) else 0 for needed in draws.needed]),
        coin=np.array([rows.cumulative[v][0, 0] for v in range(coins)], dtype=np.uint64),
        rest_start=_starts(draws.rest),
        rest=_flat(draws.rest),
        **_reward_fields(world, nodes),
        **_watching_fields(world, problem, columns, nodes, rows, draws),
        **_parent_fields(world, problem, columns, nodes, rows),
    )


def _bulk(columns: Columns) -> int:
    if not columns.in_bulk:
        return NEVER
    return FACTORS_BULK if columns.counts_factors else BULK


def _nodes(world: World) -> _Nodes:
    names = node_names(world)
    cards = [len(world.graph[name].values) for name in names]
    coins = sum(_is_coin(world, name) for name in names)
    return _Nodes(names, {name: i for i, name in enumerate(names)}, cards, np.cumsum([0, *cards]), coins)


def _rows(world: World, nodes: _Nodes) -> _Rows:
    from ...mechanisms import Table

    rows = _Rows([], [], [0], [], [])
    for name in nodes.names:
        table = world.mechanisms[name]
        assert isinstance(table, Table)
        probabilities = np.ascontiguousarray(table.probabilities)
        rows.causes.append([nodes.number[cause] for cause in table.given])
        rows.strides.append([step // probabilities.itemsize for step in probabilities.strides[:-1]])
        flat = probabilities.reshape(-1, probabilities.shape[-1])
        rows.cumulative.append(_fixed_point(np.cumsum(flat, axis=1)))
        left = 1 - np.concatenate([np.zeros((len(flat), 1)), np.cumsum(flat, axis=1)[:, :-1]], axis=1)
        rows.conditional.append(_fixed_point(np.divide(flat, left, out=np.ones_like(flat), where=left > 1e-300)))
        rows.start.append(rows.start[-1] + flat.size)
    return rows


def _draws(world: World, problem: Problem, columns: Columns, nodes: _Nodes) -> _Draws:
    draws = _Draws([], [], [])
    for a, arm in enumerate(problem.arms):
        draws.sets.append([(nodes.number[name], world.graph[name].index(value)) for name, value in arm.items()])
        wanted = [world.reward.variable, *columns.needs(problem, a)]
        needed = set(world.needed(list(dict.fromkeys(wanted)), arm)) - set(arm)
        draws.needed.append([nodes.number[name] for name in nodes.names if name in needed])
        draws.rest.append([nodes.number[name] for name in nodes.names if name not in needed and name not in arm])
    return draws


def _terms(world: World) -> dict[str, NDArray[np.float64]]:
    """By variable, what each of its values adds to the reward: the reward itself, or the causes of a linear one."""
    from ...mechanisms import Linear

    mechanism = world.mechanisms[world.reward.variable]
    if not isinstance(mechanism, Linear):
        return {world.reward.variable: world.reward_values}
    return {
        name: weight * np.array([float(value) for value in world.graph[name].values])
        for name, weight in mechanism.weights.items()
    }


def _is_binary(world: World, nodes: _Nodes) -> bool:
    return world.reward.variable in nodes.number and sorted(world.reward_values.tolist()) == [0.0, 1.0]


def _reward_fields(world: World, nodes: _Nodes) -> dict[str, Any]:
    """How the reward follows from the nodes."""
    reward, terms, is_binary = world.reward.variable, _terms(world), _is_binary(world, nodes)
    mechanism = world.mechanisms[reward]
    return {
        "is_binary": is_binary,
        "success": int(nodes.plane[nodes.number[reward]] + np.argmax(world.reward_values)) if is_binary else 0,
        "term_node": _ints([nodes.number[name] for name in terms]),
        "term_start": _starts([part.tolist() for part in terms.values()]),
        "term": np.concatenate(list(terms.values())),
        "intercept": getattr(mechanism, "intercept", 0.0),  # only a linear reward has these two
        "noise": getattr(mechanism, "noise", 0.0),
        "reward_node": nodes.number.get(reward, -1),
    }


def _watching_fields(
    world: World, problem: Problem, columns: Columns, nodes: _Nodes, rows: _Rows, draws: _Draws
) -> dict[str, Any]:
    """What an observation teaches about the arms, and which nodes are only counted."""
    plane, sets, reward = nodes.plane, draws.sets, world.reward.variable
    watched = columns.watched(problem)
    arm_of = np.full(plane[-1], -1, dtype=np.int64)
    arm_node, arm_value = _ints([0] * len(sets)), _ints([-1] * len(sets))
    for a, pairs in enumerate(sets):
        if watched[a] and len(pairs) == 1:
            arm_node[a], arm_value[a] = pairs[0]
            arm_of[plane[arm_node[a]] + arm_value[a]] = a
    used = {cause for causes in rows.causes for cause in causes}
    used |= {node for pairs in sets if len(pairs) > 1 for node, _ in pairs}
    used |= {nodes.number[name] for name in columns.tabled(problem) if name in nodes.number}
    counts_leaves = columns.counts_arms and problem.observes and _is_binary(world, nodes)
    leaves = [
        v for v in draws.needed[0] if counts_leaves and v < nodes.coins and v not in used and v != nodes.number[reward]
    ]
    is_watched = [bool((arm_of[plane[v] : plane[v + 1]] >= 0).any()) for v in range(len(nodes.names))]
    return {
        "arm_of": arm_of,
        "inner": _ints([v for v in draws.needed[0] if v not in leaves]),
        "leaves": _ints(leaves),
        "watched": _ints([v for v in range(len(nodes.names)) if v not in leaves and is_watched[v]]),
        "arm_node": arm_node,
        "arm_value": arm_value,
        "few_coins": nodes.coins <= 64 and bool((arm_node < nodes.coins)[arm_value >= 0].all()),
        "joint": _ints([a for a, pairs in enumerate(sets) if watched[a] and len(pairs) > 1]),
    }


def _parent_fields(world: World, problem: Problem, columns: Columns, nodes: _Nodes, rows: _Rows) -> dict[str, Any]:
    """The reward's parents, if their configuration is drawn at once."""
    from ...mechanisms import Linear

    reward = world.reward.variable
    if not columns.by_parents:
        empty = np.zeros(0, np.int64)
        alias = {"keep": np.zeros((0, 0), np.uint64), "other": np.zeros((0, 0), np.int64)}
        return {"parent": empty, "parent_stride": empty, **alias, "reward_row": empty, "reward_mean": np.zeros(0)}
    layout: Any = columns.layout(problem, nodes.number)
    keep, other = alias_tables(np.array([world.parent_distribution(arm).ravel() for arm in problem.arms]))
    reward_row, reward_mean = np.zeros(keep.shape[1]), np.zeros(keep.shape[1])
    parents = world.graph[reward].parents
    cards = [len(world.graph[name].values) for name in parents]
    numbers = np.unravel_index(np.arange(keep.shape[1]), cards or [1])
    values_of = dict(zip(parents, numbers, strict=bool(parents)))
    mechanism = world.mechanisms[reward]
    if isinstance(mechanism, Linear):
        terms = _terms(world)
        reward_mean = mechanism.intercept + sum((terms[name][values_of[name]] for name in terms), reward_mean)
    else:
        steps = zip(mechanism.given, rows.strides[nodes.number[reward]], strict=True)
        offsets = sum((values_of[name] * stride for name, stride in steps), reward_row)
        reward_row = rows.start[nodes.number[reward]] + offsets
    return {
        "parent": layout.parent,
        "parent_stride": layout.stride,
        "keep": keep,
        "other": other,
        "reward_row": _ints(reward_row),
        "reward_mean": reward_mean,
    }


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _flat(lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return _ints([item for part in lists for item in part])


def _starts(lists: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _fixed_point(probabilities: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Probabilities in 63-bit fixed point. The last one of each row is exactly 1, so that there is always a value."""
    clipped = np.clip(probabilities, 0.0, 1.0)
    clipped[:, -1] = 1.0
    return (clipped * float(ONE)).astype(np.uint64)
