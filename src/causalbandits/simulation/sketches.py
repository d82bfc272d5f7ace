"""Summaries of many runs without their arrays: moments and quantiles, added up chunk by chunk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..display.sheets import block
from ..errors import InputError
from ..money import UNIT
from ..problem import Problem
from ..regret import Estimate, simple_regret
from .jobs import Job, play
from .results import SUMMARY_NOTE, PerPolicy, PolicySummary, Summary

if TYPE_CHECKING:
    from ..policies.contract import Policy
    from ..world import World

Floats = NDArray[np.float64]
V = TypeVar("V")
WIDTH = 0.01  # the relative width of a bucket; the error of a quantile is at most half of it
STEP = math.log1p(WIDTH)
ZERO = 1e-9  # a smaller regret is 0 with a rounding error


@dataclass(frozen=True)
class Sketch:
    """The distribution of a nonnegative number over runs. The moments are exact, the quantiles have an error of 0.5 %.

    The buckets are those of DDSketch (Masson, Rim & Lee 2019).
    """

    runs: int
    mean: float
    squares: float  # the sum of the squares around the mean
    least: float
    most: float
    buckets: Counter[int]  # runs by logarithm; runs with the value 0 are not in it

    @classmethod
    def of(cls, sample: Floats) -> Sketch:
        """The sketch of one value per run."""
        mean = float(sample.mean())
        positive = sample[sample > ZERO]
        places, numbers = np.unique(np.floor(np.log(positive) / STEP).astype(np.int64), return_counts=True)
        buckets = Counter(dict(zip(places.tolist(), numbers.tolist(), strict=True)))
        return cls(
            len(sample), mean, float(((sample - mean) ** 2).sum()), float(sample.min()), float(sample.max()), buckets
        )

    def __add__(self, other: Sketch) -> Sketch:
        """The sketch of the runs of both (Chan, Golub & LeVeque 1979)."""
        runs, gap = self.runs + other.runs, other.mean - self.mean
        return Sketch(
            runs,
            self.mean + gap * other.runs / runs,
            self.squares + other.squares + gap**2 * self.runs * other.runs / runs,
            min(self.least, other.least),
            max(self.most, other.most),
            self.buckets + other.buckets,
        )

    @property
    def estimate(self) -> Estimate:
        """The mean with its standard error and confidence band."""
        if self.runs > 1 and self.least == self.most:
            return Estimate.from_moments(self.least, 0.0)
        error = math.sqrt(self.squares / (self.runs - 1) / self.runs) if self.runs > 1 else math.nan
        return Estimate.from_moments(self.mean, error)

    def quantile(self, q: float) -> float:
        """The value below which a share q of the runs lies."""
        if not 0 <= q <= 1:
            raise InputError(f"The argument of quantile must be a number from 0 to 1, not {q!r}.")
        rank = q * (self.runs - 1)
        below = self.runs - self.buckets.total()  # the runs with the value 0
        if rank < below:
            return 0.0
        for place in sorted(self.buckets):
            below += self.buckets[place]
            if rank < below:
                return min(max(math.exp((place + 0.5) * STEP), self.least), self.most)
        return self.most


@dataclass(frozen=True)
class PolicySketch:
    """The sketches of some runs of one policy."""

    runs: int
    simple: Sketch
    cumulative: Sequence[Sketch]  # by checkpoint
    pulls: Floats  # (checkpoints, arms), the sum over runs
    recommended: NDArray[np.int64]  # (arms,) the number of runs that recommend the arm
    left_over: float  # the sum over runs

    def __add__(self, other: PolicySketch) -> PolicySketch:
        return PolicySketch(
            self.runs + other.runs,
            self.simple + other.simple,
            [one + more for one, more in zip(self.cumulative, other.cumulative, strict=True)],
            self.pulls + other.pulls,
            self.recommended + other.recommended,
            self.left_over + other.left_over,
        )


def sketch_runs(job: Job, means: Floats, best: Floats) -> PolicySketch:
    """Play the runs of a job and keep their sketches only. `best` is the best reward G_b at every checkpoint."""
    found = play(job)
    regrets = best - found.pulls @ means
    return PolicySketch(
        job.last - job.first,
        Sketch.of(simple_regret(means, found.recommended)),
        [Sketch.of(column) for column in regrets.T],
        found.pulls.sum(axis=0, dtype=float),
        np.bincount(found.recommended, minlength=len(means)),
        float(found.left_over.sum()) / UNIT,
    )


@dataclass(frozen=True, repr=False)
class Digest:
    """The result of `simulate(..., keep="summary")`: distributions in place of arrays."""

    world: World
    problem: Problem
    policies: Sequence[Policy]
    runs: int
    seed: int
    checkpoints: Floats
    parts: PerPolicy[PolicySketch]
    versions: dict[str, str]

    def __repr__(self) -> str:
        return f"Digest({', '.join(self.parts)}; {self.runs} runs of {self.problem}, seed {self.seed})"

    def _repr_html_(self) -> str:
        return block(f"{self.runs} runs of {self.problem}, seed {self.seed}.", self.summary().sheet, SUMMARY_NOTE)

    @property
    def simple_regret(self) -> PerPolicy[Sketch]:
        """The distribution of simple regret, per policy."""
        return self._per_policy({label: part.simple for label, part in self.parts.items()})

    @property
    def cumulative_regret(self) -> PerPolicy[Sequence[Sketch]]:
        """The distribution of cumulative regret at every checkpoint, per policy."""
        return self._per_policy({label: part.cumulative for label, part in self.parts.items()})

    @property
    def pulls(self) -> PerPolicy[Floats]:
        """The mean number of pulls, (checkpoints, arms) per policy."""
        return self._per_policy({label: part.pulls / part.runs for label, part in self.parts.items()})

    @property
    def recommended(self) -> PerPolicy[NDArray[np.int64]]:
        """How often each arm was recommended, (arms,) per policy."""
        return self._per_policy({label: part.recommended for label, part in self.parts.items()})

    def summary(self) -> Summary:
        """The mean, standard error and band of both regrets, per policy."""
        rows = {
            label: PolicySummary(
                p.simple.estimate.not_negative, p.cumulative[-1].estimate.not_negative, p.left_over / p.runs
            )
            for label, p in self.parts.items()
        }
        return Summary(rows, self.parts.kinds)

    def _per_policy(self, values: dict[str, V]) -> PerPolicy[V]:
        return PerPolicy(values, self.parts.kinds)


def merged(sketches: Sequence[PolicySketch]) -> PolicySketch:
    """The sum of all sketches. Its order is fixed, so its last bit does not depend on which job ended first."""
    return reduce(lambda one, other: one + other, sketches)
