"""What a paper's experiments are made of, as values: studies to be run, the curves that come out, and their figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..money import UNIT
from ..plot import Place
from ..policies.contract import Policy
from ..problem import Problem
from ..regret import Estimate, best_reward
from ..simulation.results import Result
from ..world import World

if TYPE_CHECKING:
    from .claims import Claim

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """What a study varies: its name in CSV and how a figure labels it."""

    name: str
    label: str


@dataclass(frozen=True)
class Measure:
    """A number per run and curve: `of` a result, (runs,) per curve, or (runs, checkpoints) if the study's values are checkpoints."""

    name: str
    label: str
    of: Callable[[Result], Mapping[str, Floats]]
    largest: Callable[[Result], float | Floats] = lambda result: (
        math.inf
    )  # what it can be at most, as far as that is known
    is_share: bool = False  # it is 0 or 1, and its mean a share of the runs


def _best(result: Result) -> float:
    """G_B, the most that can be earned."""
    return best_reward(result.problem, result.means, result.problem.budget)


def _most_lost(result: Result) -> Floats:
    """The most that can be lost at every checkpoint: all that could have been earned, and what the worst arm may take away."""
    best = [best_reward(result.problem, result.means, int(b)) for b in result.checkpoint_money]
    rounds = result.checkpoint_money // min(result.problem.costs)
    return np.asarray(np.array(best) - rounds * min(0.0, float(result.means.min())))


SIMPLE = Measure(
    "simple_regret", "simple regret", lambda result: result.simple_regret, lambda result: float(np.ptp(result.means))
)
CUMULATIVE = Measure(
    "cumulative_regret",
    "cumulative regret",
    lambda result: {k: v[:, -1] for k, v in result.cumulative_regret.items()},
    lambda result: float(_most_lost(result)[-1]),
)
ALONG = Measure("cumulative_regret", "cumulative regret", lambda result: result.cumulative_regret, _most_lost)
LOST = Measure(
    "share_lost",
    "regret / best possible reward",
    lambda result: {k: v / _best(result) for k, v in result.cumulative_regret.items()},
    lambda result: _most_lost(result) / _best(result),
)
LOST_IN_THE_END = Measure(
    "share_lost",
    LOST.label,
    lambda result: {k: v[:, -1] for k, v in LOST.of(result).items()},
    lambda result: np.atleast_1d(LOST.largest(result))[-1],
)
LEFT = Measure(
    "left_over",
    "runs that left money which could buy something",
    lambda result: {
        k: (np.asarray(v) * UNIT >= min(result.problem.costs) - 0.5).astype(float) for k, v in result.left_over.items()
    },
    lambda result: 1.0,
    is_share=True,
)
WATCHED = Measure(
    "only_watched",
    "runs that only watched",
    lambda result: {k: _only_watched(v, result) for k, v in result.pulls.items()},
    lambda result: 1.0,
    is_share=True,
)


