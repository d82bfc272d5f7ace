"""The test of points: each is shown, refuted or open, at level 5 % with Holm over the points of a claim.

A point is shown if the means of all its samples are below 0, or within a margin of 0. It is refuted if one of them is
above. The tests are one-sided t-tests on runs. If all runs agree (up to ROUNDING) there is no variance to test with.
Then the range of the samples bounds the mean:

    mean <= sample mean + span (1 - level^(1/n))

with n the number of runs and span the width of the range. The bracket is the largest chance of a different run that
would still give n equal runs with probability `level`.

`assess_by_errors` is another test, for statements that only say that something is not shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from ..errors import missing_extra
from .study import Floats

LEVEL = 0.05
POWER = 0.9  # the chance that `runs_needed` runs settle a point
ROUNDING = 1e-10  # regrets closer than this are equal

Finding = Literal["shown", "refuted", "open", "out of reach"]


@dataclass(frozen=True)
class Point:
    """A statement to test at one place: the mean of every sample is below 0, or within a margin of 0.

    `out_of_reach` says why it cannot be tested, if it cannot.
    """

    at: str
    samples: Mapping[str, Floats] = field(default_factory=dict)  # by name, such as the difference of two policies
    values: Mapping[str, float] = field(default_factory=dict)  # the means behind the samples, for readers
    out_of_reach: str = ""
    margin: float = 0.0  # of equivalence, if positive
    span: float = math.inf  # the width of the range of the samples
    slack: float = 0.0  # what the samples were lowered by, so that a small difference is allowed

    @property
    def tested(self) -> list[Floats]:
        """The samples whose means have to be below 0."""
        if self.margin == 0:
            return list(self.samples.values())
        return [side for sample in self.samples.values() for side in (sample - self.margin, -sample - self.margin)]


@dataclass(frozen=True)
class Bounds:
    """A mean with its one-sided bounds, at the levels that Holm's procedure gave to the point. None: no bound."""

    what: str
    mean: float
    lower: float | None
    upper: float | None
    margin: float = 0.0


@dataclass(frozen=True)
class Assessed:
    """A point after the test.

    `runs_needed` runs would settle an open point with 90 % power, in the direction in which it `leans`. This assumes
    that the estimated means and variances are the true ones.
    """

    at: str
    finding: Finding
    values: Mapping[str, float]
    bounds: Sequence[Bounds] = ()
    p_shown: float | None = None
    p_refuted: float | None = None
    leans: Finding = "open"
    runs: int = 0  # that were tested
    runs_needed: int | None = None
    reason: str = ""
    slack: float = 0.0  # what the samples were lowered by
    is_alike: bool = False  # all runs gave the same, so that only the range of the samples bounds the mean

    @property
    def largest_difference(self) -> float | None:
        """The largest difference that the runs leave possible. None: they leave any."""
        uppers = [bound.upper for bound in self.bounds]
        return None if None in uppers else max(upper for upper in uppers if upper is not None) + self.slack


def assess(points: Sequence[Point]) -> list[Assessed]:
    """Test the points of a claim together."""
    tested = [point for point in points if not point.out_of_reach]
    p_shown = [max(p_below(sample, point.span) for sample in point.tested) for point in tested]
    p_refuted = [
        min(1.0, len(point.tested) * min(p_below(-sample, point.span) for sample in point.tested)) for point in tested
    ]
    results = iter(zip(p_shown, holm(p_shown), p_refuted, holm(p_refuted), strict=True))
    assessed = []
    for point in points:
        if point.out_of_reach:
            assessed.append(Assessed(point.at, "out of reach", point.values, reason=point.out_of_reach))
            continue
        p_one, (is_shown, level), p_other, (is_refuted, other_level) = next(results)
        finding: Finding = "shown" if is_shown else "refuted" if is_refuted else "open"
        has_runs = len(next(iter(point.samples.values()))) > 1
        assessed.append(
            Assessed(
                point.at,
                finding,
                point.values,
                bounds=_bounds(point, level, other_level / len(point.tested), finding),
                p_shown=p_one if has_runs else None,
                p_refuted=p_other if has_runs else None,
                runs=len(next(iter(point.samples.values()))),
                leans="refuted" if any(sample.mean() > 0 for sample in point.tested) else "shown",
                runs_needed=_runs_needed(point, LEVEL / len(tested)) if finding == "open" else None,
                slack=point.slack,
                is_alike=_is_alike(point),
            )
        )
    return assessed


