"""Drawing what an arm shows: a few rounds one by one, a settled block in bulk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from ...policies.records import Tally, View
from ..bridge.cache import compiled, helper, lean
from ..bridge.record import record
from ..bridge.vectors import W, item
from ..streams import WORLD, central_quantile, is_central, normal_quantile, unit, word_at
from .blocks import CHUNK, LANES, draw_block
from .rounds import configuration, draw_round, given_parents, tally_both, tally_round, words_given_parents
from .tables import ARMS, BOTH, PARENTS, Tables

BULK = 8  # rounds from which a block is drawn in bulk: with 50 nodes a round takes about 0.13 us, a chunk of up to 1024 about 1 us
AHEAD = 128  # rounds whose words are drawn at once, for policies that read configurations


@record
class Scratch:
    """Working memory of one thread, and the columns of its tally."""

    has_block: bool  # whether there is a function that draws blocks
    is_clean: bool  # whether the columns of the arms are all 0
    stop: NDArray[np.int64]  # (1,) set from outside to something else than 0 when the runs are no longer wanted
    values: NDArray[np.int64]  # (nodes,)
    lanes: NDArray[np.uint64]
    rest_lanes: NDArray[np.uint64]
    planes: NDArray[
        np.uint64
    ]  # (values of all nodes, a spare one, two counts of each value, and the rows of the largest table, W), flat
    rewards: NDArray[np.float64]  # (CHUNK,)
    shown: NDArray[np.int64]
    shown_reward: NDArray[np.float64]
    seen: NDArray[np.int64]
    seen_reward: NDArray[np.float64]
    shown_seen: NDArray[np.int64]
    ahead: int  # the round from which on rounds of the run are drawn ahead, for any arm; the four arrays (AHEAD,) are what they are made of
    column: NDArray[np.int64]
    stays: NDArray[np.uint64]
    word: NDArray[np.uint64]
    noise: NDArray[np.float64]


def empty_tally(tables: Tables, arms: int) -> Tally:
    """A tally of nothing, with the columns that are read and no others."""
    a = arms if tables.reads == ARMS else 0
    y = math.prod(tables.cards[tables.parent].tolist()) if tables.reads in (PARENTS, BOTH) else 0
    both = (arms, y) if tables.reads == BOTH else (0, 0)
    return Tally(
        0, 0.0, np.zeros(a, np.int64), np.zeros(a), np.zeros(y, np.int64), np.zeros(y), np.zeros(both, np.int64)
    )


def new_scratch(tables: Tables, tally: Tally, has_block: bool, stop: NDArray[np.int64]) -> Scratch:
    """Working memory for drawing from these tables into the columns of this tally."""
    most_rows = int((np.diff(tables.row, append=tables.conditional.size) // tables.cards).max(initial=1))
    return Scratch(
        has_block,
        True,
        stop,
        np.zeros(tables.cards.size, np.int64),
        np.zeros(LANES, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros((3 * tables.arm_of.size + 1 + most_rows) * W, np.uint64),
        np.zeros(CHUNK),
        tally.shown,
        tally.shown_reward,
        tally.seen,
        tally.seen_reward,
        tally.shown_seen,
        0,
        np.zeros(AHEAD, np.int64),
        np.zeros(AHEAD, np.uint64),
        np.zeros(AHEAD, np.uint64),
        np.zeros(AHEAD),
    )


@compiled
def pack(tables, scratch, view, tally):
    """The fields of four records as compiled code passes records, by reference. One function for all four compiles in half the time."""
    return Tables(*tables), Scratch(*scratch), View(*view), Tally(*tally)


@lean
def draw_rewards(tables, arm, rounds, keys, start, scratch, block):
    """Draw `rounds` rounds of an arm, the first of which is round `start` of the run, and return the sum of rewards; NaN for want of a `block`."""
    if rounds >= BULK:
        if not scratch.has_block:
            return np.nan
        return block(tables, arm, rounds, word_at(keys[WORLD], np.uint64(start)), scratch)
    total = 0.0
    for r in range(rounds):
        total += draw_round(tables, arm, word_at(keys[WORLD], np.uint64(start + r)), scratch.values)
    return total


@lean
def draw_arms(tables, arm, rounds, keys, start, scratch, block):
    """The same; the columns of the arms are filled by an observation, and empty otherwise."""
    watches = arm == 0 and tables.observes
    if not scratch.is_clean and (rounds != 1 or not watches):
        for a in range(scratch.shown.size):
            scratch.shown[a] = 0
            scratch.shown_reward[a] = 0.0
    scratch.is_clean = not watches
    if rounds >= BULK or not watches:
        return draw_rewards(tables, arm, rounds, keys, start, scratch, block)
    total = 0.0
    for r in range(rounds):
        reward = draw_round(tables, arm, word_at(keys[WORLD], np.uint64(start + r)), scratch.values)
        tally_round(tables, scratch, reward, rounds > 1)
        total += reward
    return total


@lean
def draw_parents(tables, arm, rounds, keys, start, scratch, block):
    """The same; the columns of the configurations of the reward's parents are filled. Always one round at a time."""
    seen, seen_reward = scratch.seen, scratch.seen_reward
    total = 0.0
    for r in range(rounds):
        i = start + r - scratch.ahead
        if start + r == 0 or i >= AHEAD:
            draw_ahead(tables, keys, start + r, scratch)
            i = np.int64(0)
        y, _, reward = given_parents(
            tables, arm, item(scratch.column, i), item(scratch.stays, i), item(scratch.word, i), item(scratch.noise, i)
        )
        for k in range(seen.size):  # no branch on y: it could not be predicted
            seen[k] = (k == y) + (seen[k] if r > 0 else 0)
            seen_reward[k] = (reward if k == y else 0.0) + (seen_reward[k] if r > 0 else 0.0)
        total += reward
    return total


