"""Simulation: policies x a world x many runs; and one run again, round by round."""

from __future__ import annotations

import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from .engine.compile import compiled_loop, is_on_disk, plain_loop
from .engine.contract import Tally, View
from .engine.draw import BlockDrawer, new_scratch, unpack_run
from .engine.loop import pack_tally, pack_view
from .engine.record import fields_of
from .engine.streams import KEYS, POLICY, SEED, key_of
from .engine.tables import Tables, node_names, pack_tables, tables_of
from .errors import InputError
from .money import UNIT, Money, in_words, millionths
from .policies.base import Policy, accept, policy_named
from .problem import Problem
from .result import PerPolicy, Result, versions_here
from .world import World

CHUNKS = 16  # per policy: enough for progress and for sharing among cores, few enough to cost nothing

Ints = NDArray[np.int64]
Mode = Literal["lean", "allocating", "plain"]


@dataclass(frozen=True)
class Job:
    """Some runs of one policy, as values that can be sent anywhere."""

    policy: Policy
    view: View
    tables: Tables
    seed: int
    first: int
    last: int
    checkpoints: Ints
    mode: Mode
    log_rows: int = 0


def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str],
    *,
    runs: int = 1000,
    seed: int = 0,
    checkpoints: Sequence[Money] | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    chunk: int | None = None,
    compiled: bool | None = None,
    progress: bool | None = None,
) -> Result:
    """Run policies many times in a world.

    Checkpoints are money (or rounds, with a horizon) at which pulls and cumulative regret are recorded; default: the end. `executor` runs the
    chunks; default: `threads` threads, one per core. `compiled=False` runs the policies as plain Python, to debug them; by default they are
    compiled, and what Numba cannot compile runs as plain Python and says so once. Results depend on the seed alone, not on any of these.
    """
    chosen = _policies(policies)
    _check_world(world, problem)
    runs, seed = _whole("number of runs", runs, 1), _whole("seed", seed, 0)
    money = _checkpoints(problem, checkpoints)
    for policy in chosen:
        accept(policy, problem)
    size = max(1, -(-runs // CHUNKS)) if chunk is None else _whole("chunk", chunk, 1)
    view = problem.view()
    tables = {reads: tables_of(world, problem, reads) for reads in {policy.reads for policy in chosen}}
    jobs = []
    for policy in chosen:
        whole = Job(policy, view, tables[policy.reads], seed, 0, runs, money, "plain")
        whole = replace(whole, mode=_mode(whole, compiled))
        jobs += [replace(whole, first=first, last=min(first + size, runs)) for first in range(0, runs, size)]
    kinds = {policy.label: policy.kind for policy in chosen}
    pulls = PerPolicy({label: np.empty((runs, len(money), len(problem.arms)), np.int64) for label in kinds}, kinds)
    recommended = PerPolicy({label: np.empty(runs, np.int64) for label in kinds}, kinds)
    left_over = PerPolicy({label: np.empty(runs) for label in kinds}, kinds)
    with _pool(executor, threads) as pool, _bar(progress, len(chosen) * runs) as advance:
        futures: dict[Future[tuple[Ints, Ints, Ints, Ints]], Job] = {pool.submit(play, job): job for job in jobs}
        try:
            for future in as_completed(futures):
                job, label = futures[future], futures[future].policy.label
                pulls[label][job.first : job.last], recommended[label][job.first : job.last], left, _ = future.result()
                left_over[label][job.first : job.last] = left / UNIT
                advance(job.last - job.first)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return Result(world, problem, chosen, runs, seed, money, pulls, recommended, left_over, versions_here())


def play(job: Job) -> tuple[Ints, Ints, Ints, Ints]:
    """Carry out a job: pulls (runs, checkpoints, arms), recommended (runs,), left over (runs,), log of blocks."""
    runs = job.last - job.first
    pulls = np.empty((runs, job.checkpoints.size, job.view.arms), np.int64)
    recommended, left_over = np.empty(runs, np.int64), np.empty(runs, np.int64)
    log = np.zeros((job.log_rows, 2), np.int64)
    tables = pack_tables(fields_of(job.tables))
    tally = _tally(job)
    scratch = _scratch(tables, tally)
    loop = plain_loop(type(job.policy)) if job.mode == "plain" else compiled_loop(type(job.policy), allocates=job.mode == "allocating")
    view = replace(job.view, by_arm=job.view.by_arm.copy(), by_configuration=job.view.by_configuration.copy())  # one per thread
    block = BlockDrawer(tables, scratch)
    keys = _keys(job)
    if job.mode != "plain":
        view, tally = pack_view(fields_of(view)), pack_tally(fields_of(tally))
    unknown_arm = loop(
        job.policy, view, tables, scratch, block, tally, keys, job.first, job.last, job.checkpoints, pulls, recommended, left_over, log
    )
    if unknown_arm != 0:
        raise InputError(
            f"{job.policy.kind} chose arm {unknown_arm}, but the problem has arms 0 to {job.view.arms - 1}; correct its ask or recommend."
        )
    return pulls, recommended, left_over, log


@dataclass(frozen=True)
class Trace:
    """One run, round by round. `shown` are the values of the visible variables, `blocks` the settled blocks (arm, rounds)."""

    arms: Ints  # (rounds,)
    rewards: NDArray[np.float64]  # (rounds,)
    shown: dict[str, NDArray[np.str_]]  # by variable, (rounds,)
    blocks: Ints  # (blocks, 2)
    recommended: int
    left_over: float

    def __len__(self) -> int:
        return len(self.arms)


def trace(world: World, problem: Problem, policy: Policy | str, seed: int = 0, run: int = 0, *, compiled: bool | None = None) -> Trace:
    """One run of a simulation again, from the same streams and with the same result, with every round shown."""
    (chosen,) = _policies(policy)
    _check_world(world, problem)
    seed, run = _whole("seed", seed, 0), _whole("run", run, 0)
    accept(chosen, problem)
    view = problem.view()
    tables = tables_of(world, problem, chosen.reads)
    nothing = np.zeros(0, np.int64)
    job = Job(chosen, view, tables, seed, run, run + 1, nothing, "plain")
    job = replace(job, mode=_mode(job, compiled))
    rows = 1024
    while True:  # the number of blocks is not known before the run
        _, recommended, left_over, log = play(replace(job, log_rows=rows))
        if log[-1, 1] == 0 or rows >= view.rounds:
            break
        rows = min(rows * 8, view.rounds)
    blocks = log[log[:, 1] > 0]
    rounds = int(blocks[:, 1].sum())
    packed = pack_tables(fields_of(tables))
    values, rewards = np.zeros((rounds, tables.cards.size), np.int64), np.zeros(rounds)
    unpack_run(packed, blocks, _keys(job), run, _scratch(packed, _tally(job)), values, rewards)
    shown = {name: np.array(world.graph[name].values)[values[:, i]] for i, name in enumerate(node_names(world)) if not world.graph[name].hidden}
    return Trace(np.repeat(blocks[:, 0], blocks[:, 1]), rewards, shown, blocks, int(recommended[0]), float(left_over[0]) / UNIT)


def _tally(job: Job) -> Tally:
    """A tally with the columns that the policy reads; the others are empty."""
    arms = job.view.arms if job.policy.reads == "arms" else 0
    configurations = job.view.parents.shape[1] if job.policy.reads == "parents" else 0
    return Tally(0, 0.0, np.zeros(arms, np.int64), np.zeros(arms), np.zeros(configurations, np.int64), np.zeros(configurations))


def _scratch(tables: Any, tally: Tally) -> Any:
    return new_scratch(tables, tally.shown, tally.shown_reward, tally.seen, tally.seen_reward)


def _keys(job: Job) -> NDArray[np.uint64]:
    keys = np.zeros(KEYS, np.uint64)
    keys[SEED], keys[POLICY] = key_of(f"seed {job.seed}"), job.policy.key
    return keys


def _mode(job: Job, compiled: bool | None) -> Mode:
    """How the policy will run, found out by playing no run of it: compiled if Numba can, with allocation if it must."""
    kind = type(job.policy)
    if compiled is False or (compiled is None and kind in _PLAIN):
        return "plain"
    error: NumbaError | None = None
    modes: list[Mode] = ["allocating"] if is_on_disk(compiled_loop(kind, allocates=True)) else ["lean", "allocating"]
    for mode in modes:
        try:
            play(replace(job, last=job.first, mode=mode))
            return mode
        except NumbaError as failure:
            error = failure
            if "NRT required" not in str(failure):  # not for want of allocation
                break
    if compiled is True:
        raise InputError(f"{job.policy.kind} cannot be compiled; Numba's reason is above.") from error
    _PLAIN.add(kind)
    reason = next((line.strip() for line in str(error).splitlines() if line.strip() and "Failed in" not in line), "no reason given")
    warnings.warn(
        f"{job.policy.kind} cannot be compiled ({reason}): it runs as plain Python, many times slower; compiled=True shows the whole error.",
        RuntimeWarning,
        stacklevel=3,
    )
    return "plain"


_PLAIN: set[type[Policy]] = set()  # policies that were found not to compile, so that it is said once


def _policies(said: Policy | str | Sequence[Policy | str]) -> list[Policy]:
    listed = [said] if isinstance(said, Policy | str) else list(said)
    if not listed:
        raise InputError("Name at least one policy.")
    chosen = [policy_named(policy)() if isinstance(policy, str) else policy for policy in listed]
    for policy in chosen:
        if not isinstance(policy, Policy):
            raise InputError(f"A policy is an instance such as GammaNB(), or a name such as 'gamma-nb', not {policy!r}.")
    labels = [policy.label for policy in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"Two policies are called {label!r}; give one of them another name=.")
    return chosen


def _check_world(world: World, problem: Problem) -> None:
    if problem.graph != world.graph or problem.reward != world.reward:
        raise InputError("The problem belongs to another world; make it with world.problem(...).")


def _whole(what: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"The {what} must be a whole number, at least {least}, not {value!r}.")
    return int(value)


def _checkpoints(problem: Problem, said: Sequence[Money] | None) -> Ints:
    if said is None:
        return np.array([problem.budget], np.int64)
    money = [millionths(checkpoint, "checkpoint") for checkpoint in said]
    if not money:
        raise InputError("Name at least one checkpoint, or leave checkpoints out for the end alone.")
    if any(a >= b for a, b in itertools.pairwise(money)):
        raise InputError(f"The checkpoints must grow, not {list(said)}.")
    if money[-1] > problem.budget:
        what = "budget" if problem.horizon is None else "horizon"
        raise InputError(f"The checkpoint {in_words(money[-1])} lies beyond the {what} {in_words(problem.budget)}.")
    return np.array(money, np.int64)


@contextmanager
def _pool(executor: Executor | None, threads: int | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
        return
    workers = _whole("number of threads", threads, 1) if threads is not None else len(os.sched_getaffinity(0))
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _bar(wanted: bool | None, runs: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal; elsewhere nothing."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("simulating", total=runs)
        yield lambda done: bar.advance(task, done)
