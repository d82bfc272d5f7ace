"""The statements that a claim can make about curves.

All of them have one form: at some points, means over runs lie below 0. Differences are paired run by run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from .evidence import ROUNDING, Point, p_below
from .study import Data, Floats

MARGIN = 0.02  # of equivalence
GROWTH = 0.05  # a curve is constant if it grows by less than this share of its last value in the second half

T = TypeVar("T")
Where = Callable[[float], bool]


def anywhere(value: float) -> bool:
    return True


class Contrast(Protocol):
    """A statement about curves: which means are below 0, and at which points."""

    @property
    def description(self) -> str: ...
    def points(self, data: Data) -> list[Point]: ...


class Sampled(Protocol):
    """What a contrast compares: a curve, or several as one."""

    @property
    def study(self) -> str: ...
    @property
    def name(self) -> str: ...
    def samples(self, data: Data) -> Floats: ...
    def values(self, data: Data) -> list[float]: ...
    def names(self, data: Data) -> list[str]: ...
    def largest(self, data: Data) -> Floats: ...


@dataclass(frozen=True)
class Curve:
    """A curve of a study in one measure, by default the study's first measure."""

    study: str
    name: str
    measure: str | None = None

    def samples(self, data: Data) -> Floats:
        """An array (values, runs)."""
        return data[self.study].samples[self._measure(data)][self.name]

    def values(self, data: Data) -> list[float]:
        """The values of the axis."""
        return list(data[self.study].study.values)

    def names(self, data: Data) -> list[str]:
        """The names of the points."""
        study = data[self.study].study
        return [study.name_of(x) for x in study.values]

    def largest(self, data: Data) -> Floats:
        """The largest possible value of a run, (values,)."""
        return data[self.study].largest[self._measure(data)]

    def _measure(self, data: Data) -> str:
        return self.measure or data[self.study].study.measures[0].name


@dataclass(frozen=True)
class Better:
    """At every value: mean(one) < factor mean(other) + slack."""

    one: Curve
    other: Curve
    factor: float = 1.0
    where: Where = anywhere
    last: bool = False  # at the last value only
    above: float = -math.inf  # only where mean(other) is above this
    slack: float = 0.0  # how far above it may be

    @property
    def description(self) -> str:
        where = "" if math.isinf(self.above) else f", wherever mean({self.other.name}) is above {self.above:g}"
        return f"the upper bound of {self._statistic} is below 0{where}"

    @property
    def _statistic(self) -> str:
        return _difference(self.one, self.factor, self.other) + (f" − {self.slack:g}" if self.slack else "")

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
                {self._statistic: one[i] - self.factor * other[i] - self.slack},
                _two_means(self.one, one[i], self.other, other[i]),
                span=float(span[i]),
                slack=self.slack,
            )
            for name, i in zip(names, chosen, strict=True)
        ]


def much_better(one: Curve, other: Curve, where: Where = anywhere, last: bool = False) -> Better:
    """At every value: mean(one) < mean(other) / 2."""
    return Better(one, other, 0.5, where, last)


@dataclass(frozen=True)
class OnAverage:
    """Over all values and runs: mean(one) < factor mean(other) + slack. Meant for values that are random worlds.

    `where` names the study in the name of the point, if a claim has several studies.
    """

    one: Sampled
    other: Sampled
    factor: float = 1.0
    where: str = ""
    slack: float = 0.0

    @property
    def description(self) -> str:
        return f"over all of them, the upper bound of {self._statistic} is below 0"

    @property
    def _statistic(self) -> str:
        return _difference(self.one, self.factor, self.other) + (f" − {self.slack:g}" if self.slack else "")

    def points(self, data: Data) -> list[Point]:
        one, other = (samples.mean(axis=0) for samples in _pair(self.one, self.other, data))
        span = float(self.one.largest(data).mean() + self.factor * self.other.largest(data).mean())
        setting = f"{self.where}: " if self.where else ""
        return [
            Point(
                f"{setting}{self.one.name} against {self.other.name}",
                {self._statistic: one - self.factor * other - self.slack},
                _two_means(self.one, one, self.other, other),
                span=span,
                slack=self.slack,
            )
        ]


