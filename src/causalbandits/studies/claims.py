"""Claims and their verdicts.

A quantifier (Every, Within, Each, Most, FromSomeOn, Never, NotShown) says at how many points a contrast must be shown.
It also says what the verdict is if it is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from .contrasts import Contrast
from .evidence import LEVEL, Assessed, Bounds, Finding, assess, assess_by_errors
from .formatting import short
from .study import Data

Verdict = Literal["reproduced", "not reproduced", "depends", "inconclusive", "not testable"]

T_TESTS = (
    f"One-sided t-tests on the runs at level {LEVEL:.0%}, Holm over the points; "
    "the bounds are those that the test used."
)


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons. `runs_needed` is the number of runs that would settle an inconclusive claim."""

    verdict: Verdict
    reasons: str
    points: Sequence[Assessed]
    runs_needed: int | None = None

    @property
    def summary(self) -> str:
        if self.verdict != "inconclusive":
            return self.reasons
        runs = (
            f"About {self.runs_needed:,} runs would"
            if self.runs_needed is not None
            else "No number of runs can be named that would"
        )
        return f"{self.reasons} {runs} settle it."


class Test(Protocol):
    """A quantified contrast: `description` says what is tested, `judge` tests it."""

    @property
    def description(self) -> str: ...
    def judge(self, data: Data) -> Judgement: ...


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and its test."""

    id: str
    statement: str
    test: Test

    @property
    def test_description(self) -> str:
        return f"{self.test.description} {self.test.method if isinstance(self.test, NotShown) else T_TESTS}"


@dataclass(frozen=True)
class Every:
    """Shown at every point: reproduced. Refuted at one point: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def description(self) -> str:
        return f"At every point {_descriptions(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        return _decide(_assess(self.contrasts, data), lambda shown, refuted, tested: (shown == tested, refuted > 0))


@dataclass(frozen=True)
class Within:
    """As Every, for statements that allow a margin. It also gives the largest difference that the runs leave possible.

    That a difference is refuted nowhere would say little: with few runs nothing is refuted.
    """

    contrasts: Sequence[Contrast]

    @property
    def description(self) -> str:
        return Every(self.contrasts).description

    def judge(self, data: Data) -> Judgement:
        return _with_largest_difference(Every(self.contrasts).judge(data))


@dataclass(frozen=True)
class Each:
    """Shown at every point: reproduced. Refuted at every point: not reproduced. Some of both: depends."""

    contrasts: Sequence[Contrast]

    @property
    def description(self) -> str:
        what = _descriptions(self.contrasts)
        return f"Each on its own: {what}; if it is shown for some and refuted for others, it depends."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        findings = {point.finding for point in points}
        if {"shown", "refuted"} <= findings:
            undecided = f"; neither is shown for {_names(points, 'open')}" if "open" in findings else ""
            reasons = f"Holds for {_names(points, 'shown')}; fails for {_names(points, 'refuted')}{undecided}."
            return Judgement("depends", reasons + _not_tested(points), points)
        return _decide(
            points,
            lambda shown, refuted, tested: (shown == tested, refuted == tested),
            lambda shown, refuted: shown > 0 and refuted > 0,
        )


@dataclass(frozen=True)
class Most:
    """Shown at more than half of the points: reproduced. Refuted at half of them or more: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def description(self) -> str:
        return f"At more than half of the points {_descriptions(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        return _decide(
            _assess(self.contrasts, data), lambda shown, refuted, tested: (2 * shown > tested, 2 * refuted >= tested)
        )


@dataclass(frozen=True)
class FromSomeOn:
    """Shown at the last point, and therefore from some point on: reproduced. Refuted there: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def description(self) -> str:
        return f"From some point on to the last {_descriptions(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        tested = _tested(points)
        if not tested:
            return _not_testable(points)
        last = tested[-1]
        if last.finding == "shown":
            first = next((i + 1 for i in reversed(range(len(tested))) if tested[i].finding != "shown"), 0)
            return Judgement("reproduced", f"Shown from {_with_means(tested[first])} on.{_not_tested(points)}", points)
        if last.finding == "refuted":
            return Judgement("not reproduced", f"Refuted at {_with_means(last)}.{_not_tested(points)}", points)
        return Judgement(
            "inconclusive", f"Neither shown nor refuted at {last.at}.{_not_tested(points)}", points, last.runs_needed
        )


@dataclass(frozen=True)
class Never:
    """Refuted at no point: reproduced. It does not have to be shown at any point."""

    contrasts: Sequence[Contrast]

    @property
    def description(self) -> str:
        return f"At no point is the opposite shown of the following: {_descriptions(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        points = _assess(self.contrasts, data)
        tested = _tested(points)
        if not tested:
            return _not_testable(points)
        if any(point.finding == "refuted" for point in tested):
            reasons = f"Refuted at {_names(points, 'refuted')}.{_not_tested(points)}"
            return Judgement("not reproduced", reasons, points)
        too_few = [point.at for point in tested if point.p_refuted is None or math.isnan(point.bounds[0].mean)]
        if too_few:
            return Judgement("inconclusive", f"There are too few runs to test {', '.join(too_few)}: run more.", points)
        return Judgement("reproduced", f"Refuted at none of {_number_of(tested)}.{_not_tested(points)}", points)


