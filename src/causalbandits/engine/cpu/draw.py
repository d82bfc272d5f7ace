"""Drawing what an arm shows: a few rounds one by one, a settled block in bulk."""

from __future__ import annotations

import types as python_types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from ...policies.columns import Columns
from ..bridge.address import Address, has_address
from ..bridge.cache import compiled, helper, lean
from ..bridge.record import fields_of, record
from ..bridge.vectors import W, item
from ..streams import WORLD, central_quantile, is_central, normal_quantile, unit, word_at
from .blocks import CHUNK, LANES, draw_block
from .rounds import draw_round, given_parents, tally_round, words_given_parents
from .tables import Tables

BULK = 8  # rounds from which a block is drawn in bulk: with 50 nodes a round takes 0.13 us, a chunk of 1024 takes 1 us
AHEAD = 128  # rounds whose random words are drawn at once, for policies that read configurations


@record
class Workspace:
    """Working memory of the sampler, for one thread."""

    has_block: bool  # whether there is a function that draws blocks
    stop: NDArray[np.int64]  # (1,) set to 1 from outside when the runs are no longer wanted
    keys: NDArray[np.uint64]  # (KEYS,) the names of the random streams
    values: NDArray[np.int64]  # (nodes,)
    lanes: NDArray[np.uint64]
    rest_lanes: NDArray[np.uint64]
    planes: NDArray[np.uint64]  # values of all nodes, a spare one, two counts of each value, rows of the largest table
    rewards: NDArray[np.float64]  # (CHUNK,)
    shown: NDArray[np.int64]  # the columns of the arms that a block of observations fills: those of the tally, or empty
    shown_reward: NDArray[np.float64]
    ahead: int  # the round from which on the four arrays below (AHEAD,) hold what rounds are made of, for any arm
    column: NDArray[np.int64]
    stays: NDArray[np.uint64]
    word: NDArray[np.uint64]
    noise: NDArray[np.float64]


