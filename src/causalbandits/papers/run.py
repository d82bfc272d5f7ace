"""Carry out a paper: run its studies, judge its claims. Knows no paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError, unknown
from ..result import Result
from ..simulate import simulate
from .claims import Claim, Judgement
from .study import Curves, Data, Floats, Paper, Part, Study


@dataclass(frozen=True)
class Reproduction:
    """A paper, or some of its parts, carried out."""

    paper: Paper  # only the parts that were run
    seed: int
    runs: int | None  # instead of the paper's own numbers
    data: Mapping[str, Curves]  # by study
    judgements: Mapping[str, Judgement]  # by claim
    seconds: float

    def claims(self) -> Iterator[tuple[Part, Claim, Judgement]]:
        for part in self.paper.parts:
            for claim in part.claims:
                yield part, claim, self.judgements[claim.id]


def select(paper: Paper, only: Sequence[str]) -> Paper:
    """The parts that were asked for, by their id, its beginning ("2" is 2a and 2b) or the id of a claim; all, if nothing was."""
    wanted = [word.strip() for said in only for word in said.split(",") if word.strip()]
    chosen: set[str] = set()
    for word in wanted:
        found = [part.id for part in paper.parts if part.id == word or word in {claim.id for claim in part.claims}]
        found = found or [part.id for part in paper.parts if part.id.startswith(word)]
        if not found:
            raise unknown("part of the paper called", word, [part.id for part in paper.parts])
        chosen.update(found)
    return replace(paper, parts=[part for part in paper.parts if part.id in chosen]) if wanted else paper


def simulations(paper: Paper) -> int:
    """How many simulations a paper takes: the unit of progress."""
    return sum(1 if study.checkpoints else len(study.values) for part in paper.parts for study in part.studies)


def reproduce(
    paper: Paper,
    *,
    runs: int | None = None,
    seed: int = 1,
    advance: Callable[[str], None] = lambda title: None,
    finished: Callable[[Part, Data], None] = lambda part, data: None,
) -> Reproduction:
    """Run everything and judge every claim. `advance` is told the title of the part after every simulation, `finished` gets each part's data."""
    if runs is not None and runs < 2:
        raise InputError(f"The number of runs must be at least 2, not {runs}; one run says nothing about a mean.")
    start = time.perf_counter()
    data: dict[str, Curves] = {}
    for part in paper.parts:
        for study in part.studies:
            data[study.id] = _run(study, runs or study.runs, seed, lambda title=part.title: advance(title))  # type: ignore[misc]
        finished(part, {study.id: data[study.id] for study in part.studies})
    judgements = {claim.id: claim.test.judge(data) for part in paper.parts for claim in part.claims}
    return Reproduction(paper, seed, runs, data, judgements, time.perf_counter() - start)


def _run(study: Study, runs: int, seed: int, advance: Callable[[], None]) -> Curves:
    columns: dict[str, dict[str, list[Floats]]] = {measure.name: {} for measure in study.measures}
    for result in _results(study, runs, seed):
        for measure in study.measures:
            for curve, values in measure.of(result).items():
                columns[measure.name].setdefault(curve, []).append(np.asarray(values))
        advance()
    samples = {m: {c: parts[0].T if study.checkpoints else np.stack(parts) for c, parts in curves.items()} for m, curves in columns.items()}
    return Curves(study, runs, samples)


def _results(study: Study, runs: int, seed: int) -> Iterator[Result]:
    if study.checkpoints:
        world, problem = study.setting(study.values[-1])
        yield simulate(world, problem, study.policies, runs=runs, seed=seed, checkpoints=study.values, progress=False)
        return
    for value in study.values:
        world, problem = study.setting(value)
        yield simulate(world, problem, study.policies, runs=runs, seed=seed, progress=False)
