"""Reproduce a paper: run its studies and judge its claims."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError, unknown
from ..money import Money, decimal_text
from ..simulation.simulate import simulate
from .claims import Claim, Judgement
from .study import Curves, Data, Floats, Paper, Part, Study


@dataclass(frozen=True)
class Reproduction:
    """The results of a paper, or of some of its parts."""

    paper: Paper  # only the parts that were run
    seed: int
    runs: int | None  # instead of the paper's own numbers
    data: Mapping[str, Curves]  # by study
    judgements: Mapping[str, Judgement]  # by claim

    def claims(self) -> Iterator[tuple[Part, Claim, Judgement]]:
        for part in self.paper.parts:
            for claim in part.claims:
                yield part, claim, self.judgements[claim.id]


def select(paper: Paper, only: Sequence[str]) -> Paper:
    """The paper with only some of its parts; with all of them if `only` is empty.

    A part is named by its id, by the beginning of its id ("2" is 2a and 2b) or by the id of a claim.
    """
    wanted = [name.strip() for names in only for name in names.split(",") if name.strip()]
    if only and not wanted:
        raise InputError(f"Name a part, one of {', '.join(part.id for part in paper.parts)}, or leave --only out.")
    chosen: set[str] = set()
    for name in wanted:
        found = [part.id for part in paper.parts if part.id == name or name in {claim.id for claim in part.claims}]
        found = found or [part.id for part in paper.parts if part.id.startswith(name)]
        if not found:
            raise unknown("part called", name, [part.id for part in paper.parts])
        chosen.update(found)
    return replace(paper, parts=[part for part in paper.parts if part.id in chosen]) if wanted else paper


def simulations(paper: Paper) -> int:
    """The number of simulations of a paper, which is the unit of progress."""
    return sum(_simulations(study) for part in paper.parts for study in part.studies)


def reproduce(
    paper: Paper,
    *,
    runs: int | None = None,
    seed: int = 1,
    pool: Executor | None = None,
    advance: Callable[[str], None] = lambda title: None,
    finished: Callable[[Part, Data], None] = lambda part, data: None,
) -> Reproduction:
    """Run all studies of a paper and judge its claims.

    `pool` holds processes that import the paper by its module. `advance` is called with the title of the part after
    every simulation, `finished` with the part and the data so far after every part.
    """
    if runs is not None and runs < 2:
        raise InputError(f"The number of runs must be at least 2, not {runs}; one run tells nothing about a mean.")
    if seed < 0:
        raise InputError(f"The seed must be at least 0, not {seed}.")
    tasks = [
        Task(part.id, study.id, i, runs or study.runs, seed)
        for part in paper.parts
        for study in part.studies
        for i in range(_simulations(study))
    ]
    if pool:  # not `map`: an interrupted `map` cancels the rest, which a pool cannot do while it shuts down
        futures = [pool.submit(run_task_of, paper.module, task) for task in tasks]
    results = (future.result() for future in futures) if pool else (run_task(paper, task) for task in tasks)
    data: dict[str, Curves] = {}
    for part in paper.parts:
        for study in part.studies:
            found = []
            for result in itertools.islice(results, _simulations(study)):
                found.append(result)
                advance(part.title)
            data[study.id] = _curves(study, runs or study.runs, found)
        finished(part, data)
    judgements = {claim.id: claim.test.judge(data) for part in paper.parts for claim in part.claims}
    return Reproduction(paper, seed, runs, data, judgements)


@dataclass(frozen=True)
class Task:
    """One simulation of a study. `index` counts the values of the study, or its worlds."""

    part: str
    study: str
    index: int
    runs: int
    seed: int


@dataclass(frozen=True)
class Measured:
    """The results of one simulation by measure: (runs,) or (runs, checkpoints) per curve, and the largest possible."""

    samples: Mapping[str, Mapping[str, Floats]]
    largest: Mapping[str, Floats]


def run_task_of(module: str, task: Task) -> Measured:
    """Run a task of the paper that a module defines as PAPER, in one thread. Worker processes call this."""
    return run_task(importlib.import_module(module).PAPER, task, threads=1)


def run_task(paper: Paper, task: Task, threads: int | None = None) -> Measured:
    """Run one simulation of a paper."""
    study = next(
        study for part in paper.parts if part.id == task.part for study in part.studies if study.id == task.study
    )
    value = study.worlds[task.index] if study.worlds else study.values[-1 if study.checkpoints else task.index]
    world, problem = study.setting(value)
    checkpoints: Sequence[Money] | None = study.values if study.checkpoints else None
    if study.worlds:
        checkpoints = [decimal_text(int(share * problem.exact_budget)) for share in study.values]
    result = simulate(
        world,
        problem,
        study.policies,
        runs=task.runs,
        seed=task.seed,
        checkpoints=checkpoints,
        threads=threads,
        progress=False,
    )
    samples = {
        measure.name: {curve: np.asarray(values) for curve, values in measure.of(result).items()}
        for measure in study.measures
    }
    return Measured(samples, {measure.name: np.atleast_1d(measure.largest(result)) for measure in study.measures})


def _simulations(study: Study) -> int:
    return len(study.worlds) or (1 if study.checkpoints else len(study.values))


def _curves(study: Study, runs: int, results: Sequence[Measured]) -> Curves:
    """The simulations of a study in one array (values, runs) for every measure and curve."""
    first = results[0]
    if study.worlds:
        averages = {
            m: {
                c: np.stack([result.samples[m][c].mean(axis=0) for result in results], axis=1) for c in first.samples[m]
            }
            for m in first.samples
        }
        return Curves(study, len(study.worlds), averages, {m: np.full(len(study.values), math.inf) for m in averages})
    if study.checkpoints:
        return Curves(
            study,
            runs,
            {m: {c: values.T for c, values in curves.items()} for m, curves in first.samples.items()},
            first.largest,
        )
    samples = {
        m: {c: np.stack([result.samples[m][c] for result in results]) for c in curves}
        for m, curves in first.samples.items()
    }
    return Curves(
        study, runs, samples, {m: np.concatenate([result.largest[m] for result in results]) for m in first.largest}
    )
