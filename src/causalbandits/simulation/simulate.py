"""Simulate policies in a world, with many runs that are split into jobs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypedDict, TypeVar, Unpack, overload

import numpy as np

from ..errors import InputError
from ..money import UNIT, Money, decimal_text, millionths
from ..policies.checks import accept
from ..policies.contract import Policy
from ..problem import Problem
from ..regret import best_exact_reward
from ..world import World
from .arguments import check_options, check_world, chosen_policies, whole_number
from .jobs import Ints, Job, Played, job_of, play, ready
from .progress import progress_bar
from .results import PerPolicy, Result, versions_here
from .sketches import Digest, merged, sketch_runs

V = TypeVar("V")
Advance = Callable[[int], None]
CHUNKS = 16  # at most this many chunks per policy: enough for the progress bar and to keep all cores busy
CHUNK_BYTES = 1 << 22  # the largest array of pulls of a chunk if only the summary is kept
CHUNK_ROUNDS = 25_000  # rounds per chunk at least, if there are two chunks: a chunk takes a millisecond to start


class Options(TypedDict, total=False):
    """The options of `simulate`, for the type checker."""

    runs: int
    seed: int
    checkpoints: Iterable[Money] | None
    executor: Executor | None
    threads: int | None
    chunk: int | None
    compiled: bool | None
    progress: bool | None


@dataclass(frozen=True)
class Simulation:
    """A simulation that is ready to run: its checked arguments and its jobs."""

    world: World
    problem: Problem
    policies: Sequence[Policy]
    runs: int
    seed: int
    checkpoints: Ints  # millionths
    jobs: Sequence[Job]

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of the policies, by label."""
        return {policy.label: policy.kind for policy in self.policies}


@overload
def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str] | None = ...,
    *,
    keep: Literal["arrays"] = ...,
    **options: Unpack[Options],
) -> Result: ...


