"""The claims' tests themselves, on made-up runs where the claim is true, where it is false and where it is open."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import special, stats

import causalbandits as cb
from causalbandits.studies.claims import All, Claim, Each, Every, FromSomeOn, Judgement, Most, Never
from causalbandits.studies.contrasts import (
    AtWorst,
    Below,
    Better,
    Both,
    Close,
    Constant,
    Contrast,
    Curve,
    Flat,
    NotMuchWorse,
    OnAverage,
    OutOfReach,
    Settled,
    Trend,
    much_better,
)
from causalbandits.studies.evidence import Point, holm, p_below, upper_bound
from causalbandits.studies.study import (
    CUMULATIVE_REGRET,
    ONLY_WATCHED,
    REGRET_AT_CHECKPOINTS,
    SIMPLE_REGRET,
    Axis,
    Curves,
    Data,
    Floats,
    Measure,
    Study,
    ratio,
)

A, B = Curve("s", "A"), Curve("s", "B")
FAR = OutOfReach("beyond every budget", lambda: "it would take e^299")
MARKS = {"shown": "+", "refuted": "-", "open": "?", "out of reach": "x"}
LEVEL, POWER = 0.05, 0.9
SPAN = 0.5  # what a run can be at most, if nothing else is said
SURE = NormalDist().inv_cdf(1 - 1e-6)  # standard errors that a share of repetitions may be off


def nowhere(value: float) -> Any:
    raise AssertionError("made-up runs need no world")


def data(values: Sequence[float] | None = None, id: str = "s", **curves: Floats) -> Data:
    """Curves, (values, runs) each, as if a study had found them; values 1, 2 ... by default."""
    points, runs = next(iter(curves.values())).shape
    study = Study(id, Axis("x", "x"), values or range(1, points + 1), nowhere, [], runs)
    return {id: Curves(study, runs, {"simple_regret": curves}, {"simple_regret": np.full(points, SPAN)})}


def exact(means: Sequence[float] | Floats, spread: float = 0.02, runs: int = 400, seed: int = 0) -> Floats:
    """Normal runs, moved and scaled so that their means and standard deviations are what is said: no luck in the verdict."""
    noise = np.random.default_rng(seed).standard_normal((len(means), runs))
    noise -= noise.mean(axis=1, keepdims=True)
    return np.asarray(means)[:, None] + spread * noise / noise.std(axis=1, ddof=1, keepdims=True)


def two(a: Sequence[float], b: Sequence[float], values: Sequence[float] | None = None) -> Data:
    return data(values, A=exact(a), B=exact(b, seed=1))


def one(means: Sequence[float], values: Sequence[float] | None = None) -> Data:
    return data(values, A=exact(means))


@dataclass(frozen=True)
class Made:
    """A contrast with given samples, (points, runs): their means are to be below 0."""

    samples: Floats
    description: str = "it is so"

    def points(self, data: Data) -> list[Point]:
        return [
            Point(f"x = {i}", {"A": sample}, {"A": float(sample.mean())}, span=SPAN)
            for i, sample in enumerate(self.samples, 1)
        ]


def with_p(*chances: float, runs: int = 30) -> Made:
    """Points to which the t-test gives these p values."""
    return Made(exact(special.stdtrit(runs - 1, np.array(chances)) / math.sqrt(runs), 1.0, runs))


def marked(pattern: str) -> list[Contrast]:
    """Points that are clearly shown (+), clearly refuted (-), open (? or, with a mean above 0, !) and, at the end, out of reach (x)."""
    means = [{"+": -1.0, "-": 1.0, "?": -0.1, "!": 0.1}[mark] for mark in pattern.rstrip("x")]
    return [*([Made(exact(means, 1.0, 100))] if means else []), *[FAR] * pattern.count("x")]


def judged(quantifier: Any, *contrasts: Contrast, data: Data | None = None) -> Judgement:
    judgement: Judgement = quantifier(contrasts).judge(data or {})
    return judgement


def marks(judgement: Judgement) -> str:
    return "".join(MARKS[point.finding] for point in judgement.points)


def runs_for(mean: float, spread: float, level: float) -> float:
    """How many runs show a mean to be on its side of 0 with 90 % power: the textbook's formula for a one-sided test of normals."""
    z = NormalDist().inv_cdf
    return ((z(1 - level) + z(POWER)) * spread / mean) ** 2


# The test of a mean, and Holm's procedure

LEVELS = st.sampled_from([0.05, 0.025, 0.05 / 3, 0.01, 0.05 / 15, 1e-6])
SAMPLES = st.lists(
    st.one_of(st.integers(-3, 1).map(float), st.floats(-2, 1, allow_subnormal=False)), min_size=1, max_size=25
).map(np.array)


@pytest.mark.parametrize("runs", [2, 3, 10, 1000])
@pytest.mark.parametrize("mean", [-0.3, 0.0, 0.2])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_chance_and_the_bound_are_those_of_the_one_sided_t_test(runs: int, mean: float, scale: float) -> None:
    sample = scale * (mean + np.random.default_rng(runs).standard_normal(runs))
    expected = stats.ttest_1samp(sample, 0, alternative="less")
    assert p_below(sample) == pytest.approx(expected.pvalue, rel=1e-9)
    for level in (0.05, 0.01, 0.05 / 15):
        assert upper_bound(sample, level) == pytest.approx(expected.confidence_interval(1 - level).high, rel=1e-8)


@settings(max_examples=300, deadline=None)
@given(sample=SAMPLES, level=LEVELS)
@example(np.full(5, -0.3), 0.05)
@example(np.full(4, -0.3), 0.05)
@example(np.full(20, 0.3), 0.05)
@example(np.zeros(20), 0.05)
@example(np.array([-1.0]), 0.05)
def test_the_upper_bound_is_below_0_if_and_only_if_the_test_is_significant(sample: Floats, level: float) -> None:
    p, upper = p_below(sample), upper_bound(sample, level)
    assume(abs(p / level - 1) > 1e-6)
    assert (upper is not None and upper < 0) == (p <= level)
    assert 0 <= p <= 1
    assert upper is None or upper >= sample.mean()


@pytest.mark.parametrize("runs", [2, 3, 4, 50])
def test_where_all_runs_agree_the_chance_that_none_differs_decides(runs: int) -> None:
    """If a run differs with probability q, none of n does with (1 - q)^n; and the mean is off by q times the span at most."""
    assert p_below(np.full(runs, -0.3), span=0.5) == pytest.approx((1 - 0.3 / 0.5) ** runs)
    assert p_below(np.full(runs, -0.6), span=0.5) == 0  # no run could make up for it
    assert (
        p_below(np.full(runs, 0.3), span=0.5) == p_below(np.zeros(runs), span=0.5) == p_below(np.full(runs, -0.3)) == 1
    )
    bound = upper_bound(np.full(runs, -0.3), LEVEL, span=0.5)
    assert bound == pytest.approx(-0.3 + 0.5 * (1 - LEVEL ** (1 / runs)))
    assert (bound < 0) == ((1 - 0.3 / 0.5) ** runs < LEVEL)
    assert p_below(np.full(runs, -0.3), span=0.0) == 0  # nothing can vary
    assert p_below(np.zeros(runs), span=0.0) == 1
    assert upper_bound(np.full(runs, -0.3), LEVEL) is None  # of what could be anything nothing is known


