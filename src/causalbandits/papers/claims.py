"""Claims and the tests that give their verdicts: at level 5 %, Holm over the points of a claim, two-sided only where a claim is.

Everything that a claim can say is brought to one form: at some points, means over runs lie below 0. A contrast (MuchBetter, Close, Constant ...)
says which means; a quantifier (Every, Most, FromSomeOn, Never, Each) says at how many points, and what follows if not. The tests are t-tests on
runs; policies meet the same luck in a run, so differences are paired. Where all runs agree to the last bit a t-test has no variance to
go by, and the sign test (2 ** -runs) takes its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal, Protocol

import numpy as np

from ..errors import InputError
from .study import Data, Floats
from .words import short

LEVEL = 0.05
MARGIN = 0.02  # of equivalence
GROWTH = 0.05  # over the second half of an axis, in parts of the last value: less is constant
POWER = 0.9  # with which the number of runs that would settle a claim is to do so

Verdict = Literal["reproduced", "not reproduced", "depends", "inconclusive", "not testable"]
Finding = Literal["shown", "refuted", "open", "out of reach"]


@dataclass(frozen=True)
class Point:
    """What is to be shown at one place: the mean of every sample over the runs is below 0. Or why it cannot be tried."""

    at: str
    samples: Mapping[str, Floats] = field(default_factory=dict)  # by what they are, such as the difference of two policies
    values: Mapping[str, float] = field(default_factory=dict)  # the means that they are made of, to be read beside
    out_of_reach: str = ""


@dataclass(frozen=True)
class Bounds:
    """A mean with its one-sided bounds at the levels that Holm's procedure gave to its point; None where there is no bound."""

    what: str
    mean: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class Assessed:
    """A point after the test. `runs_needed` would settle an open one with 90 % power, if its means are what they seem."""

    at: str
    finding: Finding
    values: Mapping[str, float]
    bounds: Sequence[Bounds]
    p_shown: float | None
    p_refuted: float | None
    runs_needed: int | None
    reason: str = ""


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons."""

    verdict: Verdict
    summary: str
    points: Sequence[Assessed]
    runs_needed: int | None = None


class Contrast(Protocol):
    """Which means are to be below 0, at which points."""

    @property
    def words(self) -> str: ...
    def points(self, data: Data) -> list[Point]: ...


class Test(Protocol):
    """A quantified contrast: `words` say what is tested, `judge` does it."""

    @property
    def words(self) -> str: ...
    def judge(self, data: Data) -> Judgement: ...


@dataclass(frozen=True)
class Claim:
    """Something that a paper says, and the test of it."""

    id: str
    statement: str
    test: Test

    @property
    def test_in_words(self) -> str:
        return f"{self.test.words} One-sided t-tests on the runs at level {LEVEL:.0%}, Holm over the points; the bounds are those that the test used."


@dataclass(frozen=True)
class Curve:
    """A curve of a study, in the study's first measure."""

    study: str
    name: str

    def samples(self, data: Data) -> tuple[list[str], Floats]:
        """The points by name, and (points, runs)."""
        curves = data[self.study]
        return [f"{curves.study.axis.name} = {x:g}" for x in curves.study.values], curves.samples[curves.study.measures[0].name][self.name]


# Contrasts


@dataclass(frozen=True)
class Better:
    """At every value: mean(one) < factor mean(other). "Much better" is a factor of 1/2."""

    one: Curve
    other: Curve
    factor: float = 1.0
    where: Callable[[float], bool] = lambda x: True
    last: bool = False  # at the last value only

    @property
    def words(self) -> str:
        return f"the upper bound of {self._what} is below 0"

    @property
    def _what(self) -> str:
        return f"mean({self.one.name}) − {'' if self.factor == 1 else f'{self.factor:g} '}mean({self.other.name})"

    def points(self, data: Data) -> list[Point]:
        at, one = self.one.samples(data)
        _, other = self.other.samples(data)
        values = data[self.one.study].study.values
        chosen = [len(at) - 1] if self.last else [i for i, x in enumerate(values) if self.where(x)]
        means = [{self.one.name: one[i].mean(), self.other.name: other[i].mean()} for i in chosen]
        name = [f"{self.one.name} against {self.other.name}" if self.last else at[i] for i in chosen]
        return [Point(n, {self._what: one[i] - self.factor * other[i]}, v) for n, i, v in zip(name, chosen, means, strict=True)]


