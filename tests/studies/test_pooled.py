"""Statements about several studies together, and statements that only say that something is not shown."""

from __future__ import annotations

import math

import numpy as np
import pytest

from causalbandits.studies.claims import Claim, Every, NotShown
from causalbandits.studies.contrasts import Better, Curve, NotMuchWorse, OnAverage
from causalbandits.studies.pooled import Pooled, WorstRun
from causalbandits.studies.study import Floats

from .made_up import FAR, SPAN, SURE, A, B, Made, data, exact, judged, marked, marks, two

ONE, OTHER = (Pooled([Curve("s", name), Curve("t", name)]) for name in "AB")


@pytest.mark.parametrize(
    ("second", "found", "verdict"),
    [(0.32, "+", "reproduced"), (0.35, "-", "not reproduced"), (0.3405, "?", "inconclusive")],
)
def test_several_studies_are_compared_on_the_average_over_all_values(second: float, found: str, verdict: str) -> None:
    """The study s has two values, in which A is 0.02 better; t has one, in which it is so much worse."""
    curves = {
        **data(id="s", A=exact([0.1, 0.2]), B=exact([0.12, 0.22], seed=1)),
        **data(id="t", A=exact([second], seed=2), B=exact([0.3], seed=3)),
    }
    judgement = judged(Every, OnAverage(ONE, OTHER, where="both"), data=curves)
    assert (marks(judgement), judgement.verdict) == (found, verdict)
    point = judgement.points[0]
    assert point.at == "both: A against B"
    assert point.values == pytest.approx({"A": (0.3 + second) / 3, "B": (0.12 + 0.22 + 0.3) / 3})


def test_a_pooled_curve_has_the_chosen_values_of_all_and_the_runs_that_all_have() -> None:
    first, second = np.arange(8.0).reshape(2, 4), np.arange(10.0, 16).reshape(2, 3)
    curves = {**data([1, 9], A=first), **data([9, 5], id="t", A=second)}
    pooled = Pooled([A, Curve("t", "A")])
    assert pooled.samples(curves).tolist() == [[0, 1, 2], [4, 5, 6], [10, 11, 12], [13, 14, 15]]
    assert pooled.values(curves) == [1, 9, 9, 5]
    assert pooled.names(curves) == ["x = 1", "x = 9", "x = 9", "x = 5"]
    assert pooled.largest(curves).tolist() == [SPAN] * 4
    at_nine = Pooled(pooled.curves, where=lambda x: x == 9)
    assert at_nine.samples(curves).tolist() == [[4, 5, 6], [10, 11, 12]]
    assert (at_nine.values(curves), at_nine.names(curves)) == ([9, 9], ["x = 9", "x = 9"])
    assert at_nine.largest(curves).tolist() == [SPAN] * 2


def test_pooled_curves_of_different_values_are_not_compared() -> None:
    curves = {**data([1], A=exact([0.1]), B=exact([0.1])), **data([2], id="t", A=exact([0.1]), B=exact([0.1]))}
    with pytest.raises(AssertionError, match="different values"):
        judged(Every, OnAverage(ONE, Pooled(OTHER.curves[::-1])), data=curves)


def worst(means: Floats, last: Floats) -> Floats:
    """Runs of 40 worlds that are all equal to the mean of the world, but for the last one."""
    return np.column_stack([np.tile(means[:, None], 9), last])


@pytest.mark.parametrize(
    ("in_t", "found", "verdict"),
    [(0.02, "+", "reproduced"), (-0.06, "-", "not reproduced"), (-0.02, "?", "inconclusive")],
)
def test_the_worst_runs_are_compared_on_average_over_the_worlds(in_t: float, found: str, verdict: str) -> None:
    """A has the larger mean in every world. In s its worst run is 0.02 below B's, and in t it is `in_t` below it."""
    noise = exact([0.0], 0.01, 40)[0]
    low, high = np.full(40, 0.1), np.full(40, 0.05)
    curves = {
        **data(id="s", A=worst(low, 0.28 + noise), B=worst(high, np.full(40, 0.3))),
        **data(id="t", A=worst(low, 0.3 - in_t + noise), B=worst(high, np.full(40, 0.3))),
    }
    judgement = judged(Every, WorstRun(ONE.curves, OTHER.curves), data=curves)
    assert (marks(judgement), judgement.verdict) == (found, verdict)
    point = judgement.points[0]
    assert point.runs == 40  # the samples are the worlds
    assert point.values == pytest.approx({"A": 0.29 - in_t / 2, "B": 0.3})
    assert judged(Every, OnAverage(ONE, OTHER), data=curves).verdict != "reproduced"


def test_the_worst_of_more_runs_or_of_other_worlds_is_not_compared() -> None:
    more = {**data(A=exact([0.1] * 3)), **data(id="t", A=exact([0.1] * 3, runs=401))}
    with pytest.raises(AssertionError, match="another number of runs"):
        judged(Every, WorstRun([A], [Curve("t", "A")]), data=more)
    others = {**data(A=exact([0.1] * 3)), **data([1, 2, 4], id="t", A=exact([0.1] * 3))}
    with pytest.raises(AssertionError, match="other worlds"):
        judged(Every, WorstRun([A], [Curve("t", "A")]), data=others)


