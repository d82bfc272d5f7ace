"""What a claim can say of curves, brought to one form: at some points, means over runs lie below 0. Differences are paired run by run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from .evidence import Point, p_below
from .study import Data, Floats

MARGIN = 0.02  # of equivalence
GROWTH = 0.05  # over the second half of an axis, in parts of the last value: less is constant

T = TypeVar("T")
Where = Callable[[float], bool]


def anywhere(value: float) -> bool:
    return True


class Contrast(Protocol):
    """Which means are to be below 0, at which points."""

    @property
    def words(self) -> str: ...
    def points(self, data: Data) -> list[Point]: ...


@dataclass(frozen=True)
class Curve:
    """A curve of a study in one measure, by default the study's first."""

    study: str
    name: str
    measure: str | None = None

    def samples(self, data: Data) -> Floats:
        """(values, runs)"""
        return data[self.study].samples[self._measure(data)][self.name]

    def names(self, data: Data) -> list[str]:
        """What the points are called."""
        study = data[self.study].study
        return [study.name_of(x) for x in study.values]

    def largest(self, data: Data) -> Floats:
        """(values,) what a run could lose at most."""
        return data[self.study].largest[self._measure(data)]

    def _measure(self, data: Data) -> str:
        return self.measure or data[self.study].study.measures[0].name


@dataclass(frozen=True)
class Better:
    """At every value: mean(one) < factor mean(other). "Much better" is a factor of 1/2."""

    one: Curve
    other: Curve
    factor: float = 1.0
    where: Where = anywhere
    last: bool = False  # at the last value only
    above: float = -math.inf  # only where mean(other) is above this

    @property
    def words(self) -> str:
        where = "" if math.isinf(self.above) else f", wherever mean({self.other.name}) is above {self.above:g}"
        return f"the upper bound of {self._what} is below 0{where}"

    @property
    def _what(self) -> str:
        return _minus(self.one, self.factor, self.other)

    def points(self, data: Data) -> list[Point]:
        one, other = _pair(self.one, self.other, data)
        span = self.one.largest(data) + self.factor * self.other.largest(data)
        values = data[self.one.study].study.values
        chosen = (
            [len(values) - 1]
            if self.last
            else [i for i, x in enumerate(values) if self.where(x) and other[i].mean() > self.above]
        )
        names = (
            [f"{self.one.name} against {self.other.name}"] if self.last else [self.one.names(data)[i] for i in chosen]
        )
        return [
            Point(
                name,
                {self._what: one[i] - self.factor * other[i]},
                _two(self.one, one[i], self.other, other[i]),
                span=float(span[i]),
            )
            for name, i in zip(names, chosen, strict=True)
        ]


def much_better(one: Curve, other: Curve, where: Where = anywhere, last: bool = False) -> Better:
    """mean(one) < mean(other) / 2."""
    return Better(one, other, 0.5, where, last)


@dataclass(frozen=True)
class OnAverage:
    """The mean over all values and runs: mean(one) < factor mean(other). For worlds drawn at random, which are the values of a study."""

    one: Curve
    other: Curve
    factor: float = 1.0

    @property
    def words(self) -> str:
        return f"over all of them, the upper bound of {_minus(self.one, self.factor, self.other)} is below 0"

    def points(self, data: Data) -> list[Point]:
        one, other = (samples.mean(axis=0) for samples in _pair(self.one, self.other, data))
        span = float(self.one.largest(data).mean() + self.factor * self.other.largest(data).mean())
        what = _minus(self.one, self.factor, self.other)
        return [
            Point(
                f"{self.one.name} against {self.other.name}",
                {what: one - self.factor * other},
                _two(self.one, one, self.other, other),
                span=span,
            )
        ]


@dataclass(frozen=True)
class AtWorst:
    """Wherever it is, the mean of one is below the largest mean of the other.

    Where the other is worst is found on half of the runs and its mean there taken from the other half, which can only be too low. Of
    the values of one all must be below it, and so the least sure of them.
    """

    one: Curve
    other: Curve

    @property
    def words(self) -> str:
        return f"at every value the upper bound of {self._what} is below 0"

    @property
    def _what(self) -> str:
        return f"mean({self.one.name}) − worst mean({self.other.name})"

    def points(self, data: Data) -> list[Point]:
        one, other = _pair(self.one, self.other, data)
        worst = other[other[:, ::2].mean(axis=1).argmax(), 1::2]
        span = float(self.one.largest(data).max() + self.other.largest(data).max())
        least_sure = max(one[:, 1::2], key=lambda sample: p_below(sample - worst, span))
        return [
            Point(
                "the worst of all",
                {self._what: least_sure - worst},
                _two(self.one, least_sure, self.other, worst),
                span=span,
            )
        ]