def much_better(one: Curve, other: Curve, where: Callable[[float], bool] = lambda x: True, last: bool = False) -> Better:
    """mean(one) < mean(other) / 2."""
    return Better(one, other, 0.5, where, last)


@dataclass(frozen=True)
class Close:
    """At every value: |mean(one) - mean(other)| < margin, by two one-sided tests."""

    one: Curve
    other: Curve
    where: Callable[[float], bool] = lambda x: True
    margin: float = MARGIN

    @property
    def words(self) -> str:
        return f"the bounds of mean({self.one.name}) − mean({self.other.name}) lie within ±{self.margin:g}"

    def points(self, data: Data) -> list[Point]:
        at, one = self.one.samples(data)
        _, other = self.other.samples(data)
        values = data[self.one.study].study.values
        return [
            _within(a, f"mean({self.one.name}) − mean({self.other.name})", u - v, self.margin, {self.one.name: u.mean(), self.other.name: v.mean()})
            for a, x, u, v in zip(at, values, one, other, strict=True)
            if self.where(x)
        ]


@dataclass(frozen=True)
class Flat:
    """At every value: the mean is within a margin of the average over all values."""

    curve: Curve
    margin: float = MARGIN

    @property
    def words(self) -> str:
        return f"the bounds of mean({self.curve.name}) − its average over the axis lie within ±{self.margin:g}"

    def points(self, data: Data) -> list[Point]:
        at, samples = self.curve.samples(data)
        average = samples.mean(axis=0)
        what = f"mean({self.curve.name}) − average"
        return [_within(a, what, s - average, self.margin, {self.curve.name: s.mean()}) for a, s in zip(at, samples, strict=True)]


@dataclass(frozen=True)
class Trend:
    """The least-squares slope over the axis is negative and the last value is below the first; for `grows` the other way round."""

    curve: Curve
    grows: bool = False

    @property
    def words(self) -> str:
        way = "grows" if self.grows else "falls"
        return (
            f"the slope of mean({self.curve.name}) over the axis (least squares, run by run) {way}, and so does it from the first value to the last"
        )

    def points(self, data: Data) -> list[Point]:
        at, samples = self.curve.samples(data)
        x = data[self.curve.study].x
        slopes = (x - x.mean()) @ samples / ((x - x.mean()) ** 2).sum()
        sign, minus = (-1, "−") if self.grows else (1, "")
        ends = {at[0]: samples[0].mean(), at[-1]: samples[-1].mean()}
        change = f"{at[0]} to {at[-1]}"
        first, last = ("first", "last") if self.grows else ("last", "first")
        return [
            Point("slope", {f"{minus}slope of mean({self.curve.name})": sign * slopes}, {"slope": slopes.mean()}),
            Point(change, {f"{first} − {last}": sign * (samples[-1] - samples[0])}, ends),
        ]


@dataclass(frozen=True)
class Constant:
    """Over the second half of the axis the mean grows by less than 5 % of its last value."""

    curve: Curve
    growth: float = GROWTH

    @property
    def words(self) -> str:
        return f"the upper bound of mean({self.curve.name})'s growth over the second half of the axis is below {self.growth:.0%} of its last value"

    def points(self, data: Data) -> list[Point]:
        at, samples = self.curve.samples(data)
        x = data[self.curve.study].x
        half = int(np.searchsorted(x, x[-1] / 2))
        what = f"growth − {self.growth:g} mean"
        grown = samples[-1] - samples[half] - self.growth * samples[-1]
        values = {at[half]: samples[half].mean(), at[-1]: samples[-1].mean(), "growth / mean": _divided(samples[-1] - samples[half], samples[-1])}
        return [Point(self.curve.name, {what: grown}, values)]