@dataclass(frozen=True)
class AtWorst:
    """At every value: mean(one) is below the largest mean of the other.

    Half of the runs find the value at which the other is worst. The other half give its mean there, which can only be
    too low. Every value of `one` must be below it, so the value with the largest p value decides.
    """

    one: Curve
    other: Curve

    @property
    def description(self) -> str:
        return f"at every value the upper bound of {self._statistic} is below 0"

    @property
    def _statistic(self) -> str:
        return f"mean({self.one.name}) − worst mean({self.other.name})"

    def points(self, data: Data) -> list[Point]:
        one, other = _pair(self.one, self.other, data)
        worst = other[other[:, ::2].mean(axis=1).argmax(), 1::2]
        span = float(self.one.largest(data).max() + self.other.largest(data).max())
        least_certain = max(one[:, 1::2], key=lambda sample: p_below(sample - worst, span))
        return [
            Point(
                "the worst of all",
                {self._statistic: least_certain - worst},
                _two_means(self.one, least_certain, self.other, worst),
                span=span,
            )
        ]


@dataclass(frozen=True)
class NotMuchWorse:
    """At every value: mean(one) is below a limit that depends on the best of the others.

    The limit is `factor` times the mean of the best, or that mean plus `slack`, whichever is larger.
    """

    one: Curve
    others: Sequence[Curve]
    factor: float
    slack: float
    where: Where = anywhere

    @property
    def description(self) -> str:
        return (
            f"mean({self.one.name}) is below {self.factor:g} times the least mean of {self._others}, "
            f"or less than {self.slack:g} above it"
        )

    @property
    def _others(self) -> str:
        return ", ".join(other.name for other in self.others)

    def points(self, data: Data) -> list[Point]:
        points = []
        for i, (value, at) in enumerate(zip(self.one.values(data), self.one.names(data), strict=True)):
            if not self.where(value):
                continue
            one, best = self.one.samples(data)[i], min((other.samples(data)[i] for other in self.others), key=np.mean)
            allowed = self.factor * best if (self.factor - 1) * best.mean() > self.slack else best + self.slack
            values = {self.one.name: float(one.mean()), "best of the others": float(best.mean())}
            span = float(self.one.largest(data)[i] + self.factor * self.others[0].largest(data)[i])
            what = f"mean({self.one.name}) − what is allowed"
            slack = float(np.mean(allowed) - np.mean(best))
            points.append(Point(at, {what: one - allowed}, values, span=span, slack=slack))
        return points


@dataclass(frozen=True)
class Lowest:
    """At every value: mean(one) is below the means of all others.

    Means up to `nothing` count as equal: where the best of the others is so low, mean(one) only has to be below
    `nothing` too. Runs that are all 0 have no variance to test with, so such a value is left out.
    """

    one: Curve
    others: Sequence[Curve]
    nothing: float

    @property
    def description(self) -> str:
        others = ", ".join(other.name for other in self.others)
        return (
            f"the upper bound of mean({self.one.name}) − the least mean of {others} is below 0 "
            f"(where that mean is at most {self.nothing:g}: the upper bound of mean({self.one.name}) is below that)"
        )

    def points(self, data: Data) -> list[Point]:
        points = []
        for i, at in enumerate(self.one.names(data)):
            one = self.one.samples(data)[i]
            other = min(self.others, key=lambda other: float(other.samples(data)[i].mean()))
            best = other.samples(data)[i]
            values = {self.one.name: float(one.mean()), other.name: float(best.mean())}
            if best.mean() > self.nothing:
                span = float(self.one.largest(data)[i] + other.largest(data)[i])
                points.append(Point(at, {f"mean({self.one.name}) − mean({other.name})": one - best}, values, span=span))
            elif (abs(one) > ROUNDING).any():
                what = f"mean({self.one.name}) − {self.nothing:g}"
                points.append(Point(at, {what: one - self.nothing}, values, span=float(self.one.largest(data)[i])))
            else:
                reason = f"{self.one.name} has 0 in all runs, and another has at most {self.nothing:g} on average"
                points.append(Point(f"at {at}", out_of_reach=reason))
        return points