@dataclass(frozen=True)
class NotShown:
    """At no point is a mean more than `errors` standard errors above 0: reproduced. At one: not reproduced.

    This says less than Within, and a claim has to say so: with few runs nothing is shown. So it also gives the number
    of points that are shown, and the largest difference that the runs leave possible where they do not all agree.
    """

    contrasts: Sequence[Contrast]
    errors: float = 3.0

    @property
    def description(self) -> str:
        return f"At no point is the opposite shown of the following: {_descriptions(self.contrasts)}."

    @property
    def method(self) -> str:
        return (
            f"A point is refuted if a mean is more than {self.errors:g} standard errors above 0, and shown if all are "
            "so far below. Each point is tested alone; the bounds are as far from the mean."
        )

    def judge(self, data: Data) -> Judgement:
        made = [point for contrast in self.contrasts for point in contrast.points(data)]
        points = assess_by_errors(made, self.errors)
        tested = _tested(points)
        if not tested:
            return _not_testable(points)
        shown, refuted = ([p for p in tested if p.finding == which] for which in ("shown", "refuted"))
        clearest = f"; most clearly: {_with_means(max(refuted, key=_distance))}" if refuted else ""
        reasons = (
            f"Refuted at {len(refuted) or 'none'} of {_number_of(tested)} ({self.errors:g} standard errors), "
            f"shown at {len(shown):,}{clearest}.{_not_tested(points)}"
        )
        alike = [point for point in tested if point.is_alike]
        if alike:
            reasons += f" At {len(alike):,} of them all runs agree."
        has_few_runs = any(point.largest_difference is None for point in tested)
        verdict: Verdict = "not reproduced" if refuted else "inconclusive" if has_few_runs else "reproduced"
        return _with_largest_difference(Judgement(verdict, reasons, points), [p for p in tested if not p.is_alike])


@dataclass(frozen=True)
class All:
    """Several tests that must all hold. Each has its own points, with Holm over them."""

    tests: Sequence[Test]

    @property
    def description(self) -> str:
        return " ".join(test.description for test in self.tests)

    def judge(self, data: Data) -> Judgement:
        judgements = [test.judge(data) for test in self.tests]
        worst_first: list[Verdict] = ["not reproduced", "inconclusive", "not testable", "depends", "reproduced"]
        verdict = min((j.verdict for j in judgements), key=worst_first.index)
        needed = [j.runs_needed for j in judgements if j.verdict == "inconclusive"]
        most = max(n for n in needed if n is not None) if verdict == "inconclusive" and None not in needed else None
        return Judgement(
            verdict, " ".join(j.reasons for j in judgements), [point for j in judgements for point in j.points], most
        )


@dataclass(frozen=True)
class Readings:
    """One claim under several readings of the paper. Each reading has a name and a test of its own.

    Holds under all readings: reproduced. Fails under all: not reproduced. Holds under some and not under others:
    depends.
    """

    tests: Mapping[str, Test]

    @property
    def description(self) -> str:
        return " ".join(f"Read {name}: {test.description}" for name, test in self.tests.items())

    def judge(self, data: Data) -> Judgement:
        judgements = {name: test.judge(data) for name, test in self.tests.items()}
        verdicts = {judgement.verdict for judgement in judgements.values()}
        needed = [j.runs_needed for j in judgements.values() if j.verdict == "inconclusive"]
        verdict: Verdict = "inconclusive"
        if len(verdicts) == 1:
            verdict = verdicts.pop()
        elif verdicts >= {"reproduced", "not reproduced"} or "depends" in verdicts:
            verdict = "depends"
        return Judgement(
            verdict,
            " ".join(f"{name[0].upper()}{name[1:]}: {j.verdict}. {j.reasons}" for name, j in judgements.items()),
            [replace(point, at=f"{name}: {point.at}") for name, j in judgements.items() for point in j.points],
            None if None in needed else max((n for n in needed if n is not None), default=None),
        )


def _descriptions(contrasts: Sequence[Contrast]) -> str:
    """The descriptions of contrasts in one sentence, each once."""
    return "; ".join(dict.fromkeys(contrast.description for contrast in contrasts))


def _assess(contrasts: Sequence[Contrast], data: Data) -> list[Assessed]:
    return assess([point for contrast in contrasts for point in contrast.points(data)])


