"""What runs say of points: shown, refuted or open, at level 5 % with Holm over the points of a claim.

A point is shown if the means over the runs of all its samples are below 0 (or within a margin of it), refuted if one of them is above. The
tests are one-sided t-tests on runs. Where all n runs agree (to ROUNDING) there is no variance to go by; then the mean is bounded by what
the sample could have been: a run that differs has a chance of at most 1 - level^(1/n), and moves by no more than the sample's span.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from ..errors import InputError
from .study import Floats

LEVEL = 0.05
POWER = 0.9  # with which the number of runs that would settle a point is to do so
ROUNDING = 1e-10  # regrets closer than this are equal

Finding = Literal["shown", "refuted", "open", "out of reach"]


@dataclass(frozen=True)
class Point:
    """What is to be shown at one place: the mean of every sample over the runs is below 0, or within a margin of 0. Or why it cannot be tried."""

    at: str
    samples: Mapping[str, Floats] = field(
        default_factory=dict
    )  # by what they are, such as the difference of two policies
    values: Mapping[str, float] = field(default_factory=dict)  # the means that they are made of, to be read beside
    out_of_reach: str = ""
    margin: float = 0.0  # if positive, of equivalence
    span: float = math.inf  # the width of the range in which the samples can lie

    @property
    def tested(self) -> list[Floats]:
        """What has to have means below 0."""
        if self.margin == 0:
            return list(self.samples.values())
        return [side for sample in self.samples.values() for side in (sample - self.margin, -sample - self.margin)]


@dataclass(frozen=True)
class Bounds:
    """A mean with its one-sided bounds at the levels that Holm's procedure gave to its point; None where there is no bound."""

    what: str
    mean: float
    lower: float | None
    upper: float | None
    margin: float = 0.0


@dataclass(frozen=True)
class Assessed:
    """A point after the test. `runs_needed` would settle an open one with 90 % power, as it `leans`, if its means are what they seem."""

    at: str
    finding: Finding
    values: Mapping[str, float]
    bounds: Sequence[Bounds] = ()
    p_shown: float | None = None
    p_refuted: float | None = None
    leans: Finding = "open"
    runs_needed: int | None = None
    reason: str = ""


def assess(points: Sequence[Point]) -> list[Assessed]:
    """Test the points of a claim together."""
    tried = [point for point in points if not point.out_of_reach]
    p_shown = [max(p_below(sample, point.span) for sample in point.tested) for point in tried]
    p_refuted = [
        min(1.0, len(point.tested) * min(p_below(-sample, point.span) for sample in point.tested)) for point in tried
    ]
    shown, refuted = iter(holm(p_shown)), iter(holm(p_refuted))
    chances = iter(zip(p_shown, p_refuted, strict=True))
    found = []
    for point in points:
        if point.out_of_reach:
            found.append(Assessed(point.at, "out of reach", point.values, reason=point.out_of_reach))
            continue
        (is_shown, level), (is_refuted, other_level) = next(shown), next(refuted)
        one, other = next(chances)
        finding: Finding = "shown" if is_shown else "refuted" if is_refuted else "open"
        leans: Finding = "refuted" if any(sample.mean() > 0 for sample in point.tested) else "shown"
        needed = _runs_needed(point, LEVEL / len(tried)) if finding == "open" else None
        enough = len(next(iter(point.samples.values()))) > 1
        bounds = _bounds(point, level, other_level / len(point.tested), finding)
        found.append(
            Assessed(
                point.at,
                finding,
                point.values,
                bounds,
                one if enough else None,
                other if enough else None,
                leans,
                needed,
            )
        )
    return found


def _bounds(point: Point, level: float, other_level: float, finding: Finding) -> list[Bounds]:
    """The bounds that the test used: upper ones to show, lower ones to refute; both for what is to lie within a margin."""
    both = {"shown": level, "refuted": other_level}.get(finding, min(level, other_level))
    below, above = (other_level, level) if point.margin == 0 else (both, both)
    return [
        Bounds(
            what,
            float(s.mean()),
            _negative(upper_bound(-s, below, point.span)),
            upper_bound(s, above, point.span),
            point.margin,
        )
        for what, s in point.samples.items()
    ]


def p_below(sample: Floats, span: float = math.inf) -> float:
    """The p value of the one-sided test that the mean is not below 0: the t-test, or for want of variance the chance that no run differs."""
    n, mean, error = _moments(sample)
    if error == 0:
        return (
            (1 - min(1.0, -mean / span)) ** n if mean < 0 < span else float(mean >= 0)
        )  # where nothing can vary, one run says it all
    return 1.0 if math.isnan(error) else float(_special().stdtr(n - 1, mean / error))


def upper_bound(sample: Floats, level: float, span: float = math.inf) -> float | None:
    """The upper bound of the mean that goes with `p_below`: below 0 if p is below the level; None if no such bound exists."""
    n, mean, error = _moments(sample)
    if error == 0:
        return mean + span * (1 - level ** (1 / n)) if math.isfinite(span) else None
    return None if math.isnan(error) else mean + error * float(_special().stdtrit(n - 1, 1 - level))


def holm(p: Sequence[float], level: float = LEVEL) -> list[tuple[bool, float]]:
    """Holm's step-down procedure (1979): for every p value whether it is significant, and the level that it was held against."""
    found = [(False, level)] * len(p)
    going, held = True, level
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        held = level / (len(p) - rank) if going else held
        going = going and p[i] <= held
        found[i] = (going, held)
    return found


def _moments(sample: Floats) -> tuple[int, float, float]:
    """Runs, mean and standard error. What lies within rounding of 0 is 0; of runs that are not all numbers there is no error to speak of."""
    n, mean = len(sample), float(sample.mean())
    if n == 1 or not np.isfinite(sample).all():
        return n, mean, math.nan
    error = float(sample.std(ddof=1)) / math.sqrt(n)
    return n, mean if abs(mean) > ROUNDING else 0.0, error if error > max(ROUNDING, 1e-14 * abs(mean)) else 0.0


def _runs_needed(point: Point, level: float) -> int | None:
    """How many runs would settle an open point with this power, if means and variances are what they seem."""

    def needed(sample: Floats) -> float:
        n, mean, error = _moments(sample)
        if mean == 0 or math.isnan(error):
            return math.inf
        if error == 0:
            return (
                math.log(level) / math.log1p(-min(abs(mean) / point.span, 1 - 1e-9))
                if math.isfinite(point.span)
                else math.inf
            )
        normal = NormalDist()
        return n * ((normal.inv_cdf(1 - level) + normal.inv_cdf(POWER)) * error / mean) ** 2

    above = [needed(sample) for sample in point.tested if sample.mean() > 0]
    runs = min(above) if above else max(needed(sample) for sample in point.tested)
    return math.ceil(runs) if math.isfinite(runs) else None


def _negative(number: float | None) -> float | None:
    return None if number is None else -number


def _special() -> Any:
    try:
        from scipy import special
    except ImportError:
        raise InputError("The tests of claims need SciPy; install causalbandits[report].") from None
    return special