def test_runs_that_happen_to_agree_show_an_equivalence_falsely_no_more_often_than_allowed() -> None:
    """Regrets of 0 or 0.3 that differ in one run of ten: the means are 0.03 apart, the margin is 0.02."""
    rng = np.random.default_rng(3)
    for runs in (5, 12, 20, 100):
        differ = 0.3 * (rng.random((2000, runs)) < 0.1)
        agreeing = differ[differ.max(axis=1) == 0]
        false = sum(max(p_below(d - 0.02, 0.6), p_below(-d - 0.02, 0.6)) <= LEVEL for d in agreeing[:1]) * len(agreeing)
        assert false <= 2000 * LEVEL + SURE * math.sqrt(2000 * LEVEL)


@pytest.mark.parametrize("mean", [-0.3, -3e7])
def test_runs_that_differ_by_rounding_alone_count_as_agreeing(mean: float) -> None:
    jitter = mean * (1 + np.array([0, 1, -1, 2, 0, -1]) * 2.0**-52)
    assert len(set(jitter)) > 1
    assert p_below(jitter, span=-2 * mean) == pytest.approx(2.0**-6)
    assert p_below(mean * (1 + np.array([0, 1, -1, 2, 0, -1]) * 1e-9)) < 1e-9  # not rounding: the t-test decides


def test_one_run_shows_nothing() -> None:
    assert p_below(np.array([-5.0])) == 1
    assert upper_bound(np.array([-5.0]), LEVEL) is None
    for quantifier in (Every, Each, Most, FromSomeOn, Never):
        judgement = judged(quantifier, Made(np.array([[-5.0], [5.0]])))
        assert (judgement.verdict, marks(judgement), judgement.runs_needed) == ("inconclusive", "??", None)
        assert [
            (point.p_shown, point.p_refuted, point.bounds[0].lower, point.bounds[0].upper) for point in judgement.points
        ] == [(None,) * 4] * 2
    assert "run more" in judgement.summary


def test_two_runs_are_the_least_that_a_t_test_takes() -> None:
    point = judged(Every, Made(np.array([[-1.0, -1.0001]]))).points[0]
    assert (point.finding, point.p_shown) == (
        "shown",
        pytest.approx(stats.ttest_1samp([-1.0, -1.0001], 0, alternative="less").pvalue),
    )


def test_holm_by_hand() -> None:
    found = holm([0.01, 0.04, 0.03, 0.005])  # 0.005 <= 0.05 / 4, 0.01 <= 0.05 / 3, but 0.03 > 0.05 / 2: stop
    assert [significant for significant, _ in found] == [True, False, False, True]
    assert [level for _, level in found] == pytest.approx([0.05 / 3, 0.025, 0.025, 0.0125])
    assert holm([0.05]) == [(True, 0.05)]
    assert holm([0.2], level=0.2) == [(True, 0.2)]
    assert holm([]) == []


@settings(max_examples=300, deadline=None)
@given(
    p=st.lists(
        st.one_of(st.sampled_from([LEVEL / k for k in range(1, 7)]), st.floats(0, 0.08), st.floats(0, 1)), max_size=6
    )
)
def test_holm_is_the_closed_test_of_bonferroni(p: list[float]) -> None:
    """Holm (1979): a point is significant if and only if every set of points that has it in it is, by Bonferroni."""
    sets = [s for size in range(1, len(p) + 1) for s in itertools.combinations(range(len(p)), size)]
    expected = [all(min(p[j] for j in s) <= LEVEL / len(s) for s in sets if i in s) for i in range(len(p))]
    found = holm(p)
    assert [significant for significant, _ in found] == expected
    assert [
        chance <= level for chance, (_, level) in zip(p, found, strict=True)
    ] == expected  # so that bounds tell the same


@pytest.mark.parametrize(("p", "found"), [((0.049,), "+"), ((0.051,), "?"), ((0.949,), "?"), ((0.951,), "-")])
def test_a_single_point_is_tested_at_5_percent_both_ways(p: tuple[float, ...], found: str) -> None:
    assert marks(judged(Every, with_p(*p))) == found


def test_points_are_shown_and_refuted_with_holm_over_all_points_of_all_contrasts() -> None:
    assert marks(judged(Every, with_p(0.01, 0.04), with_p(0.03, 0.005))) == "+??+"
    assert marks(judged(Every, with_p(0.99, 0.96), with_p(0.97, 0.995))) == "-??-"
    assert marks(judged(Every, with_p(0.01, 0.99, 0.01, 0.99))) == "+-+-"


def test_points_out_of_reach_take_no_part_in_holm() -> None:
    assert marks(judged(Every, with_p(0.02, 0.04), FAR, FAR)) == "++xx"
    assert marks(judged(Every, with_p(0.98, 0.96), FAR, FAR)) == "--xx"
    assert marks(judged(Every, FAR, with_p(0.02, 0.04), FAR)) == "x++x"


def test_the_p_values_that_are_told_are_those_of_the_points() -> None:
    point = judged(Every, with_p(0.2)).points[0]
    assert (point.p_shown, point.p_refuted) == pytest.approx((0.2, 0.8))
    close = judged(Every, Close(A, B), data=two([0.3215], [0.3])).points[0]
    difference = exact([0.3215])[0] - exact([0.3], seed=1)[0]
    assert close.p_shown == pytest.approx(
        stats.ttest_1samp(difference, 0.02, alternative="less").pvalue
    )  # the larger of the two
    assert close.p_refuted == pytest.approx(
        2 * stats.ttest_1samp(difference, 0.02, alternative="greater").pvalue
    )  # Bonferroni over the two
    assert judged(Every, Close(A, B), data=two([0.3], [0.3])).points[0].p_refuted == 1


def test_bounds_are_at_the_levels_that_holm_gave_to_their_points() -> None:
    made = with_p(0.001, 0.03, 0.3)
    first, second, third = (point.bounds[0] for point in judged(Every, made).points)
    t = [stats.ttest_1samp(sample, 0, alternative="less") for sample in made.samples]
    assert first.upper == pytest.approx(t[0].confidence_interval(1 - 0.05 / 3).high)
    assert second.upper == pytest.approx(t[1].confidence_interval(1 - 0.05 / 2).high)
    assert third.upper == pytest.approx(
        t[2].confidence_interval(1 - 0.05 / 2).high
    )  # after the first that fails all are held against its level
    lower = [
        stats.ttest_1samp(sample, 0, alternative="greater").confidence_interval(1 - 0.05 / 3).low
        for sample in made.samples
    ]
    assert [first.lower, second.lower, third.lower] == pytest.approx(lower)
    assert [first.mean, second.mean, third.mean] == pytest.approx(made.samples.mean(axis=1))


MEANS = st.lists(st.floats(-0.6, 0.6), min_size=1, max_size=5)


