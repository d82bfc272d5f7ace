"""A job: some runs of one policy, as values that can be sent to any thread, process or machine."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numba import NumbaError
from numpy.typing import NDArray

from ..engine.bridge.cache import forget_failures, is_on_disk
from ..engine.bridge.helpers import checks_bounds, is_plain, with_helpers
from ..engine.compile import code_of, compiled_loop, is_ours, loop_with
from ..engine.cpu.draw import block_drawer, has_block_been_compiled, new_workspace, packed
from ..engine.cpu.loop import BAD_ANSWER, NEEDS_BLOCK, STOPPED, UNPLAYED, Found, Nature, Runs
from ..engine.cpu.tables import Tables, node_names, tables_of
from ..engine.cpu.unpack import unpack_run
from ..engine.streams import KEYS, POLICY, SEED, key_of
from ..errors import InputError
from ..policies.answers import checked_functions
from ..policies.columns import columns_named
from ..policies.contract import FUNCTIONS, Policy
from ..policies.earlier import own_copy
from ..policies.view import View
from ..problem import Problem
from ..world import World

Ints = NDArray[np.int64]
REHEARSED = 100  # blocks of rounds
Mode = Literal["lean", "allocating", "plain"]  # compiled; compiled, and ask and tell may allocate; plain Python


@dataclass(frozen=True)
class Job:
    """Runs first .. last - 1 of a policy."""

    policy: Policy
    view: View
    tables: Tables
    tally: Any  # an empty tally with the columns that the policy reads
    layout: Any  # the layout of these columns
    seed: int
    first: int
    last: int
    checkpoints: Ints  # millionths
    mode: Mode = "plain"
    code: str = ""  # the hash of the code that is compiled
    is_debugged: bool = False  # errors of the policy are shown as they are
    is_explained: bool = False  # played once more to find the line of a mistake
    log_rows: int = 0  # the number of blocks to record, for a single run
    stop: Ints = field(default_factory=lambda: np.zeros(1, np.int64))  # 1 ends the job early, in this process only


def job_of(world: World, problem: Problem, policy: Policy, seed: int, runs: tuple[int, int], checkpoints: Ints) -> Job:
    """The job for the runs runs[0] .. runs[1] - 1 of a policy. It is not compiled yet: see `ready`."""
    columns = columns_named(policy.reads)
    position = {name: i for i, name in enumerate(node_names(world))}
    return Job(
        policy=policy,
        view=policy.view(problem),
        tables=tables_of(world, problem, columns),
        tally=columns.tally(problem),
        layout=columns.layout(problem, position),
        seed=seed,
        first=runs[0],
        last=runs[1],
        checkpoints=checkpoints,
    )


def keys_of(seed: int) -> NDArray[np.uint64]:
    """The keys of the random streams. The key of the policy is set later."""
    keys = np.zeros(KEYS, np.uint64)
    keys[SEED] = key_of(f"seed {seed}")
    return keys


@dataclass(frozen=True)
class Played:
    """The arrays that a job fills."""

    pulls: Ints  # (runs, checkpoints, arms)
    recommended: Ints  # (runs,)
    left_over: Ints  # (runs,) millionths
    log: Ints  # (blocks, 2) arm and rounds, of a single run

    @classmethod
    def empty(cls, runs: int, checkpoints: int, arms: int, log_rows: int = 0) -> Played:
        """Arrays for this number of runs, not filled yet."""
        pulls = np.empty((runs, checkpoints, arms), np.int64)
        return cls(pulls, np.empty(runs, np.int64), np.empty(runs, np.int64), np.zeros((log_rows, 2), np.int64))

    def part(self, job: Job) -> Played:
        """The slices for the runs of a job."""
        runs = slice(job.first, job.last)
        return Played(self.pulls[runs], self.recommended[runs], self.left_over[runs], self.log)


def play(job: Job, room: Played | None = None) -> Played:
    """Play the runs of a job, and write them into `room` if it is given.

    The code that draws blocks is compiled only when a run needs it. The job then starts again.
    """
    found = room or Played.empty(job.last - job.first, job.checkpoints.size, job.view.arms, job.log_rows)
    try:
        code = _play(job, found, has_block_been_compiled(columns_named(job.policy.reads)))
        if code == NEEDS_BLOCK:
            code = _play(job, found, True)
    except Exception as error:
        if job.mode == "plain" or isinstance(error, NumbaError) or job.first == job.last:
            raise
        raise _explained(job, found, f"failed with {type(error).__name__}: {error}") from error
    if code == STOPPED:
        raise CancelledError
    if code == BAD_ANSWER:
        raise _explained(job, found, "answered with an arm or a count that is not possible")
    return found


def _explained(job: Job, found: Played, finding: str) -> InputError:
    """What went wrong in a compiled run: the same run again as plain Python, where the line of a mistake is known."""
    run = job.first + int(np.argmax(found.left_over == UNPLAYED))
    one = replace(job, first=run, last=run + 1, log_rows=0, stop=np.zeros(1, np.int64))
    again = replace(one, mode="plain", is_explained=True)
    try:
        with np.errstate(all="ignore"):
            play(again)
    except InputError as error:
        return error
    return InputError(
        f"{job.policy.kind} {finding} in run {run}, and does not as plain Python; "
        "whole numbers of compiled code end at 2**63 and division by zero gives inf: compare with compiled=False."
    )


def _play(job: Job, found: Played, has_block: bool, **other: Callable[..., Any]) -> int:
    """Run the loop. Return 0 or a code of the loop. `other` functions take the place of the policy's, in plain mode."""
    found.left_over.fill(UNPLAYED)
    view, tally = own_copy(job.view), deepcopy(job.tally)  # each thread needs its own memory
    workspace = new_workspace(job.tables, tally, keys_of(job.seed), has_block, job.stop)
    workspace.keys[POLICY] = job.policy.key
    packed_tables, packed_workspace, packed_view, packed_tally = packed(job.tables, workspace, view, tally)
    if job.mode == "plain":
        version = is_plain if job.is_explained else checks_bounds
        functions = {name: with_helpers(getattr(type(job.policy), name), version) for name in FUNCTIONS} | other
        functions = checked_functions(job.policy, functions, view.arms, words_errors=not job.is_debugged)
        loop, records = loop_with(columns_named(job.policy.reads), functions), (view, tally)
    else:
        loop = compiled_loop(type(job.policy), job.code, allocates=job.mode == "allocating")
        records = (packed_view, packed_tally)
    sampler = packed_tables, packed_workspace, packed_tally, job.layout
    nature = Nature(*sampler, block_drawer(sampler, columns_named(job.policy.reads), has_block))
    runs = Runs(workspace.keys, job.first, job.last, job.checkpoints, job.stop)
    room = Found(found.pulls, found.recommended, found.left_over, found.log)
    code: int = loop(job.policy, *records, nature, runs, room)
    return code


