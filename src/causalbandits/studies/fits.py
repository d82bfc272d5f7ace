"""Whether a simulated curve is the published one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .claims import Judgement, Verdict
from .contrasts import Curve
from .evidence import Point, assess
from .formatting import short
from .published import PublishedCurve, PublishedPoint
from .study import Data, Floats

TOLERANCE = 0.2  # of the largest value in the published figure
JOINT = 1.96  # standard errors of a 95 % band


@dataclass(frozen=True)
class Pair:
    """A simulated curve and the published one that it should be."""

    curve: Curve
    published: PublishedCurve


@dataclass(frozen=True)
class Fit:
    """The simulated curves are the published ones, up to the errors of reading and of both simulations.

    Not reproduced: at some point the difference is larger than the reading error, by more than chance. Reproduced: this
    is shown at no point, and every difference that the runs leave possible is within the reading error plus 20 % of the
    figure's largest value. The published simulation has an error, too: that of ours, at its number of runs.
    """

    pairs: Sequence[Pair]

    @property
    def description(self) -> str:
        names = " and ".join(dict.fromkeys(pair.curve.name for pair in self.pairs))
        return (
            f"The published points against {names}: at no point is the difference larger than the reading "
            "error, and at "
            f"every point its bounds lie within the reading error plus {TOLERANCE:.0%} of the figure's largest value. "
            "The bounds include the error of the published simulation: that of ours, at its number of runs."
        )

    def judge(self, data: Data) -> Judgement:
        equal = assess(self._points(data, lambda point, curve: point.error))
        close = assess(self._points(data, lambda point, curve: point.error + TOLERANCE * curve.top))
        verdict: Verdict = "inconclusive"
        if any(point.finding == "refuted" for point in (*equal, *close)):
            verdict = "not reproduced"
        elif all(point.finding == "shown" for point in close):
            verdict = "reproduced"
        return Judgement(verdict, self._summary(data), equal if verdict == "not reproduced" else close)

    def _points(self, data: Data, margin: Callable[[PublishedPoint, PublishedCurve], float]) -> list[Point]:
        points = []
        for pair in self.pairs:
            span = pair.curve.largest(data)
            for point, i, difference in _differences(pair, data):
                at = f"{pair.curve.names(data)[i]}{f' in {pair.curve.study}' if len(self.pairs) > 1 else ''}"
                values = {pair.curve.name: float(difference.mean()) + point.y, "published": point.y}
                samples = {f"mean({pair.curve.name}) − published": difference}
                points.append(Point(at, samples, values, margin=margin(point, pair.published), span=float(span[i])))
        return points

    def _summary(self, data: Data) -> str:
        """How many published points lie within the joint error, and the largest difference, for every curve."""
        sentences = []
        for pair in self.pairs:
            found = _differences(pair, data)
            within = sum(abs(d.mean()) <= point.error + JOINT * _error(d) for point, _, d in found)
            point, i, most = max(found, key=lambda item: abs(item[2].mean()))
            average = float(np.mean([difference.mean() for _, _, difference in found]))
            figure = f"{pair.curve.study}: " if len(self.pairs) > 1 else ""
            sentences.append(
                f"{figure}{within} of {len(found)} published points are within the joint error of reading and "
                "simulation; "
                f"the largest difference is {short(float(most.mean()), 3)} at {pair.curve.names(data)[i]} "
                f"({short(point.y)} published, {short(point.y + float(most.mean()))} here), "
                f"and {short(average, 3)} on average."
            )
        return " ".join(sentences)


def _differences(pair: Pair, data: Data) -> list[tuple[PublishedPoint, int, Floats]]:
    """For every published point: the index of its value in the study, and simulated less published, run by run.

    The runs are spread so that their standard error is the joint one of our simulation and of the published one.
    """
    study, runs = data[pair.curve.study].study, data[pair.curve.study].runs
    values, samples = list(study.values), pair.curve.samples(data)
    spread = math.sqrt(1 + runs / pair.published.runs)
    found = []
    for point in pair.published.points:
        i = next((i for i, value in enumerate(values) if math.isclose(value, point.x)), -1)
        assert i >= 0, f"the study {study.id} has no value {point.x:g}, which the published figure has"
        mean = samples[i].mean()
        found.append((point, i, np.asarray(mean - point.y + spread * (samples[i] - mean))))
    return found


def _error(sample: Floats) -> float:
    return float(sample.std(ddof=1) / math.sqrt(len(sample)))