@settings(max_examples=100, deadline=None)
@given(a=MEANS, b=st.floats(-0.3, 0.3), runs=st.integers(2, 40), seed=st.integers(0, 99))
def test_a_finding_can_be_read_off_the_bounds(a: list[float], b: float, runs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    curves = data(
        A=np.array(a)[:, None] + 0.3 * rng.standard_normal((len(a), runs)),
        B=b + 0.3 * rng.standard_normal((len(a), runs)),
    )
    for contrast in (Better(A, B), Close(A, B, margin=0.2), Both(Below(A, lambda x: 0.1), Better(A, B))):
        for point in judged(Every, contrast, data=curves).points:
            inside = [b.upper < b.margin and (not b.margin or b.lower > -b.margin) for b in point.bounds]
            outside = [b.lower > b.margin or (b.margin > 0 and b.upper < -b.margin) for b in point.bounds]
            assert (point.finding == "shown") == all(inside)
            assert (point.finding == "refuted") == any(outside)
            assert all(
                bounds.lower <= bounds.mean <= bounds.upper
                for bounds in point.bounds
                if None not in (bounds.lower, bounds.upper)
            )


# Contrasts: with the runs of `exact` a difference of 0.01 is clear, one of 0.001 is open

CONTRASTS = {
    "better at every value": (Better(A, B), two([0.19, 0.28], [0.2, 0.3]), "++", "reproduced"),
    "worse at a value": (Better(A, B), two([0.19, 0.31], [0.2, 0.3]), "+-", "not reproduced"),
    "nearly as good": (Better(A, B), two([0.199, 0.301], [0.2, 0.3]), "??", "inconclusive"),
    "better than a third": (Better(A, B, 1 / 3), two([0.09, 0.11], [0.3, 0.3]), "+-", "not reproduced"),
    "better where it is said": (
        Better(A, B, where=lambda x: x > 1),
        two([0.5, 0.1, 0.1], [0.2] * 3),
        "++",
        "reproduced",
    ),
    "better at the last value": (Better(A, B, last=True), two([0.5, 0.1], [0.2, 0.2]), "+", "reproduced"),
    "worse at the last value": (Better(A, B, last=True), two([0.1, 0.5], [0.2, 0.2]), "-", "not reproduced"),
    "less than half": (much_better(A, B), two([0.09, 0.14], [0.2, 0.3]), "++", "reproduced"),
    "better, but not much": (much_better(A, B), two([0.11, 0.16], [0.2, 0.3]), "--", "not reproduced"),
    "about half": (much_better(A, B), two([0.0995, 0.1505], [0.2, 0.3]), "??", "inconclusive"),
    "much better where it is said": (
        much_better(A, B, lambda x: x < 2),
        two([0.09, 0.2], [0.2, 0.2]),
        "+",
        "reproduced",
    ),
    "much better at the last value": (much_better(A, B, last=True), two([0.2, 0.09], [0.2, 0.2]), "+", "reproduced"),
    "close from both sides": (Close(A, B), two([0.312, 0.288], [0.3, 0.3]), "++", "reproduced"),
    "too far above": (Close(A, B), two([0.3, 0.328], [0.3, 0.3]), "+-", "not reproduced"),
    "too far below": (Close(A, B), two([0.3, 0.272], [0.3, 0.3]), "+-", "not reproduced"),
    "at the margin, above and below": (Close(A, B), two([0.319, 0.279], [0.3, 0.3]), "??", "inconclusive"),
    "close with a margin of its own": (Close(A, B, margin=0.1), two([0.36, 0.42], [0.3, 0.3]), "+-", "not reproduced"),
    "close where it is said": (Close(A, B, lambda x: x < 2), two([0.3, 0.5], [0.3, 0.3]), "+", "reproduced"),
    "flat around the average": (
        Flat(A),
        one([0.286, 0.3, 0.314]),
        "+++",
        "reproduced",
    ),  # though the ends differ by more than 0.02
    "not flat": (Flat(A), one([0.3, 0.3, 0.26, 0.34]), "++--", "not reproduced"),
    "flat or not": (Flat(A), one([0.3, 0.3, 0.28, 0.32]), "++??", "inconclusive"),
    "flat with a margin of its own": (Flat(A, 0.1), one([0.3, 0.3, 0.23, 0.37]), "++++", "reproduced"),
    "falling": (Trend(A), one([0.3, 0.27, 0.28, 0.25]), "++", "reproduced"),
    "growing, not falling": (Trend(A), one([0.25, 0.28, 0.27, 0.3]), "--", "not reproduced"),
    "going nowhere": (Trend(A), one([0.3, 0.301, 0.299, 0.3]), "??", "inconclusive"),
    "falling, but for the ends": (Trend(A), one([0.5, 0.9, 0.1, 0.51]), "+-", "not reproduced"),
    "falling between the ends alone": (Trend(A), one([0.5, 0.1, 0.9, 0.49]), "-+", "not reproduced"),
    "falling on an uneven axis": (
        Trend(A),
        one([0.3, 0.4, 0.5, 0.29], [1, 2, 3, 100]),
        "++",
        "reproduced",
    ),  # not if the axis were even
    "growing": (Trend(A, grows=True), one([0.25, 0.28, 0.27, 0.3]), "++", "reproduced"),
    "falling, not growing": (Trend(A, grows=True), one([0.3, 0.27, 0.28, 0.25]), "--", "not reproduced"),
    "growing, but for the ends": (Trend(A, grows=True), one([0.5, 0.1, 0.9, 0.49]), "+-", "not reproduced"),
    "growing nowhere": (Trend(A, grows=True), one([0.3, 0.301, 0.299, 0.3]), "??", "inconclusive"),
    "constant from half of the axis on": (
        Constant(A),
        one([0, 1, 5, 10, 10.51], [10, 20, 30, 40, 80]),
        "+",
        "reproduced",
    ),
    "growing by more than 5 % of the last value": (
        Constant(A),
        one([0, 10, 10, 10, 10.54], [10, 20, 30, 40, 80]),
        "-",
        "not reproduced",
    ),
    "growing by about 5 % of the last value": (
        Constant(A),
        one([0, 10, 10, 9.5, 10], [10, 20, 30, 40, 80]),
        "?",
        "inconclusive",
    ),
    "constant with a growth of its own": (Constant(A, 0.5), one([0, 10, 19], [10, 40, 80]), "+", "reproduced"),
    "below a bound": (Below(A, lambda x: 1 / x), one([0.99, 0.49, 0.24], [1, 2, 4]), "+++", "reproduced"),
    "above a bound at a value": (
        Below(A, lambda x: 1 / x),
        one([0.99, 0.49, 0.26], [1, 2, 4]),
        "++-",
        "not reproduced",
    ),
    "about at the bound": (Below(A, lambda x: 1 / x), one([0.99, 0.501, 0.249], [1, 2, 4]), "+??", "inconclusive"),
    "below at the last value": (Below(A, lambda x: 1 / x, last=True), one([9, 9, 0.24], [1, 2, 4]), "+", "reproduced"),
    "above at the last value": (
        Below(A, lambda x: 1 / x, last=True),
        one([0, 0, 0.26], [1, 2, 4]),
        "-",
        "not reproduced",
    ),
    "both": (Both(Below(A, lambda x: 0.5), Better(A, B)), two([0.2, 0.3], [0.3, 0.4]), "++", "reproduced"),
    "the one, not the other": (
        Both(Below(A, lambda x: 0.5), Better(A, B)),
        two([0.2, 0.41], [0.3, 0.4]),
        "+-",
        "not reproduced",
    ),
    "the other, not the one": (
        Both(Below(A, lambda x: 0.3), Better(A, B)),
        two([0.2, 0.31], [0.3, 0.4]),
        "+-",
        "not reproduced",
    ),
    "the one, and perhaps the other": (
        Both(Below(A, lambda x: 0.5), Better(A, B)),
        two([0.2, 0.4], [0.3, 0.401]),
        "+?",
        "inconclusive",
    ),
    "the other, and perhaps the one": (
        Both(Below(A, lambda x: 0.3), Better(A, B)),
        two([0.2, 0.3], [0.3, 0.4]),
        "+?",
        "inconclusive",
    ),
    "better where the other is large": (Better(A, B, above=0.25), two([0.5, 0.28], [0.2, 0.3]), "+", "reproduced"),
    "better on average": (OnAverage(A, B), two([0.1, 0.4], [0.3, 0.3]), "+", "reproduced"),
    "worse on average": (OnAverage(A, B), two([0.1, 0.52], [0.3, 0.3]), "-", "not reproduced"),
    "less than half on average": (OnAverage(A, B, 0.5), two([0.1, 0.18], [0.3, 0.3]), "+", "reproduced"),
    "more than half on average": (OnAverage(A, B, 0.5), two([0.1, 0.22], [0.3, 0.3]), "-", "not reproduced"),
    "better at worst": (AtWorst(A, B), two([0.2, 0.38], [0.4, 0.1]), "+", "reproduced"),
    "worse at worst": (AtWorst(A, B), two([0.2, 0.42], [0.4, 0.1]), "-", "not reproduced"),
    "less than 1.5 times as much": (
        NotMuchWorse(A, [B], 1.5, 0.01),
        two([0.14, 0.16], [0.1, 0.1]),
        "+-",
        "not reproduced",
    ),
    "little more than nothing": (NotMuchWorse(A, [B], 1.5, 0.03), two([0.025, 0.035], [0, 0]), "+-", "not reproduced"),
    "against the best of the others": (
        NotMuchWorse(A, [B, Curve("s", "C")], 1.5, 0.01),
        data(A=exact([0.2, 0.2]), B=exact([0.1, 0.3], seed=1), C=exact([0.3, 0.1], seed=2)),
        "--",
        "not reproduced",
    ),
    "few runs still grow": (
        Settled(A, 1, 0.05),
        data([10, 40, 80], A=np.array([[0.0] * 400, [5.0] * 400, [5.9] * 390 + [9.0] * 10])),
        "+",
        "reproduced",
    ),
    "many runs still grow": (
        Settled(A, 1, 0.05),
        data([10, 40, 80], A=np.array([[0.0] * 400, [5.0] * 400, [5.9] * 350 + [9.0] * 50])),
        "-",
        "not reproduced",
    ),
    "no run still grows": (
        Settled(A, 1, 0.05),
        data([10, 40, 80], A=np.array([[0.0] * 100, [5.0] * 100, [5.0] * 100])),
        "+",
        "reproduced",
    ),
    "out of reach": (FAR, {}, "x", "not testable"),
}


@pytest.mark.parametrize(("contrast", "curves", "found", "verdict"), CONTRASTS.values(), ids=CONTRASTS)
def test_a_contrast_is_shown_where_it_is_true_and_refuted_where_it_is_false(
    contrast: Contrast, curves: Data, found: str, verdict: str
) -> None:
    judgement = judged(Every, contrast, data=curves)
    assert (marks(judgement), judgement.verdict) == (found, verdict)
    assert judgement.runs_needed is None or verdict == "inconclusive"


def test_a_worst_value_that_is_looked_for_is_not_shown_falsely_more_often_than_allowed() -> None:
    """One is 0.1 worse at one value and much better elsewhere; the other is the same everywhere, so that its worst by luck looks worse."""
    rng, repetitions, false = np.random.default_rng(8), 200, 0
    for _ in range(repetitions):
        means = np.r_[10.0, np.full(39, 5.0)][:, None]
        one, other = means + rng.standard_normal((40, 60)), 9.9 + rng.standard_normal((40, 60))
        false += marks(judged(Every, AtWorst(A, B), data=data(A=one, B=other))) == "+"
    assert false <= repetitions * LEVEL + SURE * math.sqrt(repetitions * LEVEL)


def test_flat_is_about_each_value_against_the_average_and_not_against_the_first() -> None:
    means = [0.286, 0.3, 0.314]
    points = judged(Every, Flat(A), data=one(means)).points
    assert [point.bounds[0].mean for point in points] == pytest.approx([-0.014, 0, 0.014])
    assert [point.bounds[0].margin for point in points] == [0.02] * 3
    assert [point.values["A"] for point in points] == pytest.approx(means)


@pytest.mark.parametrize("grows", [False, True])
def test_the_trend_is_the_slope_of_least_squares(grows: bool) -> None:
    x, means = [1, 2, 3, 100], [0.3, 0.4, 0.5, 0.29]
    slope, ends = judged(Every, Trend(A, grows), data=one(means, x)).points
    over_the_axis = np.polyfit(x, means, 1)[0] * (x[-1] - x[0])
    assert slope.values["over the whole axis"] == pytest.approx(over_the_axis)
    assert slope.bounds[0].mean == pytest.approx((-1 if grows else 1) * over_the_axis)
    assert ends.bounds[0].mean == pytest.approx(0.01 if grows else -0.01)
    assert (slope.bounds[0].what, ends.bounds[0].what) == (
        ("−slope of mean(A)", "first − last") if grows else ("slope of mean(A)", "last − first")
    )
    assert (ends.at, dict(ends.values)) == ("x = 1 to x = 100", pytest.approx({"x = 1": 0.3, "x = 100": 0.29}))


def test_constant_tells_the_growth_from_half_of_the_axis_on() -> None:
    point = judged(Every, Constant(A), data=one([0, 1, 5, 10, 12.5], [10, 20, 30, 40, 80])).points[0]
    assert point.values == pytest.approx({"x = 40": 10, "x = 80": 12.5, "growth / mean": 0.2})
    assert point.bounds[0].mean == pytest.approx(2.5 - 0.05 * 12.5)


def test_points_tell_the_means_that_they_compare() -> None:
    better = judged(Every, much_better(A, B), data=two([0.1, 0.2], [0.3, 0.6])).points
    assert [dict(point.values) for point in better] == [
        pytest.approx({"A": 0.1, "B": 0.3}),
        pytest.approx({"A": 0.2, "B": 0.6}),
    ]
    assert [point.bounds[0].mean for point in better] == pytest.approx([-0.05, -0.1])
    close = judged(Every, Close(A, B), data=two([0.31], [0.3])).points[0]
    assert close.values == pytest.approx({"A": 0.31, "B": 0.3})
    assert {bounds.what: bounds.mean for bounds in close.bounds} == pytest.approx({"mean(A) − mean(B)": 0.01})
    below = judged(Every, Below(A, lambda x: 1 / x, "1 / x"), data=one([0.3, 0.2])).points[1]
    assert (below.at, below.values) == ("x = 2", pytest.approx({"A": 0.2, "1 / x": 0.5}))
    both = judged(Every, Both(Constant(A), Below(A, lambda x: 1, "1", last=True)), data=one([0.3, 0.2])).points[0]
    assert both.values == pytest.approx({"x = 1": 0.3, "x = 2": 0.2, "growth / mean": -0.5, "A": 0.2, "1": 1})
    assert [bounds.mean for bounds in both.bounds] == pytest.approx([-0.11, -0.8], abs=2e-6)


def test_both_wants_as_many_points_of_the_one_as_of_the_other() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        judged(Every, Both(Better(A, B), Better(A, B, last=True)), data=two([0.1, 0.1], [0.2, 0.2]))


def test_differences_are_paired_run_by_run() -> None:
    """The luck of a run moves both curves by far more than they differ."""
    rng = np.random.default_rng(5)
    luck = rng.standard_normal((2, 100))
    a, b = 1 + luck + 0.01 * rng.standard_normal((2, 100)), 1.01 + luck + 0.01 * rng.standard_normal((2, 100))
    assert min(stats.ttest_ind(one, other, alternative="less").pvalue for one, other in zip(a, b, strict=True)) > 0.4
    curves = data(A=a, B=b)
    assert judged(Every, Better(A, B), data=curves).verdict == "reproduced"
    assert judged(Every, Close(A, B), data=curves).verdict == "reproduced"
    assert judged(Every, Better(A, B), data=data(A=a, B=b[:, ::-1])).verdict == "inconclusive"


def test_flatness_trend_and_growth_are_paired_run_by_run_too() -> None:
    """The luck of a run moves the whole curve."""
    rng = np.random.default_rng(12)
    luck, noise = rng.standard_normal(100), 0.01 * rng.standard_normal((3, 100))
    curve = luck + np.array([0.3, 0.301, 0.306])[:, None] + noise
    assert judged(Every, Flat(A), data=data(A=curve)).verdict == "reproduced"
    assert judged(Every, Trend(A, grows=True), data=data(A=curve)).verdict == "reproduced"
    assert (
        judged(Every, Constant(A), data=data(A=5 * luck + np.array([10, 10, 10.3])[:, None] + noise)).verdict
        == "reproduced"
    )


def test_flips_of_a_coin_are_judged_like_any_runs() -> None:
    """Simple regret is a gap or nothing: here 0.3 with the chances p."""
    rng = np.random.default_rng(6)
    a, b = (0.3 * (rng.random((3, 1000)) < np.array(p)[:, None]) for p in ([0.02, 0.1, 0.25], [0.3, 0.3, 0.3]))
    curves = data(A=a, B=b)
    assert marks(judged(Every, much_better(A, B), data=curves)) == "++-"
    assert judged(Each, much_better(A, B), data=curves).verdict == "depends"
    assert judged(Most, much_better(A, B), data=curves).verdict == "reproduced"
    assert judged(Every, Trend(A, grows=True), data=curves).verdict == "reproduced"
    assert judged(Every, Flat(B), data=curves).verdict == "reproduced"
    assert judged(Every, Flat(A), data=curves).verdict == "not reproduced"


def test_policies_that_never_fail_are_close_and_one_that_always_does_is_worse() -> None:
    never, always = np.zeros((2, 1000)), np.full((2, 1000), 0.3)
    assert judged(Every, Close(A, B), data=data(A=never, B=never)).verdict == "reproduced"
    assert judged(Every, much_better(A, B), data=data(A=never, B=always)).verdict == "reproduced"
    assert judged(Every, much_better(A, B), data=data(A=always, B=never)).verdict == "not reproduced"
    assert judged(Every, Constant(A), data=data(A=always)).verdict == "reproduced"
    assert judged(Every, Better(A, B), data=data(A=always[:, :2], B=never[:, :2])).verdict == "inconclusive"


def test_a_claim_is_about_the_first_measure_of_a_study() -> None:
    first, second = (Measure(name, name, lambda result: {}) for name in ("first", "second"))
    study = Study("s", Axis("x", "x"), [1], nowhere, [], 400, measures=[first, second])
    curves = Curves(
        study,
        400,
        {"second": {"A": exact([1.0])}, "first": {"A": exact([-1.0])}},
        {"first": np.ones(1), "second": np.ones(1)},
    )
    assert judged(Every, Below(A, lambda x: 0.0), data={"s": curves}).verdict == "reproduced"


def test_curves_may_belong_to_two_studies() -> None:
    curves = {**data(id="s", A=exact([0.1])), **data(id="t", A=exact([0.2], seed=1))}
    assert judged(Every, Better(A, Curve("t", "A")), data=curves).verdict == "reproduced"
    assert judged(Every, Better(Curve("t", "A"), A), data=curves).verdict == "not reproduced"


# Quantifiers

QUANTIFIED = {
    Every: {
        "+++": "reproduced",
        "+-+": "not reproduced",
        "-?+": "not reproduced",
        "+?+": "inconclusive",
        "+!+": "inconclusive",
        "+": "reproduced",
    },
    Each: {
        **{
            "+++": "reproduced",
            "---": "not reproduced",
            "+-+": "depends",
            "+?-": "depends",
            "++?": "inconclusive",
            "--?": "inconclusive",
        },
        **{"???": "inconclusive", "+": "reproduced", "-": "not reproduced"},
    },
    Most: {
        **{
            "+++": "reproduced",
            "++-": "reproduced",
            "++?": "reproduced",
            "+-": "not reproduced",
            "+--": "not reproduced",
            "++--": "not reproduced",
        },
        **{
            "+++--": "reproduced",
            "++??": "inconclusive",
            "+?-?": "inconclusive",
            "?--?": "not reproduced",
            "?": "inconclusive",
        },
    },
    FromSomeOn: {
        "--+": "reproduced",
        "+++": "reproduced",
        "++-": "not reproduced",
        "++?": "inconclusive",
        "--?": "inconclusive",
    },
    Never: {
        "+++": "reproduced",
        "???": "reproduced",
        "!!!": "reproduced",
        "+?-": "not reproduced",
        "---": "not reproduced",
    },
}


@pytest.mark.parametrize(
    ("quantifier", "found", "verdict"),
    [
        (quantifier, found, verdict)
        for quantifier, verdicts in QUANTIFIED.items()
        for found, verdict in verdicts.items()
    ],
)
def test_a_quantifier_makes_a_verdict_of_the_findings(quantifier: Any, found: str, verdict: str) -> None:
    judgement = judged(quantifier, *marked(found))
    assert (marks(judgement), judgement.verdict) == (found.replace("!", "?"), verdict)
    assert judgement.verdict == "inconclusive" or judgement.runs_needed is None


@pytest.mark.parametrize(
    ("quantifier", "found", "verdict"),
    [(q, "xx", "not testable") for q in (Every, Each, Most)]
    + [(q, "+xx", "reproduced") for q in (Every, Each, Most)]
    + [(q, "-xx", "not reproduced") for q in (Every, Each, Most)]
    + [(q, "?xx", "inconclusive") for q in (Every, Each, Most)]
    + [
        (Each, "+-x", "depends"),
        (Most, "++-xxx", "reproduced"),
        (Most, "+--x", "not reproduced"),
        (Every, "+-x", "not reproduced"),
    ],
)
def test_points_out_of_reach_count_neither_for_nor_against(quantifier: Any, found: str, verdict: str) -> None:
    judgement = judged(quantifier, *marked(found))
    assert (marks(judgement), judgement.verdict) == (found, verdict)
    if verdict != "depends":
        assert judgement.summary.count("Beyond every budget it cannot be tested: it would take e^299.") == found.count(
            "x"
        )
    if verdict == "reproduced":
        assert "that can be reached" in judgement.summary
    point = judgement.points[-1]
    assert (point.at, point.reason, point.p_shown, point.p_refuted, point.runs_needed) == (
        "beyond every budget",
        FAR.reason(),
        None,
        None,
        None,
    )
    assert list(point.bounds) == []


def test_points_out_of_reach_neither_refute_never_nor_end_a_stretch_before_they_begin_it() -> None:
    assert judged(Never, *marked("+?x")).verdict == "reproduced"
    assert judged(Never, *marked("+-x")).verdict == "not reproduced"
    assert judged(FromSomeOn, FAR, *marked("-+")).verdict == "reproduced"
    assert judged(FromSomeOn, FAR, *marked("+-")).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (("+", "+"), "reproduced"),
        (("+", "-"), "not reproduced"),
        (("?", "-"), "not reproduced"),
        (("x", "-"), "not reproduced"),
        (("+", "+-"), "depends"),
        (("+-", "?"), "inconclusive"),
        (("?", "+"), "inconclusive"),
        (("+", "x"), "not testable"),
        (("+-", "-"), "not reproduced"),
    ],
)
def test_all_is_as_good_as_the_worst_of_its_tests(found: tuple[str, str], verdict: str) -> None:
    judgement = All([Each(marked(found[0])), Each(marked(found[1]))]).judge({})
    assert judgement.verdict == verdict
    assert marks(judgement) == "".join(found)


