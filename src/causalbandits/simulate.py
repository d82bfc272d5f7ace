"""Simulation: policies x a world x many runs; and one run again, round by round."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .engine.tables import node_names, tables_of
from .errors import InputError
from .intervention import Intervention
from .jobs import Ints, Job, Played, mode_of, play, rounds_of
from .money import UNIT, Money, in_words, millionths
from .policies.base import Policy, accept, policy_named
from .problem import Problem
from .result import PerPolicy, Result, versions_here
from .world import World

CHUNKS = 16  # per policy at most: enough for progress and for sharing among cores
ROUNDS = 25_000  # of a chunk at least, but for two per policy: a chunk costs a millisecond to send out


def simulate(
    world: World,
    problem: Problem,
    policies: Policy | str | Sequence[Policy | str],
    *,
    runs: int = 1000,
    seed: int = 0,
    checkpoints: Iterable[Money] | None = None,
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
    view = problem.view()
    chunks = min(CHUNKS, max(2, runs * view.rounds // ROUNDS))
    size = -(-runs // chunks) if chunk is None else _whole("chunk", chunk, 1)
    tables = {reads: tables_of(world, problem, reads) for reads in {policy.reads for policy in chosen}}
    jobs = []
    for policy in chosen:
        whole = Job(policy, view, tables[policy.reads], seed, 0, runs, money, "plain")
        whole = replace(whole, mode=mode_of(whole, compiled))
        jobs += [replace(whole, first=first, last=min(first + size, runs)) for first in range(0, runs, size)]
    kinds = {policy.label: policy.kind for policy in chosen}
    pulls = PerPolicy({label: np.empty((runs, len(money), len(problem.arms)), np.int64) for label in kinds}, kinds)
    recommended = PerPolicy({label: np.empty(runs, np.int64) for label in kinds}, kinds)
    left_over = PerPolicy({label: np.empty(runs) for label in kinds}, kinds)
    with _pool(executor, threads) as pool, _bar(progress, len(chosen) * runs) as advance:
        futures: dict[Future[Played], Job] = {pool.submit(play, job): job for job in jobs}
        try:
            for future in as_completed(futures):
                job, label, found = futures[future], futures[future].policy.label, future.result()
                pulls[label][job.first : job.last] = found.pulls
                recommended[label][job.first : job.last] = found.recommended
                left_over[label][job.first : job.last] = found.left_over / UNIT
                advance(job.last - job.first)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return Result(world, problem, chosen, runs, seed, money, pulls, recommended, left_over, versions_here())


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


def trace(world: World, problem: Problem, policy: Policy | str, seed: int = 0, run: int = 0, *, compiled: bool | None = None) -> Trace:
    """One run of a simulation again, from the same streams and with the same result, with every round shown."""
    listed = _policies(policy)
    if len(listed) != 1:
        raise InputError(f"A trace is of one policy, not of {len(listed)}; name one.")
    (chosen,) = listed
    _check_world(world, problem)
    seed, run = _whole("seed", seed, 0), _whole("run", run, 0)
    accept(chosen, problem)
    view = problem.view()
    tables = tables_of(world, problem, chosen.reads)
    nothing = np.zeros(0, np.int64)
    job = Job(chosen, view, tables, seed, run, run + 1, nothing, "plain")
    job = replace(job, mode=mode_of(job, compiled))
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


def _policies(said: Policy | str | Sequence[Policy | str]) -> list[Policy]:
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