def _decide(
    points: Sequence[Assessed],
    rule: Callable[[int, int, int], tuple[bool, bool]],
    is_mixed: Callable[[int, int], bool] = lambda shown, refuted: False,
) -> Judgement:
    """The verdict by counting points.

    `rule` takes the numbers of points that are shown, refuted and tested. It returns whether the claim holds, and
    whether it fails. `is_mixed` tells from the first two numbers whether the claim depends on the point.
    """
    tested = _tested(points)
    if not tested:
        return _not_testable(points)
    shown, refuted = (sum(point.finding == which for point in tested) for which in ("shown", "refuted"))
    holds, fails = rule(shown, refuted, len(tested))
    if len(tested) == len(points) == 1 and (holds or fails):
        reasons = f"{'Shown' if holds else 'Refuted'}: {_with_means(tested[0])}."
        return Judgement("reproduced" if holds else "not reproduced", reasons, points)
    can_be_reached = " that can be reached" if len(tested) < len(points) else ""
    count = f"Shown at {shown} of {_number_of(tested)}{can_be_reached}" + (f", refuted at {refuted}" if refuted else "")
    if holds:
        closest = max((point for point in tested if point.finding == "shown"), key=_distance)
        reasons = f"{count}; closest call: {_with_means(closest)}.{_not_tested(points)}"
        return Judgement("reproduced", reasons, points)
    if fails:
        by_distance = sorted((point for point in tested if point.finding == "refuted"), key=_distance)
        example = (
            f"closest call: {_with_means(by_distance[0])}"
            if refuted == len(tested)
            else f"most clearly: {_with_means(by_distance[-1])}"
        )
        return Judgement("not reproduced", f"{count}; {example}.{_not_tested(points)}", points)
    runs = None
    open_points = [point for point in tested if point.finding == "open" and point.runs_needed is not None]
    for point in sorted(open_points, key=lambda point: point.runs_needed or 0):
        shown, refuted = shown + (point.leans == "shown"), refuted + (point.leans == "refuted")
        if any(rule(shown, refuted, len(tested))) or is_mixed(shown, refuted):
            runs = point.runs_needed
            break
    return Judgement("inconclusive", f"{count}.{_not_tested(points)}", points, runs)


def _with_largest_difference(judgement: Judgement, among: Sequence[Assessed] | None = None) -> Judgement:
    """A judgement that also says how large a difference the runs leave possible, by default at any of its points."""
    tested = _tested(judgement.points) if among is None else among
    if not tested:
        return judgement
    if any(point.largest_difference is None for point in tested):
        return replace(judgement, reasons=f"{judgement.reasons} The runs leave any difference possible.")
    widest = max(tested, key=lambda point: point.largest_difference or 0.0)
    most = short(max(widest.largest_difference or 0.0, 0.0), 3)
    reasons = f"{judgement.reasons} The runs leave a difference of at most {most} possible (at {widest.at})."
    return replace(judgement, reasons=reasons)


def _tested(points: Sequence[Assessed]) -> list[Assessed]:
    return [point for point in points if point.finding != "out of reach"]


def _not_testable(points: Sequence[Assessed]) -> Judgement:
    return Judgement("not testable", _not_tested(points).strip() or "There is no such point.", points)


def _not_tested(points: Sequence[Assessed]) -> str:
    """A sentence for every point that is out of reach, with the reason. More than three of one reason are counted."""
    by_reason: dict[str, list[str]] = {}
    for point in points:
        if point.finding == "out of reach":
            by_reason.setdefault(point.reason, []).append(point.at)
    sentences = []
    for reason, names in by_reason.items():
        for name in names if len(names) <= 3 else [f"at {len(names)} points"]:
            sentences.append(f" {name[0].upper()}{name[1:]} it cannot be tested: {reason}.")
    return "".join(sentences)


def _distance(point: Assessed) -> float:
    """The distance of the confidence bound from the decision threshold, relative to the point's mean."""
    scale = max((abs(value) for value in point.values.values() if math.isfinite(value)), default=1.0) or 1.0
    return max(end for bound in point.bounds for end in _ends(bound, point.finding)) / scale


def _ends(bound: Bounds, finding: Finding) -> list[float]:
    """The confidence bounds that decided, less the margin: the upper one to show, the lower one to refute.

    With a margin of equivalence both sides count.
    """
    one, other = (bound.upper, bound.lower) if finding == "shown" else (bound.lower, bound.upper)
    mirrored = None if other is None else -other
    sides = [one, mirrored] if bound.margin else [one]
    return [side - bound.margin for side in sides if side is not None]


def _number_of(points: Sequence[Assessed]) -> str:
    return f"{len(points):,} {'point' if len(points) == 1 else 'points'}"


def _with_means(point: Assessed) -> str:
    """The name of a point with the means there."""
    return f"{point.at} ({', '.join(f'{name}: {short(value)}' for name, value in point.values.items())})"


def _names(points: Sequence[Assessed], finding: Finding) -> str:
    """The names of the points with a finding. More than three neighbours are written as "first to last"."""
    stretches: list[list[str]] = []
    before = False
    for point in points:
        if point.finding == finding:
            stretches = [*stretches[:-1], [*stretches[-1], point.at]] if before else [*stretches, [point.at]]
        before = point.finding == finding
    return ", ".join(f"{names[0]} to {names[-1]}" if len(names) > 3 else ", ".join(names) for names in stretches)
