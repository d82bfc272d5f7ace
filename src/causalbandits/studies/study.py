"""The values that describe a paper's experiments: studies to run, the curves that they give, and figures."""

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
from ..regret import Estimate, best_exact_reward
from ..simulation.results import Result
from ..world import World
from .published import PublishedCurve

if TYPE_CHECKING:
    from .claims import Claim, Verdict

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """The quantity that a study varies: its column in CSV files and its label in figures."""

    name: str
    label: str


def _unlimited(result: Result) -> float:
    return math.inf


@dataclass(frozen=True)
class Measure:
    """A number per run and curve, computed from a result.

    `of` returns an array per curve: (runs,), or (runs, checkpoints) if the study's values are checkpoints.
    """

    name: str
    label: str
    of: Callable[[Result], Mapping[str, Floats]]
    largest: Callable[[Result], float | Floats] = _unlimited  # the largest possible value, where it is known
    is_share: bool = False  # every run gives 0 or 1, so that the mean is a share of the runs


def _best_reward(result: Result) -> float:
    """G_B, the largest reward that the budget can buy."""
    return best_exact_reward(result.problem, result.means, result.problem.exact_budget)


def _largest_regret(result: Result) -> Floats:
    """The largest possible regret at every checkpoint: the best reward, less what the worst arm can cost."""
    best = [best_exact_reward(result.problem, result.means, int(b)) for b in result.exact_checkpoints]
    rounds = result.exact_checkpoints // min(result.problem.exact_costs)
    return np.asarray(np.array(best) - rounds * min(0.0, float(result.means.min())))


def _last_checkpoint(samples: Mapping[str, Floats]) -> dict[str, Floats]:
    return {label: values[:, -1] for label, values in samples.items()}


SIMPLE_REGRET = Measure(
    "simple_regret", "simple regret", lambda result: result.simple_regret, lambda result: float(np.ptp(result.means))
)
CUMULATIVE_REGRET = Measure(
    "cumulative_regret",
    "cumulative regret",
    lambda result: _last_checkpoint(result.cumulative_regret),
    lambda result: float(_largest_regret(result)[-1]),
)
REGRET_AT_CHECKPOINTS = Measure(
    "cumulative_regret", "cumulative regret", lambda result: result.cumulative_regret, _largest_regret
)
SHARE_LOST_AT_CHECKPOINTS = Measure(
    "share_lost",
    "regret / best possible reward",
    lambda result: {label: regret / _best_reward(result) for label, regret in result.cumulative_regret.items()},
    lambda result: _largest_regret(result) / _best_reward(result),
)
SHARE_LOST = Measure(
    "share_lost",
    SHARE_LOST_AT_CHECKPOINTS.label,
    lambda result: _last_checkpoint(SHARE_LOST_AT_CHECKPOINTS.of(result)),
    lambda result: np.atleast_1d(SHARE_LOST_AT_CHECKPOINTS.largest(result))[-1],
)
MONEY_LEFT = Measure(
    "left_over",
    "runs that left money which could buy something",
    lambda result: {
        label: (np.asarray(money) * UNIT >= min(result.problem.exact_costs) - 0.5).astype(float)
        for label, money in result.left_over.items()
    },
    lambda result: 1.0,
    is_share=True,
)
ONLY_WATCHED = Measure(
    "only_watched",
    "runs that only watched",
    lambda result: {label: _only_watched(pulls, result) for label, pulls in result.pulls.items()},
    lambda result: 1.0,
    is_share=True,
)


