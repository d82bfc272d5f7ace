"""Several studies as one: statements about all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .contrasts import Curve, Where, anywhere
from .evidence import Point
from .study import Data, Floats


@dataclass(frozen=True)
class Pooled:
    """Curves of several studies as one curve, which has the values of all.

    Run number i of all studies makes one run. If they differ in their number of runs, the last runs of some are unused.
    """

    curves: Sequence[Curve]
    where: Where = anywhere

    @property
    def name(self) -> str:
        return self.curves[0].name

    @property
    def study(self) -> str:
        return ", ".join(curve.study for curve in self.curves)

    def samples(self, data: Data) -> Floats:
        """An array (values, runs)."""
        all_runs = [curve.samples(data)[self._chosen(curve, data)] for curve in self.curves]
        runs = min(samples.shape[1] for samples in all_runs)
        return np.concatenate([samples[:, :runs] for samples in all_runs])

    def values(self, data: Data) -> list[float]:
        """The values of the axes, one study after the other."""
        return [x for curve in self.curves for x in curve.values(data) if self.where(x)]

    def names(self, data: Data) -> list[str]:
        """The names of the points."""
        return [
            name
            for curve in self.curves
            for x, name in zip(curve.values(data), curve.names(data), strict=True)
            if self.where(x)
        ]

    def largest(self, data: Data) -> Floats:
        """The largest possible value of a run, (values,)."""
        return np.concatenate([curve.largest(data)[self._chosen(curve, data)] for curve in self.curves])

    def _chosen(self, curve: Curve, data: Data) -> list[int]:
        return [i for i, x in enumerate(curve.values(data)) if self.where(x)]


@dataclass(frozen=True)
class WorstRun:
    """On average over random worlds: the worst run of one is below the worst run of the other.

    The samples are the worlds, not the runs. Studies that pose several problems in the same worlds give each world the
    average of its worst runs.
    """

    one: Sequence[Curve]
    other: Sequence[Curve]

    @property
    def description(self) -> str:
        return f"over the worlds, the upper bound of {self._statistic} is below 0"

    @property
    def _statistic(self) -> str:
        return f"worst run({self.one[0].name}) − worst run({self.other[0].name})"

    def points(self, data: Data) -> list[Point]:
        one, other = (self._worst(curves, data) for curves in (self.one, self.other))
        span = float(sum(np.mean([curve.largest(data).max() for curve in curves]) for curves in (self.one, self.other)))
        at = f"{self.one[0].name} against {self.other[0].name}"
        values = {self.one[0].name: float(one.mean()), self.other[0].name: float(other.mean())}
        return [Point(at, {self._statistic: one - other}, values, span=span)]

    def _worst(self, curves: Sequence[Curve], data: Data) -> Floats:
        """The average of the worst runs of every world, (worlds,)."""
        worlds, runs = self.one[0].values(data), self.one[0].samples(data).shape[1]
        for curve in curves:
            assert curve.values(data) == worlds, f"{curve} has other worlds"
            assert curve.samples(data).shape[1] == runs, f"{curve} has another number of runs"
        return np.asarray(np.mean([curve.samples(data).max(axis=1) for curve in curves], axis=0))
