"""A world as arrays: what the sampler reads. Built once per world, problem and kind of tally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..bridge.cache import compiled
from ..bridge.record import record

if TYPE_CHECKING:
    from ...problem import Problem
    from ...world import World

ONE = 1 << 63  # probability 1 in 63-bit fixed point: u < ONE for every u of 63 bits, and no u is below 0
REWARDS, ARMS, PARENTS, BOTH = 0, 1, 2, 3  # what a policy reads of a tally
READS = {"rewards": REWARDS, "arms": ARMS, "parents": PARENTS, "both": BOTH}


@record
class Tables:
    """Nodes are the variables with named values, causes first, and before all others the coins: two values, no cause in the table.

    Lists of lists are kept as `*_start` offsets into flat arrays.
    """

    reads: int
    observes: bool
    cards: NDArray[np.int64]  # (nodes,) number of values
    plane: NDArray[np.int64]  # (nodes,) offset of the node's values among the values of all nodes
    cause_start: NDArray[np.int64]  # (nodes + 1,)
    cause: NDArray[np.int64]  # the nodes on which the table depends
    stride: NDArray[np.int64]  # what a step of that cause's value adds to the row's offset
    row: NDArray[np.int64]  # (nodes,) offset of the node's first row of probabilities
    cumulative: NDArray[np.uint64]  # P(value <= k | row), 63-bit fixed point
    conditional: NDArray[np.uint64]  # P(value = k | row, value >= k), likewise
    set_start: NDArray[np.int64]  # (arms + 1,)
    set_node: NDArray[np.int64]  # what an arm sets
    set_value: NDArray[np.int64]  # to which value
    draw_start: NDArray[np.int64]  # (arms + 1,)
    draw: NDArray[np.int64]  # the nodes that must be drawn for the tally of an arm
    coins: NDArray[np.int64]  # (arms,) the number of coins if the arm needs all of them, else 0
    coin: NDArray[np.uint64]  # (coins,) P(first value), 63-bit fixed point
    rest_start: NDArray[np.int64]  # (arms + 1,)
    rest: NDArray[np.int64]  # the other nodes, drawn only where a round is shown whole
    is_binary: bool  # the reward has two values, which count 0 and 1
    success: int  # then the plane of the value that counts 1
    term_node: NDArray[np.int64]  # the nodes whose values add up to the reward: itself, or the causes of a linear one
    term_start: NDArray[np.int64]  # (terms + 1,)
    term: NDArray[np.float64]  # what each value of such a node adds
    intercept: float
    noise: float
    arm_of: NDArray[
        np.int64
    ]  # (values of all nodes,) the single-variable arm that watching this value teaches about, or -1
    watched: NDArray[np.int64]  # nodes with such an arm, but for the leaves
    inner: NDArray[np.int64]  # the nodes of an observation on which something else depends, or that are no coins
    leaves: NDArray[
        np.int64
    ]  # the other ones: coins that are drawn to be counted and nothing else; only with a binary reward
    arm_node: NDArray[np.int64]  # (arms,) the node of a single-variable arm that watching teaches about
    arm_value: NDArray[np.int64]  # (arms,) and its value; -1 for other arms
    few_coins: bool  # whether all these nodes are coins, and fit into the bits of a word
    joint: NDArray[np.int64]  # arms of several variables that watching teaches about
    parent: NDArray[np.int64]  # the parents of the reward
    parent_stride: NDArray[np.int64]  # what a step of that parent's value adds to the configuration's number
    keep: NDArray[
        np.uint64
    ]  # (arms, configurations) alias table of P(y | do(a)): P(column stays itself), 63-bit fixed point
    other: NDArray[np.int64]  # (arms, configurations) and what it becomes if not
    reward_node: int  # -1 for a linear reward
    reward_row: NDArray[np.int64]  # (configurations,) offset of the reward's row of probabilities
    reward_mean: NDArray[np.float64]  # (configurations,) of a linear reward


@compiled
def alias_tables(probabilities):
    """Walker's alias tables (Vose 1991) of the rows of a table: a column, kept with probability `keep`, else its `other`."""
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


def tables_of(world: World, problem: Problem, reads: str) -> Tables:
    """The arrays for drawing rounds of a problem's arms in a world; the last ones are kept, for budgets and costs change nothing in them."""
    made_for = (problem.arms, problem.observes, problem.teaches.tobytes())
    kept = _KEPT.setdefault(world, {})
    if reads not in kept or kept[reads][0] != made_for:
        kept[reads] = made_for, _new_tables(world, problem, reads)
    return kept[reads][1]


_KEPT: WeakKeyDictionary[World, dict[str, tuple[Any, Tables]]] = WeakKeyDictionary()  # by world and what is read