def rounds_of(tables: Tables, seed: int, run: int, blocks: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """The rounds of the blocks of a run, drawn from the same random streams as in `play`.

    Returns the values of every node (rounds, nodes) and the rewards (rounds,).
    """
    rounds = int(blocks[:, 1].sum())
    values, rewards = np.zeros((rounds, tables.cards.size), np.int64), np.zeros(rounds)
    workspace = new_workspace(tables, None, keys_of(seed), False, np.zeros(1, np.int64))
    packed_tables, packed_workspace = packed(tables, workspace)
    unpack_run(packed_tables, packed_workspace, blocks, run, values, rewards)
    return values, rewards


def ready(job: Job, compiled: bool | None) -> Job:
    """The job with the mode in which its policy can run. To find out, each mode is compiled and plays zero runs."""
    kind = type(job.policy)
    if compiled is False or (compiled is None and kind in _PLAIN):
        return replace(job, is_debugged=compiled is False)
    job = replace(job, code=code_of(kind))
    error: NumbaError | None = None
    modes: list[Mode] = (
        ["allocating"] if is_on_disk(compiled_loop(kind, job.code, allocates=True)) else ["lean", "allocating"]
    )
    for mode in modes:
        try:
            play(replace(job, last=job.first, mode=mode))
            if not is_ours(kind):
                rehearse(job)
            return replace(job, mode=mode)
        except NumbaError as failure:
            error = failure
            forget_failures()
    if compiled is True:
        raise InputError(f"{job.policy.kind} cannot be compiled; Numba's reason is above.") from error
    _PLAIN.add(kind)
    reason = next(
        (line.strip() for line in str(error).splitlines() if line.strip() and "Failed in" not in line),
        "no reason given",
    )
    warnings.warn(
        f"{job.policy.kind} cannot be compiled ({reason}): it runs as plain Python, many times slower; "
        "compiled=True shows the whole error.",
        RuntimeWarning,
        stacklevel=3,
    )
    return job


def rehearse(job: Job) -> None:
    """Begin a first run as plain Python, and raise InputError where it divides by zero. Compiled code does not notice.

    Every other mistake is left to the compiled run, which meets all rounds of all runs.
    """
    stop, calls = np.zeros(1, np.int64), itertools.count(1)

    def tell(*arguments: Any) -> None:
        type(job.policy).tell(*arguments)
        stop[0] = next(calls) >= REHEARSED

    first = replace(job, last=job.first + 1, mode="plain", is_explained=True, log_rows=0, stop=stop)
    try:
        with np.errstate(all="ignore"):
            has_block = has_block_been_compiled(columns_named(job.policy.reads))
            _play(first, Played.empty(1, job.checkpoints.size, job.view.arms), has_block, tell=tell)
    except Exception as error:
        if isinstance(error.__cause__, ZeroDivisionError):
            raise


_PLAIN: set[type[Policy]] = set()  # policies that cannot be compiled; the user is warned once