@dataclass(frozen=True)
class Below:
    """At every value: the mean is below a number that depends on the value alone, such as the bound of a theorem."""

    curve: Curve
    bound: Callable[[float], float]
    name: str = "the bound"
    last: bool = False  # at the last value only

    @property
    def words(self) -> str:
        return f"the upper bound of mean({self.curve.name}) − {self.name} is below 0"

    def points(self, data: Data) -> list[Point]:
        at, samples = self.curve.samples(data)
        points = []
        for a, x, sample in list(zip(at, data[self.curve.study].study.values, samples, strict=True))[-1 if self.last else None :]:
            bound = self.bound(x)
            points.append(Point(a, {f"mean({self.curve.name}) − {self.name}": sample - bound}, {self.curve.name: sample.mean(), self.name: bound}))
        return points


@dataclass(frozen=True)
class Both:
    """Two contrasts with the same number of points, to be shown together at each."""

    one: Contrast
    other: Contrast

    @property
    def words(self) -> str:
        return f"{self.one.words}, and {self.other.words}"

    def points(self, data: Data) -> list[Point]:
        pairs = zip(self.one.points(data), self.other.points(data), strict=True)
        return [Point(p.at, {**p.samples, **q.samples}, {**p.values, **q.values}) for p, q in pairs]


@dataclass(frozen=True)
class OutOfReach:
    """A point that no simulation can reach, and the size that it would take."""

    at: str
    reason: Callable[[], str]
    words: str = "what a proof asks for is met"

    def points(self, data: Data) -> list[Point]:
        return [Point(self.at, out_of_reach=self.reason())]


def _within(at: str, what: str, sample: Floats, margin: float, values: Mapping[str, float]) -> Point:
    return Point(at, {f"{what} − {margin:g}": sample - margin, f"−({what}) − {margin:g}": -sample - margin}, values)


def _divided(above: Floats, below: Floats) -> float:
    return float(above.mean() / below.mean()) if below.mean() else math.nan


# Quantifiers


@dataclass(frozen=True)
class Every:
    """Shown at every point: reproduced. Refuted at one: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At every point {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        return _decide(_assess(self.contrasts, data), lambda shown, refuted, tried: (shown == tried, refuted > 0), max)


@dataclass(frozen=True)
class Each:
    """Shown for every alternative: reproduced. Refuted for every one: not reproduced. Shown for some and refuted for others: depends."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"Each on its own: {_and(self.contrasts)}; if it is shown for some and refuted for others, it depends."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        found = {point.finding for point in points}
        if {"shown", "refuted"} <= found:
            return Judgement("depends", f"Holds for {_places(points, 'shown')}; fails for {_places(points, 'refuted')}.", points)
        return _decide(points, lambda shown, refuted, tried: (shown == tried, refuted == tried), max)


@dataclass(frozen=True)
class Most:
    """Shown at more than half of the points: reproduced. Refuted at half of them or more: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At more than half of the points {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        missing = len(points) // 2 + 1 - sum(point.finding == "shown" for point in points)
        return _decide(
            points, lambda shown, refuted, tried: (2 * shown > tried, 2 * refuted >= tried), lambda needed: sorted(needed)[: max(missing, 1)][-1]
        )


@dataclass(frozen=True)
class FromSomeOn:
    """Shown at the last point, and so from some point on: reproduced. Refuted at the last: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"From some point on to the last {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        last = points[-1]
        if last.finding == "shown":
            first = next((i + 1 for i in reversed(range(len(points))) if points[i].finding != "shown"), 0)
            return Judgement("reproduced", f"Shown from {_told(points[first])} on.", points)
        if last.finding == "refuted":
            return Judgement("not reproduced", f"Refuted at {_told(last)}.", points)
        return Judgement("inconclusive", f"Neither shown nor refuted at {last.at}.{_settle(last.runs_needed)}", points, last.runs_needed)