def test_never_worse_and_mostly_much_better_is_judged_by_two_tests_with_points_of_their_own() -> None:
    test = All([Never([Better(A, B)]), Most([much_better(A, B)])])
    good = test.judge(two([0.1, 0.1, 0.3], [0.3, 0.3, 0.3]))
    assert (good.verdict, marks(good)) == ("reproduced", "++?++-")
    assert good.summary.startswith(
        "Refuted at none of 3 points. Shown at 2 of 3 points, refuted at 1; closest call: x = "
    )
    assert test.judge(two([0.1, 0.1, 0.32], [0.3, 0.3, 0.3])).verdict == "not reproduced"  # worse somewhere
    assert (
        test.judge(two([0.1, 0.2, 0.2], [0.3, 0.3, 0.3])).verdict == "not reproduced"
    )  # nowhere worse, but mostly not much better


# The level: what is false is shown, what is true is refuted, in no more than 5 % of repetitions

REPETITIONS = 1500


def any_marks(contrast: Contrast, made: Callable[[np.random.Generator], Data]) -> tuple[float, float]:
    """The shares of repetitions in which at least one point is shown, and refuted."""
    rng = np.random.default_rng(7)
    found = [marks(judged(Every, contrast, data=made(rng))) for _ in range(REPETITIONS)]
    return sum("+" in f for f in found) / REPETITIONS, sum("-" in f for f in found) / REPETITIONS