@helper
def draw_ahead(tables, keys, start, scratch):
    """Draw what rounds start .. start + AHEAD - 1 are made of, many at a time, for the world's words depend on nothing that a policy does."""
    key, columns, scale = keys[WORLD], tables.keep.shape[1], tables.noise
    column, stays, word, noise = scratch.column, scratch.stays, scratch.word, scratch.noise
    for i in range(AHEAD):
        column[i], stays[i], word[i] = words_given_parents(columns, word_at(key, np.uint64(start + i)))
    if scale > 0.0:
        for i in range(AHEAD):
            noise[i] = scale * central_quantile(unit(word[i]))
        i = 0
        while i < AHEAD:
            while i < AHEAD and is_central(unit(word[i])):  # a loop within, lest LLVM take the logarithm of all of them
                i += 1
            if i < AHEAD:
                noise[i] = scale * normal_quantile(unit(word[i]))
                i += 1
    scratch.ahead = start


@lean
def draw_both(tables, arm, rounds, keys, start, scratch, block):
    """The same; the columns of the configurations, and in an observation those of the arms by configuration. Node by node, one round at a time."""
    seen, seen_reward, shown_seen, values = scratch.seen, scratch.seen_reward, scratch.shown_seen, scratch.values
    watches = arm == 0 and tables.observes
    for y in range(seen.size):
        seen[y] = 0
        seen_reward[y] = 0.0
    if not scratch.is_clean:
        for a in range(shown_seen.shape[0]):
            for y in range(seen.size):
                shown_seen[a, y] = 0
    scratch.is_clean = not watches
    total = 0.0
    for r in range(rounds):
        reward = draw_round(tables, arm, word_at(keys[WORLD], np.uint64(start + r)), values)
        y = configuration(tables, values)
        seen[y] += 1
        seen_reward[y] += reward
        if watches:
            tally_both(tables, values, y, shown_seen)
        total += reward
    return total


DRAWS = {
    "rewards": draw_rewards,
    "arms": draw_arms,
    "parents": draw_parents,
    "both": draw_both,
}  # by what a policy reads


class BlockDrawer(types.WrapperAddressProtocol):
    """`draw_block` by its address: the loops of all policies share it, instead of each compiling a copy. Not compiled before it is needed."""

    def __init__(self, tables: Any, scratch: Any, is_needed: bool) -> None:
        self._signature = types.float64(typeof(tables), types.int64, types.int64, types.uint64, typeof(scratch))
        self._is_needed = is_needed

    def __wrapper_address__(self) -> int:
        if not self._is_needed:
            return 1  # Numba wants a positive number; it is never called, for scratch.has_block is False
        dispatcher: Any = draw_block
        dispatcher.compile(self._signature)
        result = dispatcher.overloads[self._signature.args]
        return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)

    def signature(self) -> Any:
        return self._signature


def has_block_been_compiled() -> bool:
    """Whether this process has drawn a block already."""
    dispatcher: Any = draw_block
    return bool(dispatcher.overloads)