@dataclass(frozen=True)
class NotMuchWorse:
    """At every value: mean(one) is below `factor` times that of the best of the others, or no more than `slack` above it, whichever is more."""

    one: Curve
    others: Sequence[Curve]
    factor: float
    slack: float

    @property
    def words(self) -> str:
        return f"mean({self.one.name}) is below {self.factor:g} times the least mean of {self._others}, or less than {self.slack:g} above it"

    @property
    def _others(self) -> str:
        return ", ".join(other.name for other in self.others)

    def points(self, data: Data) -> list[Point]:
        points = []
        for i, at in enumerate(self.one.names(data)):
            one, best = self.one.samples(data)[i], min((other.samples(data)[i] for other in self.others), key=np.mean)
            allowed = self.factor * best if (self.factor - 1) * best.mean() > self.slack else best + self.slack
            values = {self.one.name: float(one.mean()), "best of the others": float(best.mean())}
            span = float(self.one.largest(data)[i] + self.factor * self.others[0].largest(data)[i])
            points.append(Point(at, {f"mean({self.one.name}) − what is allowed": one - allowed}, values, span=span))
        return points


@dataclass(frozen=True)
class Close:
    """At every value: |mean(one) - mean(other)| < margin, by two one-sided tests."""

    one: Curve
    other: Curve
    where: Where = anywhere
    margin: float = MARGIN

    @property
    def words(self) -> str:
        return f"the bounds of {self._what} lie within ±{self.margin:g}"

    @property
    def _what(self) -> str:
        return f"mean({self.one.name}) − mean({self.other.name})"

    def points(self, data: Data) -> list[Point]:
        one, other = _pair(self.one, self.other, data)
        span = self.one.largest(data) + self.other.largest(data)
        return [
            Point(at, {self._what: u - v}, _two(self.one, u, self.other, v), margin=self.margin, span=float(width))
            for at, x, u, v, width in zip(
                self.one.names(data), data[self.one.study].study.values, one, other, span, strict=True
            )
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
        samples = self.curve.samples(data)
        average = samples.mean(axis=0)
        span = 2 * float(self.curve.largest(data).max())
        what = f"mean({self.curve.name}) − average"
        return [
            Point(at, {what: s - average}, {self.curve.name: float(s.mean())}, margin=self.margin, span=span)
            for at, s in zip(self.curve.names(data), samples, strict=True)
        ]


@dataclass(frozen=True)
class Trend:
    """The least-squares slope over the axis is negative and the last value is below the first; for `grows` the other way round."""

    curve: Curve
    grows: bool = False

    @property
    def words(self) -> str:
        way = "positive" if self.grows else "negative"
        return f"the slope of mean({self.curve.name}) (least squares, run by run) is {way}, and so is the change from the first value to the last"

    def points(self, data: Data) -> list[Point]:
        at, samples, largest = self.curve.names(data), self.curve.samples(data), float(self.curve.largest(data).max())
        x = data[self.curve.study].x
        weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum() * (x[-1] - x[0])  # of the change over the whole axis
        slopes = weights @ samples
        sign, minus = (-1, "−") if self.grows else (1, "")
        first, last = ("first", "last") if self.grows else ("last", "first")
        ends = {at[0]: float(samples[0].mean()), at[-1]: float(samples[-1].mean())}
        return [
            Point(
                "the slope",
                {f"{minus}slope of mean({self.curve.name})": sign * slopes},
                {"over the whole axis": float(slopes.mean())},
                span=largest * float(np.abs(weights).sum()),
            ),
            Point(
                f"{at[0]} to {at[-1]}", {f"{first} − {last}": sign * (samples[-1] - samples[0])}, ends, span=2 * largest
            ),
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
        at, samples, largest = self.curve.names(data), self.curve.samples(data), self.curve.largest(data)
        half = _half(self.curve, data)
        grown = samples[-1] - samples[half]
        values = {
            at[half]: float(samples[half].mean()),
            at[-1]: float(samples[-1].mean()),
            "growth / mean": _divided(grown, samples[-1]),
        }
        what = f"growth − {self.growth:g} mean"
        return [
            Point(
                self.curve.name,
                {what: grown - self.growth * samples[-1]},
                values,
                span=float(largest[-1] + largest[half]),
            )
        ]


@dataclass(frozen=True)
class Settled:
    """The share of the runs that still grow over the second half of the axis, by more than `least`, is below `share`."""

    curve: Curve
    least: float
    share: float

    @property
    def words(self) -> str:
        runs = f"{self.curve.name}'s runs that grow by more than {self.least:g} over the second half of the axis"
        return f"the upper bound of the share of {runs} is below {self.share:g}"

    def points(self, data: Data) -> list[Point]:
        samples = self.curve.samples(data)
        grows = (samples[-1] - samples[_half(self.curve, data)] > self.least).astype(float)
        values = {
            "share that grows": float(grows.mean()),
            "mean growth": float((samples[-1] - samples[_half(self.curve, data)]).mean()),
        }
        return [Point(self.curve.names(data)[-1], {f"share − {self.share:g}": grows - self.share}, values, span=1.0)]


def _half(curve: Curve, data: Data) -> int:
    """The last value that is not in the second half of the axis, so that all of that half counts."""
    x = data[curve.study].x
    half = int(np.searchsorted(x, x[-1] / 2, side="right")) - 1
    assert half >= 0, f"the axis of {curve.study} has no value in its first half"
    return half


@dataclass(frozen=True)
class Below:
    """At every value: the mean is below a number that depends on the value alone, such as the bound of a theorem."""

    curve: Curve
    bound: Callable[[float], float]
    name: str = "the bound"
    where: Where = anywhere
    last: bool = False  # at the last value only

    @property
    def words(self) -> str:
        return f"the upper bound of mean({self.curve.name}) − {self.name} is below 0"

    def points(self, data: Data) -> list[Point]:
        study, largest = data[self.curve.study].study, self.curve.largest(data)
        points = []
        for at, x, sample, most in zip(
            self.curve.names(data), study.values, self.curve.samples(data), largest, strict=True
        ):
            if self.where(x):
                bound = self.bound(x)
                values = {self.curve.name: float(sample.mean()), self.name: bound}
                points.append(
                    Point(at, {f"mean({self.curve.name}) − {self.name}": sample - bound}, values, span=float(most))
                )
        return points[-1 if self.last else None :]


@dataclass(frozen=True)
class Both:
    """Two contrasts with the same number of points, to be shown together at each; neither may be of equivalence."""

    one: Contrast
    other: Contrast

    @property
    def words(self) -> str:
        return f"{self.one.words}, and {self.other.words}"

    def points(self, data: Data) -> list[Point]:
        return [
            replace(
                p,
                samples=_merged(p.samples, q.samples),
                values=_merged(p.values, q.values),
                out_of_reach="; ".join(filter(None, (p.out_of_reach, q.out_of_reach))),
                span=max(p.span, q.span),
            )
            for p, q in zip(self.one.points(data), self.other.points(data), strict=True)
        ]


@dataclass(frozen=True)
class OutOfReach:
    """A point that no simulation can reach, and the size that it would take."""

    at: str
    reason: Callable[[], str]
    words: str = "(what cannot be reached is left out)"

    def points(self, data: Data) -> list[Point]:
        return [Point(self.at, out_of_reach=self.reason())]


def _merged(one: Mapping[str, T], other: Mapping[str, T]) -> dict[str, T]:
    """Both, also where they have a name in common."""
    return {**one, **{f"{name}, again" if name in one else name: value for name, value in other.items()}}


def _pair(one: Curve, other: Curve, data: Data) -> tuple[Floats, Floats]:
    """The samples of two curves, which must be at the same values."""
    assert list(data[one.study].study.values) == list(data[other.study].study.values), (
        f"{one} and {other} are at different values"
    )
    return one.samples(data), other.samples(data)


def _minus(one: Curve, factor: float, other: Curve) -> str:
    return f"mean({one.name}) − {'' if factor == 1 else f'{factor:g} '}mean({other.name})"


def _two(one: Curve, of_one: Floats, other: Curve, of_other: Floats) -> dict[str, float]:
    """The means of two curves by name; of the same name in two studies, with these."""
    names = (
        [one.name, other.name]
        if one.name != other.name
        else [f"{one.name} ({one.study})", f"{other.name} ({other.study})"]
    )
    return {names[0]: float(of_one.mean()), names[1]: float(of_other.mean())}


def _divided(above: Floats, below: Floats) -> float:
    return float(above.mean() / below.mean()) if below.mean() else math.nan