def _only_watched(pulls: NDArray[np.int64], result: Result) -> Floats:
    """1 for a run that spent all it could on watching. (One that wanted to intervene and could not afford to has money left.)"""
    return np.asarray(pulls[:, -1, 0] == result.problem.budget // result.problem.costs[0], dtype=float)


def ratio(to: str, *of: str) -> Measure:
    """Mean cumulative regret of some policies divided by that of another.

    The runs are those of the delta method: around the ratio r of the means they vary as (a - r b) / mean(b).
    """

    def ratios(result: Result) -> dict[str, Floats]:
        last = {label: regrets[:, -1] for label, regrets in result.cumulative_regret.items()}
        below = last[to]
        found = {}
        for label in of:
            divisor = below.mean() if below.mean() > 0 else np.nan
            r = last[label].mean() / divisor
            found[f"{label} / {to}"] = r + (last[label] - r * below) / divisor
        return found

    return Measure("ratio", "ratio of cumulative regrets", ratios)


@dataclass(frozen=True)
class Study:
    """Policies simulated at every value of an axis; or once, if the values are `checkpoints` on the way to the last one.

    Or once in each of some `worlds`, by number; then the values are shares of the money, and what elsewhere is a run is the average of a world.
    """

    id: str
    axis: Axis
    values: Sequence[float]
    setting: Callable[[float], tuple[World, Problem]]
    policies: Sequence[Policy]
    runs: int
    measures: Sequence[Measure] = (SIMPLE,)
    checkpoints: bool = False
    sizes: Mapping[str, Callable[[float], float]] = field(
        default_factory=dict
    )  # what else changes with the value, to stand beside the numbers
    worlds: Sequence[float] = ()
    called: Callable[[float], str] | None = None  # what a value is called, where "axis = value" does not say it
    rank: bool = False  # the values number worlds drawn at random: what counts is the distribution of the results

    def name_of(self, value: float) -> str:
        return self.called(value) if self.called else f"{self.axis.name} = {value:.12g}"


@dataclass(frozen=True)
class Curves:
    """What a study found: (values, runs) for every measure and curve."""

    study: Study
    runs: int
    samples: Mapping[str, Mapping[str, Floats]]
    largest: Mapping[str, Floats]  # (values,) by measure: what a run can be at most

    @property
    def x(self) -> Floats:
        return np.array(self.study.values, dtype=float)

    def means(self, curve: str, measure: str | None = None) -> Floats:
        """The mean at every value; by default of the study's first measure."""
        return np.asarray(self.samples[measure or self.study.measures[0].name][curve].mean(axis=1))

    def rows(self) -> Iterator[tuple[float, str, str, Estimate]]:
        """Every number there is: value, measure, curve, and its mean over the runs with what it is worth."""
        for measure, curves in self.samples.items():
            for curve, samples in curves.items():
                for value, sample in zip(self.study.values, samples, strict=True):
                    yield value, measure, curve, Estimate.of(sample)


Data = Mapping[str, Curves]  # by study


@dataclass(frozen=True)
class Line:
    """Something to compare the curves with, as a function of the axis."""

    label: str
    of: Callable[[float], float]


@dataclass(frozen=True)
class Panel:
    """The curves of a study in one measure (default: its first), all or some of them."""

    study: str
    measure: str | None = None
    curves: Sequence[str] | None = None
    lines: Sequence[Line] = ()
    marks: Callable[[], Sequence[Place]] = tuple
    log: str = ""  # axes with a logarithmic scale: "", "x", "y" or "xy"
    ticks: Sequence[str] = ()  # names of the values, where these only number what has no order; drawn as points


@dataclass(frozen=True)
class Figure:
    """Panels on top of each other that share their x axis, with a caption."""

    id: str
    caption: str
    panels: Sequence[Panel]


@dataclass(frozen=True)
class Part:
    """A section of the report: a question, the studies that answer it, what they show (in words around computed numbers) and the claims."""

    id: str
    title: str
    question: str
    studies: Sequence[Study]
    figures: Sequence[Figure]
    shows: Callable[[Data], Sequence[str]]
    claims: Sequence[Claim]


@dataclass(frozen=True)
class Wording:
    """What a report calls the ones who claim, its verdicts, and its notes."""

    done: str = ", reproduced"  # after the title
    says: str = "the paper says"
    verdicts: Mapping[str, str] = field(default_factory=dict)  # other words for "reproduced" and "not reproduced"
    notes: str = "Deviations from the paper, and what it leaves open"

    def verdict(self, verdict: str) -> str:
        return self.verdicts.get(verdict, verdict)


@dataclass(frozen=True)
class Paper:
    """A paper to be reproduced; or a report of our own that makes claims."""

    id: str
    title: str
    reference: str
    parts: Sequence[Part]
    deviations: Sequence[str]  # where we differ from the paper or decide what it leaves open
    wording: Wording = Wording()