@pytest.mark.parametrize(
    ("errors", "found", "verdict"),
    [
        ([-4.0, -3.1], "++", "reproduced"),
        ([-4.0, 2.9], "+?", "reproduced"),
        ([2.9, 2.9], "??", "reproduced"),
        ([-4.0, 3.1], "+-", "not reproduced"),
        ([3.1, 4.0], "--", "not reproduced"),
    ],
)
def test_something_is_not_shown_within_three_standard_errors(errors: list[float], found: str, verdict: str) -> None:
    made = Made(exact(errors, 10.0, 100))  # a standard error is 1
    judgement = judged(NotShown, made)
    assert (marks(judgement), judgement.verdict) == (found, verdict)
    bound = judgement.points[0].bounds[0]
    assert (bound.lower, bound.upper) == (pytest.approx(errors[0] - 3), pytest.approx(errors[0] + 3))
    refuted = found.count("-") or "none"
    assert f"Refuted at {refuted} of 2 points (3 standard errors), shown at {found.count('+')}" in judgement.summary
    most = max(errors) + 3
    told = f"a difference of at most {max(most, 0):.3g} possible (at x = {errors.index(max(errors)) + 1})"
    assert told in judgement.summary
    assert ("most clearly: x = 2" in judgement.summary) == (verdict == "not reproduced")


def test_other_numbers_of_standard_errors_may_be_allowed() -> None:
    made = [Made(exact([2.5], 10.0, 100))]
    assert [NotShown(made, errors).judge({}).verdict for errors in (2.0, 2.4, 2.6)] == [
        "not reproduced",
        "not reproduced",
        "reproduced",
    ]


def test_the_largest_difference_includes_what_is_allowed() -> None:
    judgement = judged(NotShown, NotMuchWorse(A, [B], 1.5, 0.02), data=two([0.11], [0.1]))
    difference = two([0.11], [0.1])["s"].samples["simple_regret"]
    error = (difference["A"] - 1.5 * difference["B"]).std(ddof=1) / 20  # 400 runs
    assert judgement.verdict == "reproduced"
    assert f"at most {0.01 + 3 * error:.3g} possible" in judgement.summary


def test_where_all_runs_agree_only_their_range_bounds_the_mean() -> None:
    """The chance of three standard errors, 0.00135, is (1 - x / span) ** runs."""
    chance = 0.5 * math.erfc(3 / math.sqrt(2))
    for runs, found in ((20, "?"), (200, "?"), (2000, "+")):
        judgement = judged(NotShown, Better(A, B, slack=0.01), data=data(A=np.zeros((1, runs)), B=np.zeros((1, runs))))
        assert (marks(judgement), judgement.verdict) == (found, "reproduced")
        assert judgement.points[0].largest_difference == pytest.approx(2 * SPAN * (1 - chance ** (1 / runs)))
        assert judgement.summary.endswith("At 1 of them all runs agree.")  # and no difference is told
    for runs, verdict in ((5, "reproduced"), (20, "not reproduced")):
        always = data(A=np.full((1, runs), 0.4), B=np.zeros((1, runs)))
        assert judged(NotShown, Better(A, B), data=always).verdict == verdict


def test_the_largest_difference_is_told_of_points_where_the_runs_differ() -> None:
    curves = data(A=np.vstack([exact([0.1], runs=50)[0], np.full(50, 0.1)]), B=np.full((2, 50), 0.3))
    judgement = judged(NotShown, Better(A, B, slack=0.3), data=curves)
    assert "At 1 of them all runs agree. The runs leave a difference of at most" in judgement.summary
    assert "(at x = 1)" in judgement.summary
    assert judgement.points[1].largest_difference > judgement.points[0].largest_difference  # type: ignore[operator]


def test_one_run_shows_nothing_and_what_is_out_of_reach_is_told() -> None:
    few = judged(NotShown, Better(A, B), data=data(A=np.full((1, 1), 0.2), B=np.full((1, 1), 0.3)))
    assert few.verdict == "inconclusive"
    assert "any difference" in few.summary
    assert judged(NotShown, FAR).verdict == "not testable"
    some = judged(NotShown, *marked("+x"))
    assert (some.verdict, marks(some)) == ("reproduced", "+x")
    assert "Beyond every budget it cannot be tested" in some.summary


def test_at_the_boundary_three_standard_errors_are_passed_as_rarely_as_by_a_normal_number() -> None:
    points, runs = 20_000, 100
    noise = np.random.default_rng(21).standard_normal((points, runs))
    found = marks(judged(NotShown, Made(noise)))
    expected = 0.0017  # of Student's t with 99 degrees of freedom beyond 3
    assert found.count("-") / points == pytest.approx(expected, abs=SURE * math.sqrt(expected / points))


def test_the_test_of_a_claim_that_only_says_not_shown_is_described_as_what_it_is() -> None:
    contrast = Better(A, B)
    claim = Claim("X", "In no world is it shown.", NotShown([contrast]))
    assert "more than 3 standard errors above 0" in claim.test_description
    assert "Holm" not in claim.test_description
    assert "Holm" in Claim("X", "It is so.", Every([contrast])).test_description