def _new_tables(world: World, problem: Problem, reads: str) -> Tables:
    from ...mechanisms import Linear, Table

    graph, reward = world.graph, world.reward.variable
    names = node_names(world)
    number = {name: i for i, name in enumerate(names)}
    cards = [len(graph[name].values) for name in names]
    plane = np.cumsum([0, *cards])

    causes, strides, rows, cumulative, conditional = [], [], [0], [], []
    for name in names:
        table = world.mechanisms[name]
        assert isinstance(table, Table)
        causes.append([number[cause] for cause in table.given])
        strides.append(
            [step // table.probabilities.itemsize for step in np.ascontiguousarray(table.probabilities).strides[:-1]]
        )
        flat = table.probabilities.reshape(-1, table.probabilities.shape[-1])
        cumulative.append(_fixed_point(np.cumsum(flat, axis=1)))
        left = 1 - np.concatenate([np.zeros((len(flat), 1)), np.cumsum(flat, axis=1)[:, :-1]], axis=1)
        conditional.append(_fixed_point(np.divide(flat, left, out=np.ones_like(flat), where=left > 1e-300)))
        rows.append(rows[-1] + flat.size)

    sets = [[(number[name], graph[name].index(value)) for name, value in arm.items()] for arm in problem.arms]
    teaches = problem.teaches
    draws, rests = [], []
    for a, arm in enumerate(problem.arms):
        wanted = [reward]
        if reads in ("arms", "both") and a == 0 and problem.observes:
            wanted += [name for other, tells in zip(problem.arms, teaches, strict=True) if tells for name in other]
        if reads in ("parents", "both"):
            wanted += graph[reward].parents
        given = set(arm)
        needed = set(world.needed(list(dict.fromkeys(wanted)), arm)) - given
        draws.append([number[name] for name in names if name in needed])
        rests.append([number[name] for name in names if name not in needed and name not in given])
    coins = sum(_is_coin(world, name) for name in names)
    used = {cause for name in names for cause in causes[number[name]]} | {
        node for pairs in sets if len(pairs) > 1 for node, _ in pairs
    }

    arm_of = np.full(plane[-1], -1, dtype=np.int64)
    arm_node, arm_value = _ints([0] * len(sets)), _ints([-1] * len(sets))
    for a, pairs in enumerate(sets):
        if teaches[a] and len(pairs) == 1:
            arm_node[a], arm_value[a] = pairs[0]
            arm_of[plane[arm_node[a]] + arm_value[a]] = a
    mechanism = world.mechanisms[reward]
    if isinstance(mechanism, Linear):
        terms = {
            name: weight * np.array([float(value) for value in graph[name].values])
            for name, weight in mechanism.weights.items()
        }
    else:
        terms = {reward: world.reward_values}
    is_binary = reward in number and sorted(world.reward_values.tolist()) == [0.0, 1.0]
    watches = reads == "arms" and problem.observes and is_binary
    leaves = [v for v in draws[0] if watches and v < coins and v not in used and v != number[reward]]
    parents = graph[reward].parents if reads in ("parents", "both") else ()
    parent_cards = [len(graph[name].values) for name in parents]
    parent_stride = _ints([int(np.prod(parent_cards[i + 1 :])) for i in range(len(parents))])
    keep, other = np.zeros((0, 0), np.uint64), np.zeros((0, 0), np.int64)
    reward_row: Any = np.zeros(0)
    reward_mean: Any = np.zeros(0)
    if reads == "parents":
        keep, other = alias_tables(np.array([world.parent_distribution(arm).ravel() for arm in problem.arms]))
        reward_row, reward_mean = np.zeros(keep.shape[1]), np.zeros(keep.shape[1])
        values_of = dict(
            zip(parents, np.unravel_index(np.arange(keep.shape[1]), parent_cards or [1]), strict=bool(parents))
        )
        if isinstance(mechanism, Linear):
            reward_mean = mechanism.intercept + sum((terms[name][values_of[name]] for name in terms), reward_mean)
        else:
            steps = zip(mechanism.given, strides[number[reward]], strict=True)
            reward_row = rows[number[reward]] + sum((values_of[name] * stride for name, stride in steps), reward_row)

    return Tables(
        reads=READS[reads],
        observes=problem.observes,
        cards=_ints(cards),
        plane=_ints(plane[:-1]),
        cause_start=_starts(causes),
        cause=_flat(causes),
        stride=_flat(strides),
        row=_ints(rows[:-1]),
        cumulative=np.concatenate([part.ravel() for part in cumulative]),
        conditional=np.concatenate([part.ravel() for part in conditional]),
        set_start=_starts(sets),
        set_node=_ints([node for pairs in sets for node, _ in pairs]),
        set_value=_ints([value for pairs in sets for _, value in pairs]),
        draw_start=_starts(draws),
        draw=_flat(draws),
        coins=_ints([coins if draw[:coins] == list(range(coins)) else 0 for draw in draws]),
        coin=np.array([cumulative[v][0, 0] for v in range(coins)], dtype=np.uint64),
        rest_start=_starts(rests),
        rest=_flat(rests),
        is_binary=is_binary,
        success=int(plane[number[reward]] + np.argmax(world.reward_values)) if is_binary else 0,
        term_node=_ints([number[name] for name in terms]),
        term_start=_starts([part.tolist() for part in terms.values()]),
        term=np.concatenate(list(terms.values())),
        intercept=mechanism.intercept if isinstance(mechanism, Linear) else 0.0,
        noise=mechanism.noise if isinstance(mechanism, Linear) else 0.0,
        arm_of=arm_of,
        inner=_ints([v for v in draws[0] if v not in leaves]),
        leaves=_ints(leaves),
        watched=_ints(
            [v for v in range(len(names)) if v not in leaves and (arm_of[plane[v] : plane[v + 1]] >= 0).any()]
        ),
        arm_node=arm_node,
        arm_value=arm_value,
        few_coins=coins <= 64 and bool((arm_node < coins)[arm_value >= 0].all()),
        joint=_ints([a for a, pairs in enumerate(sets) if teaches[a] and len(pairs) > 1]),
        parent=_ints([number[name] for name in parents]),
        parent_stride=parent_stride,
        keep=keep,
        other=other,
        reward_node=number.get(reward, -1),
        reward_row=_ints(reward_row),
        reward_mean=reward_mean,
    )


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _flat(lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return _ints([item for part in lists for item in part])


def _starts(lists: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _fixed_point(probabilities: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Probabilities in 63-bit fixed point; the last of each row is exactly 1, so that some value always comes."""
    clipped = np.clip(probabilities, 0.0, 1.0)
    clipped[:, -1] = 1.0
    return (clipped * float(ONE)).astype(np.uint64)
