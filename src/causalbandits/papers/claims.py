"""Claims and the tests that give their verdicts.

Everything that a claim can say is brought to one form: at some points, means over runs lie below 0. A contrast (Better, Close, Constant ...)
says which means; a quantifier (Every, Most, FromSomeOn, Never, Each) says at how many points, and what follows if not. Policies meet the same
luck in a run, so differences are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

import numpy as np

from .evidence import LEVEL, Assessed, Finding, Point, assess
from .study import Data, Floats
from .words import short

MARGIN = 0.02  # of equivalence
GROWTH = 0.05  # over the second half of an axis, in parts of the last value: less is constant
NOTHING = 1e-6  # a regret that stays below it is constant, whatever part of itself it grows by

Verdict = Literal["reproduced", "not reproduced", "depends", "inconclusive", "not testable"]


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons. `runs_needed` would settle an inconclusive one."""

    verdict: Verdict
    reasons: str
    points: Sequence[Assessed]
    runs_needed: int | None = None

    @property
    def summary(self) -> str:
        if self.verdict != "inconclusive":
            return self.reasons
        runs = f"About {self.runs_needed:,} runs would" if self.runs_needed is not None else "No number of runs can be named that would"
        return f"{self.reasons} {runs} settle it."


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
        _, other = _paired(self.one, self.other, data)
        values = data[self.one.study].study.values
        chosen = [len(at) - 1] if self.last else [i for i, x in enumerate(values) if self.where(x)]
        means = [_two(self.one, one[i], self.other, other[i]) for i in chosen]
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
        _, other = _paired(self.one, self.other, data)
        values = data[self.one.study].study.values
        return [
            _within(a, f"mean({self.one.name}) − mean({self.other.name})", u - v, self.margin, _two(self.one, u, self.other, v))
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
        slopes = (x - x.mean()) @ samples / ((x - x.mean()) ** 2).sum() * (x[-1] - x[0])  # as a change over the whole axis
        sign, minus = (-1, "−") if self.grows else (1, "")
        ends = {at[0]: samples[0].mean(), at[-1]: samples[-1].mean()}
        change = f"{at[0]} to {at[-1]}"
        first, last = ("first", "last") if self.grows else ("last", "first")
        return [
            Point("the slope", {f"{minus}slope of mean({self.curve.name})": sign * slopes}, {"over the whole axis": slopes.mean()}),
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
        half = int(np.searchsorted(x, x[-1] / 2, side="right")) - 1  # the last value that is not in the second half, so that all of it counts
        assert half >= 0, f"the axis of {self.curve.study} has no value in its first half"
        what = f"growth − {self.growth:g} mean"
        grown = samples[-1] - samples[half] - self.growth * samples[-1] - NOTHING
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
        return [
            Point(p.at, _merged(p.samples, q.samples), _merged(p.values, q.values), "; ".join(filter(None, (p.out_of_reach, q.out_of_reach))))
            for p, q in zip(self.one.points(data), self.other.points(data), strict=True)
        ]


@dataclass(frozen=True)
class OutOfReach:
    """A point that no simulation can reach, and the size that it would take."""

    at: str
    reason: Callable[[], str]
    words: str = "what a proof asks for is met"

    def points(self, data: Data) -> list[Point]:
        return [Point(self.at, out_of_reach=self.reason())]


T = TypeVar("T")


def _merged(one: Mapping[str, T], other: Mapping[str, T]) -> dict[str, T]:
    """Both, also where they have a name in common."""
    return {**one, **{f"{name} (2)" if name in one else name: value for name, value in other.items()}}


def _paired(one: Curve, other: Curve, data: Data) -> tuple[list[str], Floats]:
    """The other curve's samples, at the values of the first."""
    assert list(data[one.study].study.values) == list(data[other.study].study.values), f"{one} and {other} are at different values"
    return other.samples(data)


def _two(one: Curve, of_one: Floats, other: Curve, of_other: Floats) -> dict[str, float]:
    """The means of two curves by name; of the same name in two studies, with these."""
    names = [one.name, other.name] if one.name != other.name else [f"{one.name} ({one.study})", f"{other.name} ({other.study})"]
    return {names[0]: float(of_one.mean()), names[1]: float(of_other.mean())}


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
        return _decide(_assess(self.contrasts, data), lambda shown, refuted, tried: (shown == tried, refuted > 0))


@dataclass(frozen=True)
class Each:
    """Shown at every point: reproduced. Refuted at every one: not reproduced. Shown at some and refuted at others: depends."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"Each on its own: {_and(self.contrasts)}; if it is shown for some and refuted for others, it depends."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        if {"shown", "refuted"} <= {point.finding for point in points}:
            holds, fails = _places(points, "shown"), _places(points, "refuted")
            return Judgement("depends", f"Holds for {holds}; fails for {fails}.{_left_out(points)}", points)
        return _decide(points, lambda shown, refuted, tried: (shown == tried, refuted == tried), lambda shown, refuted: shown > 0 and refuted > 0)


@dataclass(frozen=True)
class Most:
    """Shown at more than half of the points: reproduced. Refuted at half of them or more: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At more than half of the points {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        return _decide(_assess(self.contrasts, data), lambda shown, refuted, tried: (2 * shown > tried, 2 * refuted >= tried))


@dataclass(frozen=True)
class FromSomeOn:
    """Shown at the last point, and so from some point on: reproduced. Refuted at the last: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"From some point on to the last {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        tried = _tried(points)
        if not tried:
            return _not_testable(points)
        last = tried[-1]
        if last.finding == "shown":
            first = next((i + 1 for i in reversed(range(len(tried))) if tried[i].finding != "shown"), 0)
            return Judgement("reproduced", f"Shown from {_told(tried[first])} on.{_left_out(points)}", points)
        if last.finding == "refuted":
            return Judgement("not reproduced", f"Refuted at {_told(last)}.{_left_out(points)}", points)
        return Judgement("inconclusive", f"Neither shown nor refuted at {last.at}.{_left_out(points)}", points, last.runs_needed)


@dataclass(frozen=True)
class Never:
    """Refuted at no point. It need not be shown at any: that nothing speaks against it is all that is asked for."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At no point is it refuted that {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        tried = _tried(points)
        if not tried:
            return _not_testable(points)
        if any(point.finding == "refuted" for point in tried):
            return Judgement("not reproduced", f"Refuted at {_places(points, 'refuted')}.{_left_out(points)}", points)
        untested = [point.at for point in tried if point.p_refuted is None or math.isnan(point.bounds[0].mean)]
        if untested:
            return Judgement("inconclusive", f"There are too few runs to test {', '.join(untested)}: run more.", points)
        return Judgement("reproduced", f"Refuted at none of {_number_of(tried)}.{_left_out(points)}", points)


@dataclass(frozen=True)
class All:
    """Several tests that must all be passed, each with its own points and Holm over these."""

    tests: Sequence[Test]

    @property
    def words(self) -> str:
        return " ".join(test.words for test in self.tests)

    def judge(self, data: Data) -> Judgement:
        judgements = [test.judge(data) for test in self.tests]
        order: list[Verdict] = ["not reproduced", "inconclusive", "not testable", "depends", "reproduced"]
        verdict = min((j.verdict for j in judgements), key=order.index)
        needed = [j.runs_needed for j in judgements if j.verdict == "inconclusive"]
        most = max(n for n in needed if n is not None) if verdict == "inconclusive" and None not in needed else None
        return Judgement(verdict, " ".join(j.reasons for j in judgements), [point for j in judgements for point in j.points], most)


def _and(contrasts: Sequence[Contrast]) -> str:
    return "; ".join(dict.fromkeys(contrast.words for contrast in contrasts))


def _assess(contrasts: Sequence[Contrast], data: Data) -> list[Assessed]:
    return assess([point for contrast in contrasts for point in contrast.points(data)])


def _decide(
    points: Sequence[Assessed],
    rule: Callable[[int, int, int], tuple[bool, bool]],
    is_mixed: Callable[[int, int], bool] = lambda shown, refuted: False,
) -> Judgement:
    """The verdict of a rule that says, from how many of the points tried were shown and refuted, whether the claim is."""
    tried = _tried(points)
    if not tried:
        return _not_testable(points)
    shown, refuted = (sum(point.finding == which for point in tried) for which in ("shown", "refuted"))
    holds, fails = rule(shown, refuted, len(tried))
    can_be_reached = " that can be reached" if len(tried) < len(points) else ""
    count = f"Shown at {shown} of {_number_of(tried)}{can_be_reached}" + (f", refuted at {refuted}" if refuted else "")
    if holds:
        closest = max((point for point in tried if point.finding == "shown"), key=_margin)
        return Judgement("reproduced", f"{count}; closest call: {_told(closest)}.{_left_out(points)}", points)
    if fails:
        worst = sorted((point for point in tried if point.finding == "refuted"), key=_margin)
        told = f"closest call: {_told(worst[0])}" if refuted == len(tried) else f"most clearly: {_told(worst[-1])}"
        return Judgement("not reproduced", f"{count}; {told}.{_left_out(points)}", points)
    runs = None
    for point in sorted((p for p in tried if p.finding == "open" and p.runs_needed is not None), key=lambda p: p.runs_needed or 0):
        shown, refuted = shown + (point.leans == "shown"), refuted + (point.leans == "refuted")
        if any(rule(shown, refuted, len(tried))) or is_mixed(shown, refuted):
            runs = point.runs_needed
            break
    return Judgement("inconclusive", f"{count}.{_left_out(points)}", points, runs)


def _tried(points: Sequence[Assessed]) -> list[Assessed]:
    return [point for point in points if point.finding != "out of reach"]


def _not_testable(points: Sequence[Assessed]) -> Judgement:
    return Judgement("not testable", _left_out(points).strip() or "There is no such point.", points)


def _left_out(points: Sequence[Assessed]) -> str:
    """What could not be tried, and why, in words."""
    beyond = [point for point in points if point.finding == "out of reach"]
    return "".join(f" {point.at[0].upper()}{point.at[1:]} it cannot be tested: {point.reason}." for point in beyond)


def _margin(point: Assessed) -> float:
    """How far above 0 the test could not keep a point from: the upper bounds of one that is shown, the lower ones of one that is refuted."""
    ends = [bound.upper if point.finding == "shown" else bound.lower for bound in point.bounds]
    return max(end for end in ends if end is not None)


def _number_of(points: Sequence[Assessed]) -> str:
    return f"{len(points)} {'point' if len(points) == 1 else 'points'}"


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