def new_workspace(
    tables: Tables, tally: Any, keys: NDArray[np.uint64], has_block: bool, stop: NDArray[np.int64]
) -> Workspace:
    """Working memory for drawing from these tables into the columns of this tally."""
    most_rows = int((np.diff(tables.row, append=tables.conditional.size) // tables.cards).max(initial=1))
    return Workspace(
        has_block=has_block,
        stop=stop,
        keys=keys,
        values=np.zeros(tables.cards.size, np.int64),
        lanes=np.zeros(LANES, np.uint64),
        rest_lanes=np.zeros(LANES, np.uint64),
        planes=np.zeros((3 * tables.arm_of.size + 1 + most_rows) * W, np.uint64),
        rewards=np.zeros(CHUNK),
        shown=getattr(tally, "shown", np.zeros(0, np.int64)),
        shown_reward=getattr(tally, "shown_reward", np.zeros(0)),
        ahead=0,
        column=np.zeros(AHEAD, np.int64),
        stays=np.zeros(AHEAD, np.uint64),
        word=np.zeros(AHEAD, np.uint64),
        noise=np.zeros(AHEAD),
    )


def packed(*records: Any) -> tuple[Any, ...]:
    """Records as compiled code passes them, by reference. One function for all of them compiles in half the time."""
    result: tuple[Any, ...] = _packer(tuple(type(one) for one in records))(*map(fields_of, records))
    return result


def _pack_two(first, second):
    return First(*first), Second(*second)  # type: ignore[name-defined]  # noqa: F821


def _pack_four(first, second, third, fourth):
    return First(*first), Second(*second), Third(*third), Fourth(*fourth)  # type: ignore[name-defined]  # noqa: F821


@cache
def _packer(classes: tuple[type, ...]) -> Callable[..., Any]:
    names = dict(zip(("First", "Second", "Third", "Fourth"), classes, strict=False))
    pack = _pack_two if len(classes) == 2 else _pack_four
    label = "-".join(f"{one.__module__.rpartition('.')[2]}.{one.__qualname__}" for one in classes)
    return compiled(python_types.FunctionType(pack.__code__, names, "pack"), label=f"{label}-")


@lean
def draw_rewards(tables, workspace, tally, layout, arm, rounds, start, block):
    """Draw `rounds` rounds of an arm, of which the first is round `start` of the run.

    Fills the columns of the tally and returns the sum of rewards; NaN if a `block` is needed and there is none.
    """
    key = workspace.keys[WORLD]
    if rounds >= BULK:
        if not workspace.has_block:
            return np.nan
        return block(tables, arm, rounds, word_at(key, np.uint64(start)), workspace)
    total = 0.0
    for r in range(rounds):
        total += draw_round(tables, arm, word_at(key, np.uint64(start + r)), workspace.values)
    return total


@lean
def draw_arms(tables, workspace, tally, layout, arm, rounds, start, block):
    """The same for a tally of arms: an observation fills its columns, other arms leave them empty."""
    watches = arm == 0 and tables.observes
    if not tally.is_clear and (rounds != 1 or not watches):
        shown, shown_reward = tally.shown, tally.shown_reward
        for a in range(shown.size):
            shown[a] = 0
            shown_reward[a] = 0.0
    tally.is_clear = not watches
    if rounds >= BULK or not watches:
        return draw_rewards(tables, workspace, tally, layout, arm, rounds, start, block)
    key = workspace.keys[WORLD]
    total = 0.0
    for r in range(rounds):
        reward = draw_round(tables, arm, word_at(key, np.uint64(start + r)), workspace.values)
        tally_round(tables, workspace.values, tally, reward, rounds > 1)
        total += reward
    return total


@lean
def draw_parents(tables, workspace, tally, layout, arm, rounds, start, block):
    """The same for a tally of configurations: always one round at a time."""
    seen, seen_reward = tally.seen, tally.seen_reward
    column, stays, word, noise = workspace.column, workspace.stays, workspace.word, workspace.noise
    total = 0.0
    for r in range(rounds):
        i = start + r - workspace.ahead
        if start + r == 0 or i >= AHEAD:
            draw_ahead(tables, start + r, workspace)
            i = np.int64(0)
        y, _, reward = given_parents(tables, arm, item(column, i), item(stays, i), item(word, i), item(noise, i))
        for k in range(seen.size):  # no branch on y: it could not be predicted
            seen[k] = (k == y) + (seen[k] if r > 0 else 0)
            seen_reward[k] = (reward if k == y else 0.0) + (seen_reward[k] if r > 0 else 0.0)
        total += reward
    return total


@helper
def draw_ahead(tables, start, workspace):
    """Draw what rounds start .. start + AHEAD - 1 are made of.

    The world's random words depend on nothing that a policy does, so many can be drawn at a time.
    """
    key, columns, scale = workspace.keys[WORLD], tables.keep.shape[1], tables.noise
    column, stays, word, noise = workspace.column, workspace.stays, workspace.word, workspace.noise
    for i in range(AHEAD):
        column[i], stays[i], word[i] = words_given_parents(columns, word_at(key, np.uint64(start + i)))
    if scale > 0.0:
        for i in range(AHEAD):
            noise[i] = scale * central_quantile(unit(word[i]))
        i = 0
        while i < AHEAD:
            while i < AHEAD and is_central(unit(word[i])):  # an inner loop, or LLVM takes the logarithm of all of them
                i += 1
            if i < AHEAD:
                noise[i] = scale * normal_quantile(unit(word[i]))
                i += 1
    workspace.ahead = start


def _draw_by_rounds(tables, workspace, tally, layout, arm, rounds, start, block):
    """The same for any other tally: node by node, one round at a time."""
    clear(tally)  # type: ignore[name-defined]  # noqa: F821
    key, values = workspace.keys[WORLD], workspace.values
    total = 0.0
    for r in range(rounds):
        reward = draw_round(tables, arm, word_at(key, np.uint64(start + r)), values)
        add(layout, tally, arm, values, reward)  # type: ignore[name-defined]  # noqa: F821
        total += reward
    return total


FAST = {"rewards": draw_rewards, "arms": draw_arms, "parents": draw_parents}  # for these tallies there is a faster way


@cache
def drawer(columns: Columns) -> Callable[..., Any]:
    """The function that draws rounds and counts them in this kind of tally."""
    if columns.name in FAST:
        return FAST[columns.name]
    bound = {**globals(), "clear": helper(columns.clear), "add": helper(columns.add)}
    return lean(python_types.FunctionType(_draw_by_rounds.__code__, bound, "draw_by_rounds"))


def block_drawer(tables: Any, workspace: Any, is_needed: bool) -> Address:
    """`draw_block` by its address, for the loops of all policies."""
    signature = types.float64(typeof(tables), types.int64, types.int64, types.uint64, typeof(workspace))
    return Address(draw_block, signature, is_needed)


def has_block_been_compiled() -> bool:
    """Whether this process has drawn a block already."""
    return has_address(draw_block)
