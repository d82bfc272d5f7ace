"""Drawing what an arm shows: a few rounds one by one, a settled block in bulk; and the same rounds again, one by one, for a trace."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from .blocks import CHUNK, LANES, draw_block, unpack_block
from .cache import compiled, helper, lean
from .contract import Tally, View
from .record import record
from .rounds import configuration, draw_by_parents, draw_nodes, draw_round, tally_round
from .streams import WORLD, start_run, word_at
from .tables import PARENTS, Tables
from .words import W

BULK = 8  # rounds from which a block costs less in bulk (benchmarks)


@record
class Scratch:
    """Working memory of one thread, and the columns of its tally."""

    values: NDArray[np.int64]  # (nodes,)
    lanes: NDArray[np.uint64]
    rest_lanes: NDArray[np.uint64]
    planes: NDArray[np.uint64]  # (values of all nodes and a spare one, W), flat
    rewards: NDArray[np.float64]  # (CHUNK,)
    shown: NDArray[np.int64]
    shown_reward: NDArray[np.float64]
    seen: NDArray[np.int64]
    seen_reward: NDArray[np.float64]


def new_scratch(tables: Tables, tally: Tally) -> Scratch:
    """Working memory for drawing from these tables into the columns of this tally."""
    return Scratch(
        np.zeros(tables.cards.size, np.int64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros((tables.arm_of.size + 1) * W, np.uint64),
        np.zeros(CHUNK),
        tally.shown,
        tally.shown_reward,
        tally.seen,
        tally.seen_reward,
    )


@compiled
def pack(tables, scratch, view, tally):
    """The fields of four records as compiled code passes records, by reference. One function for all: each would take a quarter of a second to compile."""
    return Tables(*tables), Scratch(*scratch), View(*view), Tally(*tally)


@lean
def draw(tables, arm, rounds, keys, start, scratch, block):
    """Draw `rounds` rounds of an arm, the first of which is round `start` of the run; fill the columns and return the sum of rewards."""
    shown, shown_reward, seen, seen_reward = scratch.shown, scratch.shown_reward, scratch.seen, scratch.seen_reward
    for a in range(shown.size):
        shown[a] = 0
        shown_reward[a] = 0.0
    for y in range(seen.size):
        seen[y] = 0
        seen_reward[y] = 0.0
    if rounds >= BULK and tables.reads != PARENTS:
        return block(tables, arm, rounds, word_at(keys[WORLD], np.uint64(start)), scratch)
    total = 0.0
    if tables.reads == PARENTS:
        for r in range(rounds):
            y, _, reward = draw_by_parents(tables, arm, word_at(keys[WORLD], np.uint64(start + r)))
            seen[y] += 1
            seen_reward[y] += reward
            total += reward
        return total
    for r in range(rounds):
        reward = draw_round(tables, arm, word_at(keys[WORLD], np.uint64(start + r)), scratch.values)
        tally_round(tables, arm, scratch, reward)
        total += reward
    return total


@helper
def unpack(tables, arm, rounds, keys, start, scratch, values, rewards):
    """The same rounds one by one: (rounds, nodes) values of every node, (rounds,) rewards."""
    if rounds >= BULK and tables.reads != PARENTS:
        unpack_block(tables, arm, rounds, word_at(keys[WORLD], np.uint64(start)), scratch, values, rewards)
        return
    for r in range(rounds):
        key = word_at(keys[WORLD], np.uint64(start + r))
        if tables.reads == PARENTS:
            rewards[r], key = unpack_by_parents(tables, arm, key, scratch.values)
        else:
            rewards[r] = draw_round(tables, arm, key, scratch.values)
        draw_nodes(tables, tables.rest_start[arm], tables.rest_start[arm + 1], tables.rest, key, scratch.values)
        for v in range(scratch.values.size):
            values[r, v] = scratch.values[v]


@helper
def unpack_by_parents(tables, arm, key, values):
    """The nodes of a round whose configuration y and reward are drawn already: drawn again and again until they show y (exact, by rejection).

    Returns the reward, and the stream of the attempt that succeeded, for the rest of the nodes.
    """
    y, value, reward = draw_by_parents(tables, arm, key)
    attempt = np.uint64(3)  # after the words of `draw_by_parents`
    draw_round(tables, arm, word_at(key, attempt), values)
    while configuration(tables, values) != y:
        attempt += np.uint64(1)
        draw_round(tables, arm, word_at(key, attempt), values)
    if tables.reward_node >= 0:
        values[tables.reward_node] = value
    return reward, word_at(key, attempt)


class BlockDrawer(types.WrapperAddressProtocol):
    """`draw_block` by its address: the loops of all policies share it, instead of each compiling a copy (seconds each)."""

    def __init__(self, tables, scratch) -> None:
        self._signature = types.float64(typeof(tables), types.int64, types.int64, types.uint64, typeof(scratch))

    def __wrapper_address__(self) -> int:
        dispatcher: Any = draw_block
        dispatcher.compile(self._signature)
        result = dispatcher.overloads[self._signature.args]
        return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)

    def signature(self):
        return self._signature


@compiled
def unpack_run(tables, blocks, keys, run, scratch, values, rewards):
    """All blocks (arm, rounds) of a run, one round after the other."""
    start_run(keys, run)
    start = np.int64(0)
    for b in range(blocks.shape[0]):
        arm, rounds = blocks[b, 0], blocks[b, 1]
        unpack(tables, arm, rounds, keys, start, scratch, values[start : start + rounds], rewards[start : start + rounds])
        start += rounds