@overload
def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str] | None = ...,
    *,
    keep: Literal["summary"],
    **options: Unpack[Options],
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
    """Run policies many times in a world. Results depend on the seed, and not on how the runs are executed.

    Parameters:
        policies: instances or names; by default the policy that is recommended for the problem.
        checkpoints: the amounts of money (or rounds) at which pulls and regret are recorded; by default the end.
        keep: "arrays", or "summary" for moments and quantiles only, if there are more runs than fit in memory.
        executor: runs the jobs; by default `threads` threads, one per core. `chunk` is the number of runs per job.
        compiled: False runs the policies as plain Python, to debug them. True raises an error if one cannot be
            compiled. By default such a policy runs as plain Python, with a warning.
    """
    check_world(world, problem)
    chosen = chosen_policies(policies, problem)
    check_options(executor=executor, progress=progress, compiled=compiled)
    runs, seed = whole_number("number of runs", runs, 1), whole_number("seed", seed, 0)
    money = _checkpoints(problem, checkpoints)
    for policy in chosen:
        accept(policy, problem)
    if not isinstance(keep, str) or keep not in ("arrays", "summary"):
        raise InputError(f'keep is "arrays" or "summary", not {keep!r}.')
    run_bytes = 8 * len(money) * len(problem.arms)  # the size of the pulls of one run
    if keep == "arrays":
        _check_memory(len(chosen) * runs * run_bytes)
    if chunk is not None:
        size = whole_number("chunk", chunk, 1)
    else:
        size = _chunk(runs, problem.exact_budget // min(problem.exact_costs), run_bytes if keep == "summary" else 0)
    jobs = []
    for policy in chosen:
        whole = ready(job_of(world, problem, policy, seed, (0, runs), money), compiled)
        jobs += [replace(whole, first=first, last=min(first + size, runs)) for first in range(0, runs, size)]
    simulation = Simulation(world, problem, chosen, runs, seed, money, jobs)
    with _pool(executor, threads) as pool, progress_bar(progress, len(chosen) * runs) as advance:
        try:
            if keep == "summary":
                return _digest(simulation, pool, advance)
            return _result(simulation, pool, advance)
        except BaseException:  # also after Ctrl-C: jobs that run in this process stop at once
            for job in jobs:
                job.stop[0] = 1
            raise


def _result(simulation: Simulation, pool: Executor, advance: Advance) -> Result:
    """Run the jobs and collect their arrays."""
    problem, kinds, money = simulation.problem, simulation.kinds, simulation.checkpoints
    found = {label: Played.empty(simulation.runs, len(money), len(problem.arms)) for label in kinds}
    shares_memory = isinstance(pool, ThreadPoolExecutor)

    def play_in_place(job: Job) -> Played:
        return play(job, found[job.policy.label].part(job))

    for job, played in _finished(play_in_place if shares_memory else play, simulation.jobs, pool, advance):
        if not shares_memory:
            room = found[job.policy.label].part(job)
            room.pulls[:], room.recommended[:], room.left_over[:] = played.pulls, played.recommended, played.left_over
    return Result(
        world=simulation.world,
        problem=problem,
        policies=simulation.policies,
        runs=simulation.runs,
        seed=simulation.seed,
        exact_checkpoints=money,
        pulls=PerPolicy({label: played.pulls for label, played in found.items()}, kinds),
        recommended=PerPolicy({label: played.recommended for label, played in found.items()}, kinds),
        left_over=PerPolicy({label: played.left_over / UNIT for label, played in found.items()}, kinds),
        versions=versions_here(),
    )


def _digest(simulation: Simulation, pool: Executor, advance: Advance) -> Digest:
    """Run the jobs and add up their sketches."""
    problem, kinds, money = simulation.problem, simulation.kinds, simulation.checkpoints
    means = simulation.world.means(problem)
    best = np.array([best_exact_reward(problem, means, int(b)) for b in money])
    sketches = {
        (job.policy.label, job.first): sketch
        for job, sketch in _finished(partial(sketch_runs, means=means, best=best), simulation.jobs, pool, advance)
    }
    parts = {label: merged([sketches[key] for key in sorted(sketches) if key[0] == label]) for label in kinds}
    return Digest(
        world=simulation.world,
        problem=problem,
        policies=simulation.policies,
        runs=simulation.runs,
        seed=simulation.seed,
        checkpoints=money / UNIT,
        parts=PerPolicy(parts, kinds),
        versions=versions_here(),
    )


def _finished(
    work: Callable[[Job], V], jobs: Sequence[Job], pool: Executor, advance: Advance
) -> Iterator[tuple[Job, V]]:
    """The jobs with their results, in the order in which they finish."""
    futures: dict[Future[V], Job] = {pool.submit(work, job): job for job in jobs}
    try:
        for future in as_completed(futures):
            job = futures.pop(future)
            yield job, future.result()
            advance(job.last - job.first)
    finally:  # after an error, cancel the jobs that have not begun
        for future in futures:
            future.cancel()


def _chunk(runs: int, rounds: int, run_bytes: int) -> int:
    """The number of runs of a chunk. If `run_bytes` is not 0, their pulls fit into CHUNK_BYTES."""
    chunks = min(CHUNKS, max(2, runs * rounds // CHUNK_ROUNDS))
    return max(1, min(-(-runs // chunks), CHUNK_BYTES // run_bytes if run_bytes else runs))


def _check_memory(needed: int) -> None:
    """Refuse arrays that do not fit in memory, if the system reports how much is free."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return
    if needed > free:
        raise InputError(
            f"The pulls of all runs take {needed / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free; "
            'use keep="summary", fewer runs or fewer checkpoints.'
        )


def _checkpoints(problem: Problem, given: Iterable[Money] | None) -> Ints:
    """The checkpoints in millionths; by default the whole budget."""
    if given is None:
        return np.array([problem.exact_budget], np.int64)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"Give the checkpoints as a list, not {given!r}.")
    money = [millionths(checkpoint, "checkpoint") for checkpoint in given]
    if not money:
        raise InputError("Name at least one checkpoint, or leave checkpoints out to record the end only.")
    if any(a >= b for a, b in itertools.pairwise(money)):
        raise InputError(f"The checkpoints must increase, not {list(given)}.")
    if money[-1] > problem.exact_budget:
        what = "budget" if problem.horizon is None else "horizon"
        raise InputError(
            f"The checkpoint {decimal_text(money[-1])} is above the {what} {decimal_text(problem.exact_budget)}."
        )
    return np.array(money, np.int64)


@contextmanager
def _pool(executor: Executor | None, threads: int | None) -> Iterator[Executor]:
    """The executor that is given, or a pool of threads that is closed at the end."""
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
    """The number of cores that this process may use. Only Linux knows; elsewhere it is the number of all cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
