"""Draw the rounds of an arm: a few rounds one by one, a block of many rounds in bulk."""

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
from ..fingerprint import fingerprint
from ..streams import WORLD, central_quantile, is_central, normal_quantile, unit, word_at
from .blocks import CHUNK, LANES, draw_block
from .factor_blocks import draw_factor_block
from .rounds import draw_round, given_parents, tally_round, words_given_parents
from .tables import BULK, FACTORS_BULK, Tables

AHEAD = 128  # so many rounds are drawn at once for policies that read configurations


@record
class Workspace:
    """Working memory of the sampler, for one thread."""

    has_block: bool  # whether there is a function that draws blocks
    stop: NDArray[np.int64]  # (1,) set to 1 by another thread to stop the runs
    keys: NDArray[np.uint64]  # (KEYS,) the names of the random streams
    values: NDArray[np.int64]  # (nodes,)
    lanes: NDArray[np.uint64]  # (LANES,) the state of the generators
    rest_lanes: NDArray[np.uint64]  # (LANES,) the same for nodes that only a trace needs
    planes: NDArray[np.uint64]  # values of all nodes, one spare, two counts of each value, rows of the largest table
    rewards: NDArray[np.float64]  # (CHUNK,)
    numbers: NDArray[np.int64]  # of the rows of the largest table, or of the cells of a chunk
    shown: NDArray[np.int64]  # the tally's columns of the arms, which a block of observations fills; or empty
    shown_reward: NDArray[np.float64]
    ahead: int  # the first round in the four arrays below, which hold the random words of AHEAD rounds
    column: NDArray[np.int64]  # of the alias tables
    keep_word: NDArray[np.uint64]  # keeps the column, or replaces it by its alias
    word: NDArray[np.uint64]  # for the reward
    noise: NDArray[np.float64]  # of a linear reward


def new_workspace(
    tables: Tables, tally: Any, keys: NDArray[np.uint64], has_block: bool, stop: NDArray[np.int64]
) -> Workspace:
    """Working memory for drawing from these tables into the columns of this tally."""
    return Workspace(
        has_block=has_block,
        stop=stop,
        keys=keys,
        values=np.zeros(tables.cards.size, np.int64),
        lanes=np.zeros(LANES, np.uint64),
        rest_lanes=np.zeros(LANES, np.uint64),
        planes=np.zeros((3 * tables.arm_of.size + 1 + tables.most_rows) * W, np.uint64),
        rewards=np.zeros(CHUNK),
        numbers=np.zeros(max(CHUNK, tables.most_rows), np.int64),
        shown=getattr(tally, "shown", np.zeros(0, np.int64)),
        shown_reward=getattr(tally, "shown_reward", np.zeros(0)),
        ahead=0,
        column=np.zeros(AHEAD, np.int64),
        keep_word=np.zeros(AHEAD, np.uint64),
        word=np.zeros(AHEAD, np.uint64),
        noise=np.zeros(AHEAD),
    )


def packed(*records: Any) -> tuple[Any, ...]:
    """Records in the form that compiled code passes by reference. One function for all compiles in half the time."""
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
    label = "-".join(one.__qualname__ for one in classes)
    fields = fingerprint(*classes)[:16]  # records are defined outside of the engine too, so its stamp is not enough
    # Numba finds the function again by the name of its module.
    bound = python_types.FunctionType(pack.__code__, {"__name__": __name__, **names}, "pack")
    return compiled(bound, label=f"{label}-{fields}-")


@lean
def draw_rewards(tables, workspace, tally, layout, arm, rounds, start, block):
    """Draw `rounds` rounds of an arm. The first one is round `start` of the run.

    Fills the columns of the tally and returns the sum of rewards, or NaN if a `block` is needed but not available.
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
    """The same for a tally of arms. Observations fill its columns; for other arms they stay 0."""
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
    """The same for a tally of configurations, always one round at a time."""
    seen, seen_reward = tally.seen, tally.seen_reward
    column, keep_word, word, noise = workspace.column, workspace.keep_word, workspace.word, workspace.noise
    total = 0.0
    for r in range(rounds):
        i = start + r - workspace.ahead
        if start + r == 0 or i >= AHEAD:
            draw_ahead(tables, start + r, workspace)
            i = np.int64(0)
        y, _, reward = given_parents(tables, arm, item(column, i), item(keep_word, i), item(word, i), item(noise, i))
        for k in range(seen.size):  # without a branch on y, because the CPU could not predict it
            seen[k] = (k == y) + (seen[k] if r > 0 else 0)
            seen_reward[k] = (reward if k == y else 0.0) + (seen_reward[k] if r > 0 else 0.0)
        total += reward
    return total


@helper
def draw_ahead(tables, start, workspace):
    """Draw the random words of the rounds from `start` to start + AHEAD - 1.

    They do not depend on what a policy does, so many can be drawn at once.
    """
    key, columns, scale = workspace.keys[WORLD], tables.keep.shape[1], tables.noise
    column, keep_word, word, noise = workspace.column, workspace.keep_word, workspace.word, workspace.noise
    for i in range(AHEAD):
        column[i], keep_word[i], word[i] = words_given_parents(columns, word_at(key, np.uint64(start + i)))
    if scale > 0.0:
        for i in range(AHEAD):
            noise[i] = scale * central_quantile(unit(word[i]))
        i = 0
        while i < AHEAD:
            # an inner loop, because LLVM would compute the logarithm for all of them otherwise
            while i < AHEAD and is_central(unit(word[i])):
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


def _draw_factors(tables, workspace, tally, layout, arm, rounds, start, block):
    """The same for a tally of factors: a few rounds one by one, a block in bulk."""
    if rounds < FACTORS_BULK:
        return draw_by_rounds(tables, workspace, tally, layout, arm, rounds, start, block)  # type: ignore[name-defined]  # noqa: F821
    if not workspace.has_block:
        return np.nan
    clear(tally)  # type: ignore[name-defined]  # noqa: F821
    return block(tables, arm, rounds, word_at(workspace.keys[WORLD], np.uint64(start)), workspace, layout, tally)


@cache
def drawer(columns: Columns) -> Callable[..., Any]:
    """The function that draws rounds and counts them in this kind of tally."""
    if columns.by_parents:
        return draw_parents
    if columns.in_bulk and not columns.counts_factors:
        return draw_arms if columns.counts_arms else draw_rewards
    bound = {**globals(), "clear": helper(columns.clear), "add": helper(columns.add)}
    by_rounds = lean(python_types.FunctionType(_draw_by_rounds.__code__, bound, "draw_by_rounds"))
    if not columns.counts_factors:
        return by_rounds
    bound["draw_by_rounds"] = by_rounds
    return lean(python_types.FunctionType(_draw_factors.__code__, bound, "draw_factors"))


def block_drawer(nature: tuple[Any, ...], columns: Columns, is_needed: bool) -> Address | None:
    """`draw_block` or `draw_factor_block` by its address, for the loops of all policies; None if there are no blocks.

    `nature` has the packed tables, workspace and tally, and the layout.
    """
    if not columns.in_bulk:
        return None
    tables, workspace, tally, layout = map(typeof, nature)
    others = (workspace, layout, tally) if columns.counts_factors else (workspace,)
    signature = types.float64(tables, types.int64, types.int64, types.uint64, *others)
    return Address(_block_function(columns), signature, is_needed)


def has_block_been_compiled(columns: Columns) -> bool:
    """Whether this process has drawn a block already."""
    return has_address(_block_function(columns))


def _block_function(columns: Columns) -> Any:
    return draw_factor_block if columns.counts_factors else draw_block
