"""Contrasts: each is shown where it is true, refuted where it is false, and open between."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from causalbandits.studies.claims import Each, Every, FromSomeOn, Most, Never, Within
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
    Lowest,
    NotMuchWorse,
    OnAverage,
    Settled,
    Trend,
    much_better,
)
from causalbandits.studies.study import Axis, Curves, Data, Measure, Study

from .made_up import FAR, LEVEL, SURE, A, B, data, exact, judged, marks, nowhere, one, two

CONTRASTS = {
    "better at every value": (Better(A, B), two([0.19, 0.28], [0.2, 0.3]), "++", "reproduced"),
    "worse at a value": (Better(A, B), two([0.19, 0.31], [0.2, 0.3]), "+-", "not reproduced"),
    "nearly as good": (Better(A, B), two([0.199, 0.301], [0.2, 0.3]), "??", "inconclusive"),
    "better than a third": (Better(A, B, 1 / 3), two([0.09, 0.11], [0.3, 0.3]), "+-", "not reproduced"),
    "better at the given values": (
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
    "much better at the given values": (
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
    "close at the given values": (Close(A, B, lambda x: x < 2), two([0.3, 0.5], [0.3, 0.3]), "+", "reproduced"),
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
    "better by less than the slack": (Better(A, B, slack=0.1), two([0.25, 0.35], [0.2, 0.2]), "+-", "not reproduced"),
    "better where the other is large": (Better(A, B, above=0.25), two([0.5, 0.28], [0.2, 0.3]), "+", "reproduced"),
    "better on average": (OnAverage(A, B), two([0.1, 0.4], [0.3, 0.3]), "+", "reproduced"),
    "worse on average": (OnAverage(A, B), two([0.1, 0.52], [0.3, 0.3]), "-", "not reproduced"),
    "less than half on average": (OnAverage(A, B, 0.5), two([0.1, 0.18], [0.3, 0.3]), "+", "reproduced"),
    "more than half on average": (OnAverage(A, B, 0.5), two([0.1, 0.22], [0.3, 0.3]), "-", "not reproduced"),
    "worse on average by less than the slack": (
        OnAverage(A, B, slack=0.05),
        two([0.1, 0.58], [0.3, 0.3]),
        "+",
        "reproduced",
    ),
    "worse on average by more": (OnAverage(A, B, slack=0.05), two([0.1, 0.62], [0.3, 0.3]), "-", "not reproduced"),
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
    "not much worse at the given values": (
        NotMuchWorse(A, [B], 1.5, 0.01, where=lambda x: x < 2),
        two([0.14, 0.16], [0.1, 0.1]),
        "+",
        "reproduced",
    ),
    "the lowest of all": (
        Lowest(A, [B, Curve("s", "C")], 0.01),
        data(A=exact([0.2, 0.2]), B=exact([0.3, 0.1], seed=1), C=exact([0.4, 0.3], seed=2)),
        "+-",
        "not reproduced",
    ),
    "next to nothing, as another": (Lowest(A, [B], 0.05), two([0.04, 0.06], [0.02, 0.02]), "+-", "not reproduced"),
    "more than next to nothing": (Lowest(A, [B], 0.05), two([0.04, 0.07], [0.06, 0.06]), "+-", "not reproduced"),
    "nothing in any run": (
        Lowest(A, [B], 0.05),
        data(A=np.full((2, 100), 1e-17), B=np.vstack([np.zeros(100), exact([0.06], runs=100)[0]])),
        "x+",
        "reproduced",
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


def test_the_error_rate_holds_although_the_worst_value_is_searched_for() -> None:
    """The worst value is found by looking at the runs, so luck could make it look worse than it is.

    One curve is 0.1 worse at one value and much better elsewhere; the other is the same everywhere.
    """
    rng, repetitions, false = np.random.default_rng(8), 200, 0
    for _ in range(repetitions):
        means = np.r_[10.0, np.full(39, 5.0)][:, None]
        one, other = means + rng.standard_normal((40, 60)), 9.9 + rng.standard_normal((40, 60))
        false += marks(judged(Every, AtWorst(A, B), data=data(A=one, B=other))) == "+"
    assert false <= repetitions * LEVEL + SURE * math.sqrt(repetitions * LEVEL)


def test_flat_compares_each_value_with_the_average() -> None:
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


def test_constant_reports_the_growth_in_the_second_half_of_the_axis() -> None:
    point = judged(Every, Constant(A), data=one([0, 1, 5, 10, 12.5], [10, 20, 30, 40, 80])).points[0]
    assert point.values == pytest.approx({"x = 40": 10, "x = 80": 12.5, "growth / mean": 0.2})
    assert point.bounds[0].mean == pytest.approx(2.5 - 0.05 * 12.5)


def test_points_report_the_means_that_they_compare() -> None:
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


def test_both_needs_two_contrasts_with_equally_many_points() -> None:
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


def test_flatness_trend_and_growth_are_paired_run_by_run() -> None:
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


def test_runs_that_are_coin_flips_are_judged_like_others() -> None:
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


def test_both_keeps_conditions_that_have_the_same_name() -> None:
    curves = {
        **data(id="s", A=exact([2.0]), B=exact([1.0], seed=1)),
        **data(id="t", A=exact([1.0]), B=exact([2.0], seed=1)),
    }
    false, true = Better(A, B), Better(Curve("t", "A"), Curve("t", "B"))
    assert judged(Every, Both(false, true), data=curves).verdict == "not reproduced"
    assert (
        judged(Every, Both(Below(A, lambda x: 1), Below(A, lambda x: 3)), data=one([2.0])).verdict == "not reproduced"
    )


def test_both_keeps_points_out_of_reach() -> None:
    assert judged(Every, Both(FAR, Below(A, lambda x: 3)), data=one([2.0])).verdict == "not testable"
    assert judged(Every, Both(FAR, FAR)).verdict == "not testable"


def test_constant_is_not_shown_if_only_the_last_value_lies_in_the_second_half() -> None:
    assert judged(Every, Constant(A), data=one([1, 10, 100], [1, 10, 100])).verdict == "not reproduced"


def test_within_a_margin_the_largest_difference_that_the_runs_leave_possible_is_told() -> None:
    """The bound is that of the t-test at the level of Holm's procedure, here 5 % over two points."""
    found = two([0.25, 0.23], [0.2, 0.2])
    judgement = judged(Within, Better(A, B, slack=0.1), data=found)
    assert judgement.verdict == "reproduced"
    differences = found["s"].samples["simple_regret"]["A"] - found["s"].samples["simple_regret"]["B"]
    uppers = [x.mean() + 1.96 * x.std(ddof=1) / len(x) ** 0.5 for x in differences]
    told = float(judgement.reasons.split("at most ")[1].split(" ")[0])
    assert 0.05 <= told == pytest.approx(max(uppers), rel=0.2)
    assert judged(Within, Better(A, B, slack=0.01), data=found).verdict == "not reproduced"
    few = judged(Within, Better(A, B, slack=0.1), data=data(A=np.full((1, 1), 0.2), B=np.full((1, 1), 0.2)))
    assert few.verdict == "inconclusive"
    assert "any difference" in few.reasons


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


def test_a_claim_with_not_a_number_is_not_reproduced() -> None:
    runs = exact([9.0])
    runs[0, 0] = math.nan
    assert judged(Never, Below(A, lambda x: 0), data=data(A=runs)).verdict != "reproduced"


def test_a_contrast_without_points_says_so() -> None:
    nothing = Better(A, B, where=lambda x: x > 99)
    for quantifier in (Every, Each, Most, Never, FromSomeOn):
        judgement = judged(quantifier, nothing, data=two([0.1], [0.2]))
        assert judgement.verdict == "not testable"
        assert judgement.summary


def test_a_regret_of_0_in_all_runs_leaves_open_whether_it_grows() -> None:
    assert judged(Every, Constant(A), data=data(A=np.zeros((4, 50)))).verdict == "inconclusive"
