"""Simulation: policies x a world x many runs; and one run again, round by round."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar, overload

import numpy as np

from ..errors import InputError
from ..money import UNIT, Money, decimal_text, millionths
from ..policies.checks import accept
from ..policies.contract import Policy
from ..problem import Problem
from ..regret import best_reward
from ..world import World
from .arguments import check_world, chosen_policies, whole_number
from .jobs import Ints, Job, Played, job_of, play, ready
from .sketches import Digest, digest, merged
from .progress import progress_bar
from .results import PerPolicy, Result, versions_here

V = TypeVar("V")
Advance = Callable[[int], None]
CHUNKS = 16  # per policy at most: enough for progress and for sharing among cores
CHUNK_BYTES = 1 << 22  # of pulls, at most, where only their summary is kept
ROUNDS = 25_000  # of a chunk at least, but for two per policy: a chunk costs a millisecond to send out


@overload
def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str] | None = ...,
    *,
    runs: int = ...,
    seed: int = ...,
    checkpoints: Iterable[Money] | None = ...,
    keep: Literal["arrays"] = ...,
    executor: Executor | None = ...,
    threads: int | None = ...,
    chunk: int | None = ...,
    compiled: bool | None = ...,
    progress: bool | None = ...,
) -> Result: ...


@overload
def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str] | None = ...,
    *,
    runs: int = ...,
    seed: int = ...,
    checkpoints: Iterable[Money] | None = ...,
    keep: Literal["summary"],
    executor: Executor | None = ...,
    threads: int | None = ...,
    chunk: int | None = ...,
    compiled: bool | None = ...,
    progress: bool | None = ...,
) -> Digest: ...


def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str] | None = None,
    *,
    runs: int = 1000,
    seed: int = 0,
    checkpoints: Iterable[Money] | None = None,
    keep: Literal["arrays", "summary"] = "arrays",
    executor: Executor | None = None,
    threads: int | None = None,
    chunk: int | None = None,
    compiled: bool | None = None,
    progress: bool | None = None,
) -> Result | Digest:
    """Run policies many times in a world; by default the one that is recommended for the problem.

    Checkpoints are money (or rounds, with a horizon) at which pulls and cumulative regret are recorded; default: the end. `keep="summary"`
    keeps moments and quantiles in place of arrays, for more runs than fit in memory. `executor` runs the chunks; default: `threads` threads,
    one per core. `compiled=False` runs the policies as plain Python, to debug them; by default they are compiled, and what Numba cannot
    compile runs as plain Python and says so once. Results depend on the seed alone, not on any of these.
    """
    chosen = chosen_policies(policies, problem)
    check_world(world, problem)
    runs, seed = whole_number("number of runs", runs, 1), whole_number("seed", seed, 0)
    money = _checkpoints(problem, checkpoints)
    for policy in chosen:
        accept(policy, problem)
    if keep not in ("arrays", "summary"):
        raise InputError(f'keep is "arrays" or "summary", not {keep!r}.')
    row = 8 * len(money) * len(problem.arms)  # bytes of a run's pulls
    if keep == "arrays":
        _check_memory(len(chosen) * runs * row)
    size = (
        whole_number("chunk", chunk, 1)
        if chunk is not None
        else _chunk(runs, problem.budget // min(problem.costs), row if keep == "summary" else 0)
    )
    jobs = []
    for policy in chosen:
        whole = ready(job_of(world, problem, policy, seed, (0, runs), money), compiled)
        jobs += [replace(whole, first=first, last=min(first + size, runs)) for first in range(0, runs, size)]
    with _pool(executor, threads) as pool, progress_bar(progress, len(chosen) * runs) as advance:
        finish = _summarised if keep == "summary" else _collected
        try:
            return finish(world, problem, chosen, runs, seed, money, jobs, pool, advance)
        except BaseException:  # Ctrl-C too: what runs in this process ends at once
            for job in jobs:
                job.stop[0] = 1
            raise


def _collected(
    world: World,
    problem: Problem,
    chosen: Sequence[Policy],
    runs: int,
    seed: int,
    money: Ints,
    jobs: list[Job],
    pool: Executor,
    advance: Advance,
) -> Result:
    kinds = {policy.label: policy.kind for policy in chosen}
    found = {label: Played.empty(runs, len(money), len(problem.arms)) for label in kinds}
    shares_memory = isinstance(pool, ThreadPoolExecutor)

    def work(job: Job) -> Played:
        return play(job, found[job.policy.label].part(job))

    for job, played in _played(work if shares_memory else play, jobs, pool, advance):
        if not shares_memory:
            room = found[job.policy.label].part(job)
            room.pulls[:], room.recommended[:], room.left_over[:] = played.pulls, played.recommended, played.left_over
    pulls = PerPolicy({label: played.pulls for label, played in found.items()}, kinds)
    recommended = PerPolicy({label: played.recommended for label, played in found.items()}, kinds)
    left_over = PerPolicy({label: played.left_over / UNIT for label, played in found.items()}, kinds)
    return Result(world, problem, chosen, runs, seed, money, pulls, recommended, left_over, versions_here())


def _summarised(
    world: World,
    problem: Problem,
    chosen: Sequence[Policy],
    runs: int,
    seed: int,
    money: Ints,
    jobs: list[Job],
    pool: Executor,
    advance: Advance,
) -> Digest:
    means = world.means(problem)
    best = np.array([best_reward(problem, means, int(b)) for b in money])
    parts = {
        (job.policy.label, job.first): part
        for job, part in _played(partial(digest, means=means, best=best), jobs, pool, advance)
    }
    kinds = {policy.label: policy.kind for policy in chosen}
    each = {label: merged([parts[key] for key in sorted(parts) if key[0] == label]) for label in kinds}
    return Digest(world, problem, chosen, runs, seed, money / UNIT, PerPolicy(each, kinds), versions_here())


def _played(work: Callable[[Job], V], jobs: list[Job], pool: Executor, advance: Advance) -> Iterator[tuple[Job, V]]:
    """The jobs with what they gave, in the order in which they are done."""
    futures: dict[Future[V], Job] = {pool.submit(work, job): job for job in jobs}
    try:
        for future in as_completed(futures):
            job = futures.pop(future)
            yield job, future.result()
            advance(job.last - job.first)
    finally:  # what has not begun when this is left early
        for future in futures:
            future.cancel()


def _chunk(runs: int, rounds: int, row: int) -> int:
    """How many runs a chunk has; with the bytes of a row, not more than fit into CHUNK_BYTES."""
    chunks = min(CHUNKS, max(2, runs * rounds // ROUNDS))
    return max(1, min(-(-runs // chunks), CHUNK_BYTES // row if row else runs))


def _check_memory(needed: int) -> None:
    """Refuse arrays that would not fit, where the machine tells how much is free."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return
    if needed > free:
        raise InputError(
            f'The pulls of all runs take {needed / 1e9:.3g} GB and {free / 1e9:.3g} GB are free; use keep="summary", fewer runs or fewer checkpoints.'
        )


def _checkpoints(problem: Problem, said: Iterable[Money] | None) -> Ints:
    if said is None:
        return np.array([problem.budget], np.int64)
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise InputError(f"Give the checkpoints as a list, not {said!r}.")
    money = [millionths(checkpoint, "checkpoint") for checkpoint in said]
    if not money:
        raise InputError("Name at least one checkpoint, or leave checkpoints out for the end alone.")
    if any(a >= b for a, b in itertools.pairwise(money)):
        raise InputError(f"The checkpoints must grow, not {list(said)}.")
    if money[-1] > problem.budget:
        what = "budget" if problem.horizon is None else "horizon"
        raise InputError(
            f"The checkpoint {decimal_text(money[-1])} lies beyond the {what} {decimal_text(problem.budget)}."
        )
    return np.array(money, np.int64)


@contextmanager
def _pool(executor: Executor | None, threads: int | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
        return
    workers = whole_number("number of threads", threads, 1) if threads is not None else cores()
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """The cores that this process may use; only Linux can tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