@dataclass(frozen=True)
class Never:
    """Refuted at no point. It is not shown at every point either: that there is no significant difference is all that is asked for."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At no point is it refuted that {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        if any(point.finding == "refuted" for point in points):
            return Judgement("not reproduced", f"Refuted at {_places(points, 'refuted')}.", points)
        if all(point.p_refuted is None for point in points):
            return Judgement("inconclusive", "One run shows nothing; run more.", points)
        return Judgement("reproduced", f"Refuted at none of {len(points)} points.", points)


@dataclass(frozen=True)
class All:
    """Several tests that must all be passed, each with its own points."""

    tests: Sequence[Test]

    @property
    def words(self) -> str:
        return " ".join(test.words for test in self.tests)

    def judge(self, data: Data) -> Judgement:
        judgements = [test.judge(data) for test in self.tests]
        order: list[Verdict] = ["not reproduced", "inconclusive", "not testable", "depends", "reproduced"]
        verdict = min((j.verdict for j in judgements), key=order.index)
        needed = [j.runs_needed for j in judgements if j.verdict == "inconclusive"]
        most = max(n for n in needed if n is not None) if needed and None not in needed else None
        return Judgement(verdict, " ".join(j.summary for j in judgements), [point for j in judgements for point in j.points], most)


def _and(contrasts: Sequence[Contrast]) -> str:
    return "; ".join(dict.fromkeys(contrast.words for contrast in contrasts))


def _decide(
    points: Sequence[Assessed],
    rule: Callable[[int, int, int], tuple[bool, bool]],
    needed: Callable[[list[int]], int],
) -> Judgement:
    """The verdict of a rule that says, from how many of the points tried were shown and refuted, whether the claim is."""
    tried = [point for point in points if point.finding != "out of reach"]
    beyond = [point for point in points if point.finding == "out of reach"]
    left_out = "".join(f" {point.at[0].upper()}{point.at[1:]} it cannot be tested: {point.reason}." for point in beyond)
    if not tried:
        return Judgement("not testable", left_out.strip(), points)
    shown, refuted = (sum(point.finding == which for point in tried) for which in ("shown", "refuted"))
    holds, fails = rule(shown, refuted, len(tried))
    count = f"Shown at {shown} of {len(tried)} {'points' if len(tried) > 1 else 'point'}{' that can be reached' if beyond else ''}"
    count += f", refuted at {refuted}" if refuted else ""
    if holds:
        closest = max((point for point in tried if point.finding == "shown"), key=lambda point: point.p_shown or 0)
        return Judgement("reproduced", f"{count}; closest call: {_told(closest)}.{left_out}", points)
    if fails:
        by_chance = sorted((point for point in tried if point.finding == "refuted"), key=lambda point: point.p_refuted or 0)
        told = f"closest call: {_told(by_chance[-1])}" if refuted == len(tried) else f"most clearly: {_told(by_chance[0])}"
        return Judgement("not reproduced", f"{count}; {told}.{left_out}", points)
    open_points = [point.runs_needed for point in tried if point.finding == "open"]
    known = [n for n in open_points if n is not None]
    runs = needed(known) if known and len(known) == len(open_points) else None
    return Judgement("inconclusive", f"{count}.{left_out}{_settle(runs)}", points, runs)


def _told(point: Assessed) -> str:
    """A point with the means there."""
    return f"{point.at} ({', '.join(f'{name}: {short(value)}' for name, value in point.values.items())})"


def _places(points: Sequence[Assessed], finding: Finding) -> str:
    """The points with a finding, in words: neighbours as a stretch from one to the other."""
    stretches: list[list[str]] = []
    before = False
    for point in points:
        if point.finding == finding:
            stretches = [*stretches[:-1], [*stretches[-1], point.at]] if before else [*stretches, [point.at]]
        before = point.finding == finding
    return ", ".join(f"{names[0]} to {names[-1]}" if len(names) > 3 else ", ".join(names) for names in stretches)


def _settle(runs: int | None) -> str:
    return f" About {runs:,} runs would settle it." if runs is not None else " No number of runs can be named that would settle it."


# Tests


def _assess(contrasts: Sequence[Contrast], data: Data) -> list[Assessed]:
    """Test all points of a claim: shown if all their means are below 0, refuted if one is above, both with Holm over the points."""
    points = [point for contrast in contrasts for point in contrast.points(data)]
    tried = [point for point in points if not point.out_of_reach]
    p_shown = [max(p_below(sample) for sample in point.samples.values()) for point in tried]
    p_refuted = [min(1.0, len(point.samples) * min(p_below(-sample) for sample in point.samples.values())) for point in tried]
    shown, refuted = iter(holm(p_shown)), iter(holm(p_refuted))
    chances = iter(zip(p_shown, p_refuted, strict=True))
    found = []
    for point in points:
        if point.out_of_reach:
            found.append(Assessed(point.at, "out of reach", point.values, (), None, None, None, point.out_of_reach))
            continue
        (is_shown, level), (is_refuted, other_level) = next(shown), next(refuted)
        one, other = next(chances)
        k = len(point.samples)
        bounds = [
            Bounds(what, float(s.mean()), _negative(upper_bound(-s, other_level / k)), upper_bound(s, level)) for what, s in point.samples.items()
        ]
        finding: Finding = "shown" if is_shown else "refuted" if is_refuted else "open"
        needed = _runs_needed(list(point.samples.values()), LEVEL / len(tried)) if finding == "open" else None
        enough = len(next(iter(point.samples.values()))) > 1
        found.append(Assessed(point.at, finding, point.values, bounds, one if enough else None, other if enough else None, needed))
    return found


def p_below(sample: Floats) -> float:
    """The p value of the one-sided test that the mean is not below 0: the t-test, or the sign test where there is no variance."""
    n, mean, error = _moments(sample)
    if error == 0:
        return 0.5**n if mean < 0 else 1.0
    return float(_special().stdtr(n - 1, mean / error)) if n > 1 else 1.0


def upper_bound(sample: Floats, level: float) -> float | None:
    """The upper bound of the mean that goes with `p_below`: below 0 if and only if p <= level; None if no such bound exists."""
    n, mean, error = _moments(sample)
    if error == 0:
        return mean if 0.5**n <= level else None
    return mean + error * float(_special().stdtrit(n - 1, 1 - level)) if n > 1 else None


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
    """Runs, mean and standard error; a spread below the rounding of the mean counts as none."""
    n, mean = len(sample), float(sample.mean())
    if n == 1:
        return 1, mean, math.nan
    error = float(sample.std(ddof=1)) / math.sqrt(n)
    return n, mean, 0.0 if error <= 1e-14 * max(1.0, abs(mean)) else error


def _runs_needed(samples: Sequence[Floats], level: float) -> int | None:
    """How many runs would settle an open point with this power, if means and variances are what they seem."""

    def needed(sample: Floats) -> float:
        n, mean, error = _moments(sample)
        if mean == 0 or n == 1:
            return math.inf
        normal = NormalDist()
        return max(n * ((normal.inv_cdf(1 - level) + normal.inv_cdf(POWER)) * error / mean) ** 2, -math.log2(level))

    above = [needed(sample) for sample in samples if sample.mean() > 0]
    runs = min(above) if above else max(needed(sample) for sample in samples)
    return math.ceil(runs) if math.isfinite(runs) else None


def _negative(number: float | None) -> float | None:
    return None if number is None else -number


def _special() -> Any:
    try:
        from scipy import special
    except ImportError:
        raise InputError("The tests of claims need SciPy; install causalbandits[report].") from None
    return special
