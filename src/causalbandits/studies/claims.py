"""Claims and their verdicts. A quantifier (Every, Most, FromSomeOn, Never, Each) says at how many points a contrast must be shown, and what
follows if it is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from .contrasts import Contrast
from .evidence import LEVEL, Assessed, Finding, assess
from .formatting import short
from .study import Data

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
        runs = (
            f"About {self.runs_needed:,} runs would"
            if self.runs_needed is not None
            else "No number of runs can be named that would"
        )
        return f"{self.reasons} {runs} settle it."


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
            undecided = (
                f"; neither is shown for {_places(points, 'open')}"
                if any(point.finding == "open" for point in points)
                else ""
            )
            said = f"Holds for {_places(points, 'shown')}; fails for {_places(points, 'refuted')}{undecided}."
            return Judgement("depends", said + _left_out(points), points)
        return _decide(
            points,
            lambda shown, refuted, tried: (shown == tried, refuted == tried),
            lambda shown, refuted: shown > 0 and refuted > 0,
        )


@dataclass(frozen=True)
class Most:
    """Shown at more than half of the points: reproduced. Refuted at half of them or more: not reproduced."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At more than half of the points {_and(self.contrasts)}."

    def judge(self, data: Data) -> Judgement:
        return _decide(
            _assess(self.contrasts, data), lambda shown, refuted, tried: (2 * shown > tried, 2 * refuted >= tried)
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
        tried = _tried(points)
        if not tried:
            return _not_testable(points)
        last = tried[-1]
        if last.finding == "shown":
            first = next((i + 1 for i in reversed(range(len(tried))) if tried[i].finding != "shown"), 0)
            return Judgement("reproduced", f"Shown from {_told(tried[first])} on.{_left_out(points)}", points)
        if last.finding == "refuted":
            return Judgement("not reproduced", f"Refuted at {_told(last)}.{_left_out(points)}", points)
        return Judgement(
            "inconclusive", f"Neither shown nor refuted at {last.at}.{_left_out(points)}", points, last.runs_needed
        )


@dataclass(frozen=True)
class Never:
    """Refuted at no point. It need not be shown at any: that nothing speaks against it is all that is asked for."""

    contrasts: Sequence[Contrast]

    @property
    def words(self) -> str:
        return f"At no point is the opposite shown of this: {_and(self.contrasts)}."

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
        return Judgement(
            verdict, " ".join(j.reasons for j in judgements), [point for j in judgements for point in j.points], most
        )


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
    for point in sorted(
        (p for p in tried if p.finding == "open" and p.runs_needed is not None), key=lambda p: p.runs_needed or 0
    ):
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
    """How close to 0 (or out of its margin) the test leaves a point that is shown, and how far above one that is refuted; in parts of its means."""
    scale = max((abs(value) for value in point.values.values() if math.isfinite(value)), default=1.0) or 1.0
    ends = []
    for bound in point.bounds:
        sides = [bound.upper, None if bound.lower is None else -bound.lower] if bound.margin else [bound.upper]
        outer = [side - bound.margin for side in sides if side is not None]
        inner = [bound.lower, None if bound.upper is None else -bound.upper] if bound.margin else [bound.lower]
        ends += outer if point.finding == "shown" else [side - bound.margin for side in inner if side is not None]
    return max(ends) / scale


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