@dataclass(frozen=True)
class Close:
    """At every value: |mean(one) - mean(other)| < margin, by two one-sided tests."""

    one: Curve
    other: Curve
    where: Where = anywhere
    margin: float = MARGIN

    @property
    def description(self) -> str:
        return f"the bounds of {self._statistic} lie within ±{self.margin:g}"

    @property
    def _statistic(self) -> str:
        return f"mean({self.one.name}) − mean({self.other.name})"

    def points(self, data: Data) -> list[Point]:
        one, other = _pair(self.one, self.other, data)
        span = self.one.largest(data) + self.other.largest(data)
        return [
            Point(
                at,
                {self._statistic: u - v},
                _two_means(self.one, u, self.other, v),
                margin=self.margin,
                span=float(width),
            )
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
    def description(self) -> str:
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
    """The least-squares slope over the axis is negative, and the last value is below the first.

    With `grows`: the slope is positive, and the last value is above the first.
    """

    curve: Curve
    grows: bool = False

    @property
    def description(self) -> str:
        sign = "positive" if self.grows else "negative"
        return (
            f"the slope of mean({self.curve.name}) (least squares, run by run) is {sign}, "
            "and so is the change from the first value to the last"
        )

    def points(self, data: Data) -> list[Point]:
        at, samples, largest = self.curve.names(data), self.curve.samples(data), float(self.curve.largest(data).max())
        x = data[self.curve.study].x
        weights = (
            (x - x.mean()) / ((x - x.mean()) ** 2).sum() * (x[-1] - x[0])
        )  # they give the change over the whole axis
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
    def description(self) -> str:
        return (
            f"the upper bound of mean({self.curve.name})'s growth over the second half of the axis "
            f"is below {self.growth:.0%} of its last value"
        )

    def points(self, data: Data) -> list[Point]:
        at, samples, largest = self.curve.names(data), self.curve.samples(data), self.curve.largest(data)
        half = _middle(self.curve, data)
        grown = samples[-1] - samples[half]
        values = {
            at[half]: float(samples[half].mean()),
            at[-1]: float(samples[-1].mean()),
            "growth / mean": _ratio_of_means(grown, samples[-1]),
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
    """Few runs still grow: in the second half of the axis less than `share` of them grow by more than `least`."""

    curve: Curve
    least: float
    share: float

    @property
    def description(self) -> str:
        runs = f"{self.curve.name}'s runs that grow by more than {self.least:g} over the second half of the axis"
        return f"the upper bound of the share of {runs} is below {self.share:g}"

    def points(self, data: Data) -> list[Point]:
        samples = self.curve.samples(data)
        growth = samples[-1] - samples[_middle(self.curve, data)]
        grows = (growth > self.least).astype(float)
        values = {"share that grows": float(grows.mean()), "mean growth": float(growth.mean())}
        return [Point(self.curve.names(data)[-1], {f"share − {self.share:g}": grows - self.share}, values, span=1.0)]


def _middle(curve: Curve, data: Data) -> int:
    """The index of the last value in the first half of the axis, so that the whole second half counts."""
    x = data[curve.study].x
    half = int(np.searchsorted(x, x[-1] / 2, side="right")) - 1
    assert half >= 0, f"the axis of {curve.study} has no value in its first half"
    return half


@dataclass(frozen=True)
class Below:
    """At every value: the mean is below a function of the value, such as the bound of a theorem."""

    curve: Curve
    bound: Callable[[float], float]
    name: str = "the bound"
    where: Where = anywhere
    last: bool = False  # at the last value only

    @property
    def description(self) -> str:
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
    """Two contrasts that must hold together at every point. Both have the same number of points, and no margin."""

    one: Contrast
    other: Contrast

    @property
    def description(self) -> str:
        return f"{self.one.description}, and {self.other.description}"

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
    """A point that no simulation can reach. The reason names the size that it would take."""

    at: str
    reason: Callable[[], str]
    description: str = "(what cannot be reached is left out)"

    def points(self, data: Data) -> list[Point]:
        return [Point(self.at, out_of_reach=self.reason())]


def _merged(one: Mapping[str, T], other: Mapping[str, T]) -> dict[str, T]:
    """Both mappings in one. A name that both have is kept twice."""
    return {**one, **{f"{name}, again" if name in one else name: value for name, value in other.items()}}


def _pair(one: Sampled, other: Sampled, data: Data) -> tuple[Floats, Floats]:
    """The samples of two curves, which must have the same values."""
    assert one.values(data) == other.values(data), f"{one} and {other} have different values"
    return one.samples(data), other.samples(data)


def _difference(one: Sampled, factor: float, other: Sampled) -> str:
    """The name of mean(one) - factor mean(other)."""
    return f"mean({one.name}) − {'' if factor == 1 else f'{factor:g} '}mean({other.name})"


def _two_means(one: Sampled, of_one: Floats, other: Sampled, of_other: Floats) -> dict[str, float]:
    """The means of two curves by name. Curves of the same name get the names of their studies."""
    names = (
        [one.name, other.name]
        if one.name != other.name
        else [f"{one.name} ({one.study})", f"{other.name} ({other.study})"]
    )
    return {names[0]: float(of_one.mean()), names[1]: float(of_other.mean())}


def _ratio_of_means(above: Floats, below: Floats) -> float:
    return float(above.mean() / below.mean()) if below.mean() else math.nan