def off_by_luck(share: float) -> float:
    return SURE * math.sqrt(share * (1 - share) / REPETITIONS)


def test_at_the_boundary_of_much_better_5_percent_are_shown_by_chance_and_5_percent_refuted() -> None:
    def made(rng: np.random.Generator) -> Data:
        return data(A=1 + 0.5 * rng.standard_normal((5, 20)), B=2 + 0.5 * rng.standard_normal((5, 20)))

    shown, refuted = any_marks(much_better(A, B), made)
    exactly = 1 - (1 - LEVEL / 5) ** 5  # of independent points
    assert (shown, refuted) == (
        pytest.approx(exactly, abs=off_by_luck(exactly)),
        pytest.approx(exactly, abs=off_by_luck(exactly)),
    )


def test_at_the_boundary_the_level_is_kept_for_flips_of_a_coin_too() -> None:
    def made(rng: np.random.Generator) -> Data:
        return data(A=(rng.random((4, 400)) < 0.25).astype(float), B=(rng.random((4, 400)) < 0.5).astype(float))

    assert max(any_marks(much_better(A, B), made)) < LEVEL + off_by_luck(LEVEL)


def test_at_the_boundary_of_a_margin_the_level_is_kept() -> None:
    """Points of one world share their luck, as checkpoints of one run do."""

    def made(rng: np.random.Generator) -> Data:
        return data(A=np.array([0.3, 0.34] * 2)[:, None] + 0.02 * rng.standard_normal(50), B=np.full((4, 50), 0.32))

    assert max(any_marks(Close(A, B), made)) < LEVEL + off_by_luck(LEVEL)


