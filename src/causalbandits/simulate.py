"""Simulation: policies x a world x many runs; and one run again, round by round."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .digest import Digest, digest, merged
from .engine.tables import node_names, tables_of
from .errors import InputError
from .intervention import Intervention
from .jobs import Ints, Job, Played, play, ready, rounds_of
from .money import UNIT, Money, in_words, millionths
from .policies.base import Policy, accept, policy_named
from .problem import Problem
from .recommend import recommend_policy
from .regret import best_reward
from .result import PerPolicy, Result, versions_here
from .world import World

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
    _check_world(world, problem)
    runs, seed = _whole("number of runs", runs, 1), _whole("seed", seed, 0)
    money = _checkpoints(problem, checkpoints)
    for policy in chosen:
        accept(policy, problem)
    if keep not in ("arrays", "summary"):
        raise InputError(f'keep is "arrays" or "summary", not {keep!r}.')
    row = 8 * len(money) * len(problem.arms)  # bytes of a run's pulls
    if keep == "arrays":
        _check_memory(len(chosen) * runs * row)
    size = _whole("chunk", chunk, 1) if chunk is not None else _chunk(runs, problem.budget // min(problem.costs), row if keep == "summary" else 0)
    tables = {reads: tables_of(world, problem, reads) for reads in {policy.reads for policy in chosen}}
    jobs = []
    for policy in chosen:
        whole = ready(Job(policy, policy.view(problem), tables[policy.reads], seed, 0, runs, money), compiled)
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
    world: World, problem: Problem, chosen: Sequence[Policy], runs: int, seed: int, money: Ints, jobs: list[Job], pool: Executor, advance: Advance
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
    world: World, problem: Problem, chosen: Sequence[Policy], runs: int, seed: int, money: Ints, jobs: list[Job], pool: Executor, advance: Advance
) -> Digest:
    means = world.means(problem)
    best = np.array([best_reward(problem, means, int(b)) for b in money])
    parts = {(job.policy.label, job.first): part for job, part in _played(partial(digest, means=means, best=best), jobs, pool, advance)}
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


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        return f"Trace({len(self)} rounds in {len(self.blocks)} blocks, recommends arm {self.recommended})"


def trace(world: World, problem: Problem, policy: Policy | str | None = None, seed: int = 0, run: int = 0, *, compiled: bool | None = None) -> Trace:
    """One run of a simulation again, from the same streams and with the same result, with every round shown."""
    listed = chosen_policies(policy, problem)
    if len(listed) != 1:
        raise InputError(f"A trace is of one policy, not of {len(listed)}; name one.")
    (chosen,) = listed
    _check_world(world, problem)
    seed, run = _whole("seed", seed, 0), _whole("run", run, 0)
    accept(chosen, problem)
    view = chosen.view(problem)
    tables = tables_of(world, problem, chosen.reads)
    nothing = np.zeros(0, np.int64)
    job = ready(Job(chosen, view, tables, seed, run, run + 1, nothing), compiled)
    rows = 1024
    while True:  # the number of blocks is not known before the run
        found = play(replace(job, log_rows=rows))
        if found.log[-1, 1] == 0 or rows >= job.view.rounds:
            break
        rows = min(rows * 8, job.view.rounds)
    blocks = found.log[found.log[:, 1] > 0]
    values, rewards = rounds_of(view, tables, seed, run, blocks)
    shown = _shown(world, values)
    arms = np.repeat(blocks[:, 0], blocks[:, 1])
    return Trace(arms, rewards, shown, blocks, int(found.recommended[0]), float(found.left_over[0]) / UNIT)


def sample(world: World, rounds: int, intervention: str | Mapping[str, Any] = "do()", seed: int = 0) -> dict[str, NDArray[Any]]:
    """Rounds of a world under an intervention, as a log would show them: the values of every visible variable, (rounds,) each."""
    rounds, seed = _whole("number of rounds", rounds, 1), _whole("seed", seed, 0)
    arm = Intervention.of(intervention)
    problem = world.problem(horizon=rounds, arms=[arm] if arm else None)
    blocks = np.array([[problem.arm(arm), rounds]])
    values, rewards = rounds_of(problem.view(), tables_of(world, problem, "rewards"), seed, 0, blocks)
    real = {} if world.graph[world.reward.variable].values else {world.reward.variable: rewards}
    return {**_shown(world, values), **real}


def _shown(world: World, values: Ints) -> dict[str, NDArray[np.str_]]:
    """The named values of the visible variables, by variable."""
    names = enumerate(node_names(world))
    return {name: np.array(world.graph[name].values)[values[:, i]] for i, name in names if not world.graph[name].hidden}


def chosen_policies(said: Policy | str | Sequence[Policy | str] | None, problem: Problem) -> list[Policy]:
    """The policies that were named, told apart by their labels; where none was, the one that is recommended for the problem."""
    if said is None:
        return [recommend_policy(problem).policy]
    listed = list(said) if isinstance(said, Sequence) and not isinstance(said, str) else [said]
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
        raise InputError(f"The checkpoint {in_words(money[-1])} lies beyond the {what} {in_words(problem.budget)}.")
    return np.array(money, np.int64)


@contextmanager
def _pool(executor: Executor | None, threads: int | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
        return
    workers = _whole("number of threads", threads, 1) if threads is not None else cores()
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """The cores that this process may use; only Linux can tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def progress_bar(wanted: bool | None, total: int, what: str = "simulating") -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal; elsewhere nothing."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
