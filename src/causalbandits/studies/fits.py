"""Whether a simulated curve is the published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .claims import Judgement, Verdict
from .contrasts import Curve
from .evidence import Point, assess
from .formatting import short
from .published import PublishedCurve, PublishedPoint
from .study import Data, Floats

TOLERANCE = 0.2  # of the largest value of the published curve
JOINT = 1.96  # standard errors of a 95 % band


@dataclass(frozen=True)
class Pair:
    """A simulated curve and the published one that it should be."""

    curve: Curve
    published: PublishedCurve


@dataclass(frozen=True)
class Fit:
    """The simulated curves are the published ones, up to the errors of reading and of both simulations.

    Not reproduced: at some point, or on average over a curve, the difference is larger than the reading error, by more
    than chance. Reproduced: this is not shown, and every difference that the runs leave possible is within the reading
    error plus 20 % of the curve's largest value.
    """

    pairs: Sequence[Pair]

    @property
    def description(self) -> str:
        names = " and ".join(dict.fromkeys(pair.curve.name for pair in self.pairs))
        return (
            f"The published points against {names}: at no point, and not on average over a curve, is the difference "
            "larger than the reading error. The bounds of every difference lie within the reading error plus "
            f"{TOLERANCE:.0%} of the curve's largest value. They include the error of the published simulation, which "
            "is that of ours at its number of runs."
        )

    def judge(self, data: Data) -> Judgement:
        equal, close = assess(self._points(data, 0.0)), assess(self._points(data, TOLERANCE))
        verdict: Verdict = "inconclusive"
        if any(point.finding == "refuted" for point in equal):
            verdict = "not reproduced"
        elif all(point.finding == "shown" for point in close):
            verdict = "reproduced"
        return Judgement(verdict, self._summary(data), equal if verdict == "not reproduced" else close)

    def _points(self, data: Data, tolerance: float) -> list[Point]:
        """Every published point, and the average over each curve."""
        points = []
        for pair in self.pairs:
            study = f" in {pair.curve.study}" if len(self.pairs) > 1 else ""
            name, most = pair.curve.name, float(pair.curve.largest(data).max())
            allowed = tolerance * max(point.y for point in pair.published.points)
            differences = _differences(pair, data)
            for point, i, difference in differences:
                values = {name: float(difference.mean()) + point.y, "published": point.y}
                samples = {f"mean({name}) − published": difference}
                at = f"{pair.curve.names(data)[i]}{study}"
                points.append(Point(at, samples, values, margin=point.error + allowed, span=most))
            error = float(np.mean([point.error for point, _, _ in differences]))
            samples = {f"mean({name}) − published, on average": _average(pair, data)}
            points.append(Point(f"on average{study}", samples, margin=error + allowed, span=most))
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
                f"simulation; the largest difference is {short(float(most.mean()), 3)} at {pair.curve.names(data)[i]} "
                f"({short(point.y)} published, {short(point.y + float(most.mean()))} here), "
                f"and {short(average, 3)} on average."
            )
        return " ".join(sentences)


def _differences(pair: Pair, data: Data) -> list[tuple[PublishedPoint, int, Floats]]:
    """For every published point: the index of its value in the study, and simulated less published, run by run.

    The runs are spread so that their standard error is the joint one of our simulation and of the published one.
    """
    study, samples = data[pair.curve.study].study, pair.curve.samples(data)
    found = []
    for point in pair.published.points:
        i = next((i for i, value in enumerate(study.values) if math.isclose(value, point.x)), -1)
        assert i >= 0, f"the study {study.id} has no value {point.x:g}, which the published figure has"
        theirs = float(samples[i].std(ddof=1)) / math.sqrt(pair.published.runs)
        found.append((point, i, _spread(samples[i] - point.y, theirs)))
    return found


def _average(pair: Pair, data: Data) -> Floats:
    """Simulated less published, on average over the points of the curve, run by run, with the joint standard error.

    Published points of one long run have errors that go together. Those of separate simulations are independent.
    """
    differences, samples = _differences(pair, data), pair.curve.samples(data)
    chosen = np.array([samples[i] for _, i, _ in differences])
    average = chosen.mean(axis=0) - np.mean([point.y for point, _, _ in differences])
    theirs = chosen.std(axis=1, ddof=1) / math.sqrt(pair.published.runs)
    together = data[pair.curve.study].study.checkpoints
    return _spread(average, float(theirs.mean() if together else math.sqrt((theirs**2).sum()) / len(theirs)))


def _spread(sample: Floats, other_error: float) -> Floats:
    """The sample spread about its mean, so that its standard error includes another, independent error."""
    mean, error = sample.mean(), _error(sample)
    return np.asarray(mean + (sample - mean) * (math.hypot(error, other_error) / error if error > 0 else 1.0))


def _error(sample: Floats) -> float:
    return float(sample.std(ddof=1) / math.sqrt(len(sample)))