def _only_watched(pulls: NDArray[np.int64], result: Result) -> Floats:
    """1 for a run that spent all its money on watching.

    A run that wanted to intervene but could not afford it has money left, and gives 0.
    """
    return np.asarray(pulls[:, -1, 0] == result.problem.exact_budget // result.problem.exact_costs[0], dtype=float)


def ratio(to: str, *of: str) -> Measure:
    """The mean cumulative regret of some policies, divided by that of another.

    The value of a run comes from the delta method:

        r + (a - r b) / mean(b)

    with a and b the regrets of the two policies in the run, and r = mean(a) / mean(b).
    """

    def ratios(result: Result) -> dict[str, Floats]:
        regrets = _last_checkpoint(result.cumulative_regret)
        below = regrets[to]
        found = {}
        for label in of:
            divisor = below.mean() if below.mean() > 0 else np.nan
            r = regrets[label].mean() / divisor
            found[f"{label} / {to}"] = r + (regrets[label] - r * below) / divisor
        return found

    return Measure("ratio", "ratio of cumulative regrets", ratios)


@dataclass(frozen=True)
class Study:
    """Policies simulated at every value of an axis.

    With `checkpoints` there is one simulation: it ends at the last value, and the others are checkpoints on the way.
    With `worlds` there is one simulation per world, and the values are shares of its money. The average of a world
    then takes the place of a run.
    """

    id: str
    axis: Axis
    values: Sequence[float]
    setting: Callable[[float], tuple[World, Problem]]
    policies: Sequence[Policy]
    runs: int
    measures: Sequence[Measure] = (SIMPLE_REGRET,)
    checkpoints: bool = False
    sizes: Mapping[str, Callable[[float], float]] = field(default_factory=dict)  # more columns for the tables
    worlds: Sequence[float] = ()  # their numbers
    value_name: Callable[[float], str] | None = None  # the name of a value, where "axis = value" is not enough
    rank: bool = False  # the values number random worlds, so that figures and tables show the distribution over them

    def name_of(self, value: float) -> str:
        return self.value_name(value) if self.value_name else f"{self.axis.name} = {value:.12g}"


@dataclass(frozen=True)
class Curves:
    """The results of a study: an array (values, runs) for every measure and curve."""

    study: Study
    runs: int
    samples: Mapping[str, Mapping[str, Floats]]
    largest: Mapping[str, Floats]  # by measure: the largest possible value of a run, (values,)

    @property
    def x(self) -> Floats:
        return np.array(self.study.values, dtype=float)

    def means(self, curve: str, measure: str | None = None) -> Floats:
        """The mean at every value, by default of the study's first measure."""
        return np.asarray(self.samples[measure or self.study.measures[0].name][curve].mean(axis=1))

    def rows(self) -> Iterator[tuple[float, str, str, Estimate]]:
        """Every number of the study: value, measure, curve, and the mean over the runs with its error."""
        for measure, curves in self.samples.items():
            for curve, samples in curves.items():
                for value, sample in zip(self.study.values, samples, strict=True):
                    yield value, measure, curve, Estimate.of(sample)


Data = Mapping[str, Curves]  # by study


@dataclass(frozen=True)
class Line:
    """A function of the axis that a figure shows beside the curves."""

    label: str
    of: Callable[[float], float]


@dataclass(frozen=True)
class Panel:
    """The curves of a study in one measure. By default: the first measure, and all curves."""

    study: str
    measure: str | None = None
    curves: Sequence[str] | None = None
    lines: Sequence[Line] = ()
    marks: Callable[[], Sequence[Place]] = tuple
    published: Sequence[PublishedCurve] = ()  # drawn as points
    log: str = ""  # the axes with a logarithmic scale: "", "x", "y" or "xy"
    ticks: Sequence[str] = ()  # names of values that have no order; these are drawn as points


@dataclass(frozen=True)
class Figure:
    """Panels on top of each other that share their x axis, with a caption."""

    id: str
    caption: str
    panels: Sequence[Panel]


@dataclass(frozen=True)
class Part:
    """A section of the report: a question, the studies that answer it, and claims to judge.

    `describe` returns paragraphs about the results, with numbers computed from them.
    """

    id: str
    title: str
    question: str
    studies: Sequence[Study]
    figures: Sequence[Figure]
    describe: Callable[[Data], Sequence[str]]
    claims: Sequence[Claim]


@dataclass(frozen=True)
class Wording:
    """The words of a report that depend on who makes the claims: titles, and names of verdicts."""

    title_suffix: str = ", reproduced"
    claims_heading: str = "statement"
    verdicts: Mapping[str, str] = field(default_factory=dict)  # other words for "reproduced" and "not reproduced"
    notes_heading: str = "Deviations from the paper, and what it leaves open"

    def verdict(self, verdict: str) -> str:
        return self.verdicts.get(verdict, verdict)


@dataclass(frozen=True)
class Paper:
    """A paper to reproduce, or a report of our own that makes claims.

    `module` is the module that defines it as PAPER. Worker processes import it from there, because functions cannot
    be sent to them. A paper without a module is reproduced in one process.
    """

    id: str
    title: str
    reference: str
    parts: Sequence[Part]
    deviations: Sequence[str]  # where we differ from the paper, or decide what it leaves open
    front: Callable[[Mapping[str, Verdict]], Sequence[str]] = lambda verdicts: ()  # what the report says first
    wording: Wording = Wording()
    module: str = ""