def test_never_worse_of_equals_is_refuted_in_at_most_5_percent() -> None:
    rng = np.random.default_rng(8)
    equals = (data(A=rng.standard_normal((8, 15)), B=rng.standard_normal((8, 15))) for _ in range(REPETITIONS))
    refuted = (
        sum(judged(Never, Better(A, B), data=curves).verdict == "not reproduced" for curves in equals) / REPETITIONS
    )
    assert refuted == pytest.approx(1 - (1 - LEVEL / 8) ** 8, abs=off_by_luck(LEVEL))


# The number of runs that would settle a claim


@pytest.mark.parametrize("mean", [-0.1, 0.1])
def test_the_number_of_runs_named_settles_an_open_point_in_90_percent_of_repetitions(mean: float) -> None:
    judgement = judged(Every, Made(exact([mean], 1.0, 100)))
    runs = judgement.runs_needed
    assert (judgement.verdict, runs) == ("inconclusive", math.ceil(runs_for(mean, 1.0, LEVEL)))
    assert runs is not None
    rng = np.random.default_rng(9)
    again = [judged(Every, Made(mean + rng.standard_normal((1, runs)))).verdict for _ in range(REPETITIONS)]
    settled = "reproduced" if mean < 0 else "not reproduced"
    assert again.count(settled) / REPETITIONS == pytest.approx(POWER, abs=off_by_luck(POWER) + 0.01)


def test_more_points_take_more_runs() -> None:
    judgement = judged(Every, Made(exact([-0.1, -0.05, -1.0], 1.0, 100)))
    assert marks(judgement) == "??+"
    assert [point.runs_needed for point in judgement.points] == [
        math.ceil(runs_for(-0.1, 1.0, LEVEL / 3)),
        math.ceil(runs_for(-0.05, 1.0, LEVEL / 3)),
        None,
    ]
    assert judgement.runs_needed == math.ceil(runs_for(-0.05, 1.0, LEVEL / 3))  # all have to be shown
    rng = np.random.default_rng(10)
    again = [
        judged(Every, Made(np.array([[-0.1], [-0.05], [-1.0]]) + rng.standard_normal((3, judgement.runs_needed))))
        for _ in range(100)
    ]
    assert sum(j.verdict == "reproduced" for j in again) > 80
    assert judged(Every, *marked("?xx")).runs_needed == math.ceil(
        runs_for(0.1, 1.0, LEVEL)
    )  # points out of reach take none


@pytest.mark.parametrize(("points", "least"), [(1, 5), (2, 6), (3, 6), (4, 7)])
def test_where_all_runs_agree_as_many_are_needed_as_make_a_difference_unlikely(points: int, least: int) -> None:
    assert (
        judged(Every, Made(np.full((points, 3), -0.25))).runs_needed == least
    )  # (1 - 0.25 / 0.5) ** least <= 5 % / points
    assert judged(Every, Made(np.full((points, least), -0.25))).verdict == "reproduced"
    assert judged(Every, Made(np.full((points, least - 1), -0.25))).verdict == "inconclusive"


def test_a_margin_takes_the_runs_of_its_nearer_side_to_be_shown_and_of_the_side_passed_to_be_refuted() -> None:
    def needed(difference: float) -> int | None:
        return judged(Every, Close(A, B), data=data(A=exact([difference], 0.3, 100), B=np.zeros((1, 100)))).runs_needed

    assert needed(0.015) == needed(-0.015) == math.ceil(runs_for(0.005, 0.3, LEVEL))
    assert needed(0.0) == math.ceil(runs_for(0.02, 0.3, LEVEL))
    passed = needed(0.04)
    assert passed is not None
    assert (
        math.ceil(runs_for(0.02, 0.3, LEVEL)) <= passed <= math.ceil(runs_for(0.02, 0.3, LEVEL / 2))
    )  # either of two bounds may be passed