def assess_by_errors(points: Sequence[Point], errors: float) -> list[Assessed]:
    """Test every point alone: a mean is known up to so many standard errors.

    Where all runs agree, the range of the samples bounds the mean, as in `assess`, with the chance that a normal number
    is so many standard deviations off.
    """
    level = 1 - NormalDist().cdf(errors)
    assessed = []
    for point in points:
        if point.out_of_reach:
            assessed.append(Assessed(point.at, "out of reach", point.values, reason=point.out_of_reach))
            continue
        bounds = [_bounds_by_errors(what, sample, errors, level, point.span) for what, sample in point.samples.items()]
        runs = len(next(iter(point.samples.values())))
        assessed.append(
            Assessed(
                point.at,
                _finding(bounds),
                point.values,
                bounds=bounds,
                runs=runs,
                slack=point.slack,
                is_alike=_is_alike(point),
            )
        )
    return assessed


def _is_alike(point: Point) -> bool:
    return all(_moments(sample)[2] == 0 for sample in point.samples.values())


def _bounds_by_errors(what: str, sample: Floats, errors: float, level: float, span: float) -> Bounds:
    _, mean, error = _moments(sample)
    if error > 0:
        return Bounds(what, mean, mean - errors * error, mean + errors * error)
    lower = _negative(upper_bound(-sample, level, span))
    return Bounds(what, float(sample.mean()), lower, upper_bound(sample, level, span))


def _finding(bounds: Sequence[Bounds]) -> Finding:
    """Whether all means are below 0 for sure, or one is above."""
    if any(bound.lower is not None and bound.lower > 0 for bound in bounds):
        return "refuted"
    return "shown" if all(bound.upper is not None and bound.upper < 0 for bound in bounds) else "open"


def _bounds(point: Point, level: float, other_level: float, finding: Finding) -> list[Bounds]:
    """The bounds that the test used: an upper one to show, a lower one to refute. With a margin, both for either."""
    both = {"shown": level, "refuted": other_level}.get(finding, min(level, other_level))
    below, above = (other_level, level) if point.margin == 0 else (both, both)
    return [
        Bounds(
            what,
            float(sample.mean()),
            _negative(upper_bound(-sample, below, point.span)),
            upper_bound(sample, above, point.span),
            point.margin,
        )
        for what, sample in point.samples.items()
    ]


def p_below(sample: Floats, span: float = math.inf) -> float:
    """The p value of the one-sided test that the mean is not below 0.

    This is the t-test. Without variance it is the chance that no run differs.
    """
    n, mean, error = _moments(sample)
    if error == 0:
        if mean < 0 < span:
            return (1 - min(1.0, -mean / span)) ** n
        return float(mean >= 0)  # with a span of 0 nothing can vary, and one run is enough
    return 1.0 if math.isnan(error) else float(_special().stdtr(n - 1, mean / error))


def upper_bound(sample: Floats, level: float, span: float = math.inf) -> float | None:
    """The upper bound of the mean that belongs to `p_below`: below 0 if p is below the level. None: no bound."""
    n, mean, error = _moments(sample)
    if error == 0:
        return mean + span * (1 - level ** (1 / n)) if math.isfinite(span) else None
    return None if math.isnan(error) else mean + error * float(_special().stdtrit(n - 1, 1 - level))


def holm(p: Sequence[float], level: float = LEVEL) -> list[tuple[bool, float]]:
    """Holm's step-down procedure (1979): whether each p value is significant, and the level it was compared with."""
    found = [(False, level)] * len(p)
    is_significant, compared_with = True, level
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        compared_with = level / (len(p) - rank) if is_significant else compared_with
        is_significant = is_significant and p[i] <= compared_with
        found[i] = (is_significant, compared_with)
    return found


def _moments(sample: Floats) -> tuple[int, float, float]:
    """Number of runs, mean and standard error. Values within rounding of 0 are 0.

    The error is NaN for one run, and for runs that are not all finite numbers.
    """
    n, mean = len(sample), float(sample.mean())
    if n == 1 or not np.isfinite(sample).all():
        return n, mean, math.nan
    error = float(sample.std(ddof=1)) / math.sqrt(n)
    return n, mean if abs(mean) > ROUNDING else 0.0, error if error > max(ROUNDING, 1e-14 * abs(mean)) else 0.0


def _runs_needed(point: Point, level: float) -> int | None:
    """The number of runs that would settle an open point with power POWER; None if there is no such number."""

    def needed(sample: Floats) -> float:
        n, mean, error = _moments(sample)
        if mean == 0 or math.isnan(error):
            return math.inf
        if error == 0:
            if not math.isfinite(point.span):
                return math.inf
            return math.log(level) / math.log1p(-min(abs(mean) / point.span, 1 - 1e-9))
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
        raise missing_extra("The tests of claims need", "scipy", "report") from None
    return special