def test_of_two_things_the_harder_is_counted_while_both_seem_true_and_the_easier_to_refute_else() -> None:
    def needed(*means: float) -> int | None:
        a, b = (exact([mean], 1.0, 100, seed) for seed, mean in enumerate(means))
        return judged(Every, Both(Below(A, lambda x: 0), Below(B, lambda x: 0)), data=data(A=a, B=b)).runs_needed

    assert needed(-0.1, -0.05) == needed(-0.05, -0.1) == math.ceil(runs_for(0.05, 1.0, LEVEL))
    for refuting in (needed(-0.01, 0.1), needed(0.1, 0.05), needed(0.05, 0.1)):
        assert refuting is not None
        assert math.ceil(runs_for(0.1, 1.0, LEVEL)) <= refuting <= math.ceil(runs_for(0.1, 1.0, LEVEL / 2))


def test_every_quantifier_names_the_runs_that_it_takes() -> None:
    at = [math.ceil(runs_for(mean, 1.0, LEVEL / 5)) for mean in (0.2, 0.15, 0.1, 0.05)]
    made = Made(exact([-0.2, -0.1, -1.0, -0.05, -0.15], 1.0, 100))
    assert marks(judged(Every, made)) == "??+??"
    assert judged(Every, made).runs_needed == at[3]
    assert judged(Each, made).runs_needed == at[3]
    assert judged(Most, made).runs_needed == at[1]  # one is shown, so two more: 0.2 and 0.15
    assert judged(FromSomeOn, made).runs_needed == at[1]  # the last point's
    one_more = Made(exact([-0.2, -1.0, -1.0, -0.05, -0.15], 1.0, 100))
    assert judged(Most, one_more).runs_needed == at[0]
    even = Made(exact([-0.2, -0.1, -1.0, -0.15], 1.0, 100))
    assert judged(Most, even).runs_needed == math.ceil(
        runs_for(0.15, 1.0, LEVEL / 4)
    )  # more than half of four are three


def test_no_number_of_runs_is_named_where_the_means_are_at_the_boundary() -> None:
    flat = Made(np.tile([-1.0, 1.0], (2, 20)))
    for quantifier in (Every, Each, Most, FromSomeOn):
        judgement = judged(quantifier, flat)
        assert (judgement.verdict, judgement.runs_needed) == ("inconclusive", None)
        assert judgement.summary.endswith("No number of runs can be named that would settle it.")
    assert judged(Every, flat, Made(exact([-0.1], 1.0, 100))).runs_needed is None  # the others' do not help


def test_all_names_the_runs_that_settle_the_last_of_its_tests() -> None:
    easy, hard = (Made(exact([mean], 1.0, 100)) for mean in (-0.1, -0.05))
    both = All([Every([hard]), Every([easy]), Every(marked("+"))]).judge({})
    assert (both.verdict, both.runs_needed) == ("inconclusive", math.ceil(runs_for(0.05, 1.0, LEVEL)))
    unknown = All([Every([easy]), Every([Made(np.tile([-1.0, 1.0], (1, 20)))])]).judge({})
    assert (unknown.verdict, unknown.runs_needed) == ("inconclusive", None)
    assert All([Every(marked("+")), Every(marked("+"))]).judge({}).runs_needed is None


# What is said


def test_the_summary_counts_the_points_and_names_the_closest_call() -> None:
    assert (
        judged(Every, Better(A, B), data=two([0.1, 0.19], [0.2, 0.2])).summary
        == "Shown at 2 of 2 points; closest call: x = 2 (A: 0.19, B: 0.2)."
    )
    assert (
        judged(Every, Better(A, B), data=two([0.1], [0.2])).summary
        == "Shown at 1 of 1 point; closest call: x = 1 (A: 0.1, B: 0.2)."
    )
    assert judged(Most, Better(A, B), data=two([0.1, 0.19, 0.3], [0.2] * 3)).summary == (
        "Shown at 2 of 3 points, refuted at 1; closest call: x = 2 (A: 0.19, B: 0.2)."
    )


def test_the_summary_names_the_clearest_refutation_or_the_closest_if_all_are_refuted() -> None:
    some = judged(Every, Better(A, B), data=two([0.1, 0.21, 0.3], [0.2] * 3))
    assert some.summary == "Shown at 1 of 3 points, refuted at 2; most clearly: x = 3 (A: 0.3, B: 0.2)."
    every = judged(Every, Better(A, B), data=two([0.3, 0.21, 0.3], [0.2] * 3))
    assert every.summary == "Shown at 0 of 3 points, refuted at 3; closest call: x = 2 (A: 0.21, B: 0.2)."


def test_the_summary_of_an_open_claim_names_the_number_of_runs() -> None:
    runs = math.ceil(runs_for(0.1, 1.0, LEVEL / 2))
    assert judged(Every, *marked("?+")).summary == f"Shown at 1 of 2 points. About {runs:,} runs would settle it."
    assert (
        judged(FromSomeOn, *marked("+?")).summary
        == f"Neither shown nor refuted at x = 2. About {runs:,} runs would settle it."
    )


def test_the_summary_of_what_depends_says_on_what() -> None:
    assert judged(Each, *marked("+-")).summary == "Holds for x = 1; fails for x = 2."
    assert (
        judged(Each, *marked("++++-+-?--")).summary
        == "Holds for x = 1 to x = 4, x = 6; fails for x = 5, x = 7, x = 9, x = 10; neither is shown for x = 8."
    )
    assert judged(Each, *marked("+++-")).summary == "Holds for x = 1, x = 2, x = 3; fails for x = 4."
    last = judged(Each, much_better(A, B, last=True), much_better(B, A, last=True), data=two([9, 0.1], [9, 0.4]))
    assert last.summary == "Holds for A against B; fails for B against A."


@pytest.mark.parametrize(("found", "start"), [("-+-?++", 5), ("+++", 1), ("--+", 3)])
def test_the_summary_says_from_where_on(found: str, start: int) -> None:
    assert judged(FromSomeOn, *marked(found)).summary == f"Shown from x = {start} (A: −1) on."


def test_the_summary_of_a_refusal_says_where() -> None:
    assert judged(FromSomeOn, *marked("++-")).summary == "Refuted at x = 3 (A: 1)."
    assert judged(Never, *marked("-+-")).summary == "Refuted at x = 1, x = 3."
    assert judged(Never, *marked("+?+")).summary == "Refuted at none of 3 points."
    assert judged(Every, FAR).summary == "Beyond every budget it cannot be tested: it would take e^299."


def test_the_words_of_a_test_name_curves_numbers_and_the_level() -> None:
    words = Claim(
        "E", "A is better.", Every([much_better(A, B), much_better(A, B, last=True), Close(A, B)])
    ).test_description
    assert words == (
        "At every point the upper bound of mean(A) − 0.5 mean(B) is below 0; the bounds of mean(A) − mean(B) lie within ±0.02. "
        "One-sided t-tests on the runs at level 5%, Holm over the points; the bounds are those that the test used."
    )
    assert "below 5% of its last value" in Constant(A).description
    assert "within ±0.02" in Flat(A).description
    assert ("is negative" in Trend(A).description, "is positive" in Trend(A, grows=True).description) == (True, True)
    assert Both(Better(A, B), Below(A, lambda x: 1, "1 %")).description == (
        "the upper bound of mean(A) − mean(B) is below 0, and the upper bound of mean(A) − 1 % is below 0"
    )
    starts = {
        Each: "Each on its own:",
        Most: "At more than half",
        FromSomeOn: "From some point on",
        Never: "At no point is the opposite shown",
    }
    assert all(quantifier([Better(A, B)]).description.startswith(start) for quantifier, start in starts.items())
    assert All([Never([Better(A, B)]), Most([Better(A, B)])]).description.count("mean(A) − mean(B)") == 2


def test_without_scipy_the_claims_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(cb.InputError, match=r"causalbandits\[report\]"):
        judged(Every, *marked("+"))


# The curves that claims are about


def test_the_rows_of_curves_are_all_their_numbers() -> None:
    study = Study(
        "s", Axis("x", "x"), [2, 4], nowhere, [], 3, measures=[Measure("first", "", lambda result: {}), SIMPLE_REGRET]
    )
    first, simple = np.array([[1.0, 2, 3], [4, 5, 9]]), np.array([[0.0, 0, 3], [1, 1, 1]])
    curves = Curves(study, 3, {"simple_regret": {"A": simple}, "first": {"A": first}}, {})
    np.testing.assert_array_equal(curves.x, [2, 4])
    np.testing.assert_array_equal(curves.means("A"), [2, 6])
    np.testing.assert_array_equal(curves.means("A", "simple_regret"), [1, 1])
    assert [(value, measure, curve, estimate.mean) for value, measure, curve, estimate in curves.rows()] == [
        (2, "simple_regret", "A", 1),
        (4, "simple_regret", "A", 1),
        (2, "first", "A", 2),
        (4, "first", "A", 6),
    ]


def test_measures_take_from_a_result_what_they_name() -> None:
    world = cb.worlds.parallel([0.3, 0.5], 0.3)
    policies = [cb.Observe(name="watches"), cb.ParallelBandit(name="intervenes")]
    result = cb.simulate(
        world, world.problem(budget=20, cost=2), policies, runs=3, checkpoints=[10, 20], progress=False
    )
    np.testing.assert_array_equal(SIMPLE_REGRET.of(result)["watches"], result.simple_regret["watches"])
    np.testing.assert_array_equal(CUMULATIVE_REGRET.of(result)["watches"], result.cumulative_regret["watches"][:, 1])
    np.testing.assert_array_equal(REGRET_AT_CHECKPOINTS.of(result)["watches"], result.cumulative_regret["watches"])
    np.testing.assert_array_equal(
        [ONLY_WATCHED.of(result)[policy.label] for policy in policies], [[1, 1, 1], [0, 0, 0]]
    )


def test_a_ratio_has_the_mean_and_the_spread_of_the_delta_method() -> None:
    rng = np.random.default_rng(11)
    a, b = rng.gamma(4, 1, 500), rng.gamma(9, 1, 500)
    a += b / 3
    result: Any = SimpleNamespace(
        cumulative_regret={
            "A": np.stack([0 * a, a], axis=1),
            "B": np.stack([0 * b, b], axis=1),
            "0": np.zeros((500, 2)),
        }
    )
    runs = ratio("B", "A").of(result)["A / B"]
    covariance = np.cov(a, b)
    r = a.mean() / b.mean()
    gradient = np.array([1, -r]) / b.mean()
    assert runs.mean() == pytest.approx(r)
    assert runs.var(ddof=1) == pytest.approx(gradient @ covariance @ gradient)
    assert np.isnan(ratio("0", "A").of(result)["A / 0"]).all()


def test_both_does_not_drop_a_condition_that_has_the_name_of_another() -> None:
    curves = {
        **data(id="s", A=exact([2.0]), B=exact([1.0], seed=1)),
        **data(id="t", A=exact([1.0]), B=exact([2.0], seed=1)),
    }
    false, true = Better(A, B), Better(Curve("t", "A"), Curve("t", "B"))
    assert judged(Every, Both(false, true), data=curves).verdict == "not reproduced"
    assert (
        judged(Every, Both(Below(A, lambda x: 1), Below(A, lambda x: 3)), data=one([2.0])).verdict == "not reproduced"
    )


def test_both_keeps_what_is_out_of_reach() -> None:
    assert judged(Every, Both(FAR, Below(A, lambda x: 3)), data=one([2.0])).verdict == "not testable"
    assert judged(Every, Both(FAR, FAR)).verdict == "not testable"


def test_constant_is_not_shown_where_no_value_lies_in_the_second_half_but_the_last() -> None:
    assert judged(Every, Constant(A), data=one([1, 10, 100], [1, 10, 100])).verdict == "not reproduced"


@pytest.mark.parametrize("quantifier", [FromSomeOn, Never])
def test_what_is_out_of_reach_is_not_testable(quantifier: Any) -> None:
    assert judged(quantifier, FAR).verdict == "not testable"


def test_never_says_nothing_of_points_it_has_not_tried() -> None:
    assert "2 points" not in judged(Never, *marked("+x")).summary


def test_rounding_decides_nothing() -> None:
    same = data(A=np.full((1, 50), 0.1 + 0.2), B=np.full((1, 50), 0.3))
    assert judged(Never, Better(A, B), data=same).verdict == "reproduced"
    assert judged(Every, Better(A, B), data=same).verdict == "inconclusive"
    level = np.tile(np.random.default_rng(0).random(50), (15, 1))  # every run its own level, the same at every value
    assert marks(judged(Every, Trend(A), data=data([i / 50 for i in range(1, 16)], A=level))) == "??"


@pytest.mark.parametrize("order", [1, -1])
def test_not_a_number_shows_nothing(order: int) -> None:
    known, unknown = Below(A, lambda x: 3, "3"), Below(A, lambda x: math.nan, "nan")
    assert marks(judged(Every, Both(*[known, unknown][::order]), data=one([2.0]))) != "+"


def test_not_a_number_does_not_keep_a_claim_from_being_refuted_without_a_word() -> None:
    runs = exact([9.0])
    runs[0, 0] = math.nan
    assert judged(Never, Below(A, lambda x: 0), data=data(A=runs)).verdict != "reproduced"


def test_not_a_number_at_one_point_leaves_the_others_alone() -> None:
    runs = exact([-1.0, -1.0, -1.0])
    runs[1, 0] = math.nan
    assert marks(judged(Every, Made(runs))) == "+?+"


def test_most_counts_no_points_that_will_be_refuted_among_those_that_settle_it() -> None:
    judgement = judged(
        Most, Made(exact([-5, 0.15, -0.01], 1.0, 100))
    )  # + ! ?: the second will be refuted, the third has to decide
    assert judgement.runs_needed == judgement.points[2].runs_needed


def test_most_counts_no_points_out_of_reach_among_those_missing() -> None:
    made = Made(exact([-0.15, -0.05, -5], 1.0, 100))
    assert judged(Most, made, FAR, FAR).runs_needed == judged(Most, made).runs_needed


def test_every_is_settled_by_the_first_refutation() -> None:
    judgement = judged(Every, Made(exact([0.15, -0.01], 1.0, 100)))
    assert judgement.runs_needed == judgement.points[0].runs_needed


def test_what_is_settled_needs_no_runs() -> None:
    judgement = All([Every(marked("-")), Every(marked("?"))]).judge({})
    assert (judgement.verdict, judgement.runs_needed) == ("not reproduced", None)
    assert "would settle it" not in judgement.summary


def test_a_contrast_without_points_says_so() -> None:
    nothing = Better(A, B, where=lambda x: x > 99)
    for quantifier in (Every, Each, Most, Never, FromSomeOn):
        judgement = judged(quantifier, nothing, data=two([0.1], [0.2]))
        assert judgement.verdict == "not testable"
        assert judgement.summary


def test_a_regret_of_0_in_all_runs_leaves_open_whether_it_grows() -> None:
    assert judged(Every, Constant(A), data=data(A=np.zeros((4, 50)))).verdict == "inconclusive"
