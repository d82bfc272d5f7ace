"""Whether a simulated curve is the published one: verdicts on curves whose truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from causalbandits.studies.fits import Fit, Pair
from causalbandits.studies.published import PublishedCurve, PublishedPoint, read_published

from .made_up import A, data, exact, one

ERROR = 0.004


def published(y: list[float], runs: int = 400) -> PublishedCurve:
    points = [PublishedPoint(x, value, ERROR) for x, value in enumerate(y, 1)]
    return PublishedCurve("s", "A", "Somebody 2020, Figure 1", runs, points)


def judged(ours: list[float], theirs: list[float], **options: float):  # type: ignore[no-untyped-def]
    return Fit([Pair(A, published(theirs, **options))]).judge(one(ours))  # type: ignore[arg-type]


def test_equal_curves_are_reproduced() -> None:
    judgement = judged([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert judgement.verdict == "reproduced"
    assert judgement.summary.startswith("3 of 3 published points are within the joint error")


def test_a_difference_within_the_reading_error_is_none() -> None:
    judgement = judged([0.1, 0.2, 0.3], [0.1055, 0.1945, 0.3055])  # beyond 0.0027, the error of both simulations
    assert judgement.verdict == "reproduced"
    assert judgement.summary.startswith("3 of 3 published points")


def test_curves_without_variance_are_compared_too() -> None:
    curve = Fit([Pair(A, published([0.1, 0.2]))])
    assert curve.judge(data(A=np.full((2, 10), [[0.1], [0.2]]))).verdict == "inconclusive"  # ten equal runs tell little
    assert curve.judge(data(A=np.full((2, 5000), [[0.1], [0.2]]))).verdict == "reproduced"
    assert curve.judge(data(A=np.full((2, 5000), [[0.1], [0.25]]))).verdict == "not reproduced"


def test_a_curve_that_is_a_little_off_everywhere_is_refuted_on_average() -> None:
    """No point alone is off by more than chance."""
    theirs = [0.2 + 0.0062] * 30
    judgement = Fit([Pair(A, published(theirs))]).judge(data(A=exact([0.2] * 30)))
    assert [point.at for point in judgement.points if point.finding == "refuted"] == ["on average"]
    assert judgement.verdict == "not reproduced"


def test_a_curve_with_another_factor_is_not_the_published_one() -> None:
    theirs = np.linspace(0.1, 0.3, 20)
    assert judged(list(0.93 * theirs), list(theirs)).verdict == "not reproduced"


def test_one_point_that_is_clearly_off_refutes_the_curve() -> None:
    judgement = judged([0.1, 0.2, 0.3], [0.1, 0.22, 0.3])
    assert judgement.verdict == "not reproduced"
    assert [point.finding for point in judgement.points][:3] == ["shown", "refuted", "shown"]
    assert "2 of 3 published points" in judgement.summary
    assert "the largest difference is −0.02 at x = 2 (0.22 published, 0.2 here), and −0.00667 on average" in (
        judgement.summary
    )


def test_a_published_simulation_of_few_runs_leaves_room_for_differences() -> None:
    assert judged([0.1, 0.2, 0.3], [0.1, 0.22, 0.3], runs=8).verdict == "reproduced"


def test_what_leaves_too_much_room_is_open() -> None:
    judgement = judged([0.01, 0.02, 0.03], [0.01, 0.02, 0.03], runs=1)
    assert judgement.verdict == "inconclusive"
    assert judgement.runs_needed is None  # more runs of ours do not help


@pytest.mark.slow
def test_the_joint_error_covers_95_percent_of_the_published_points() -> None:
    """Both simulations have the same truth, and nothing is lost by reading. At 1e-6, 4000 points."""
    rng = np.random.default_rng(5)
    ours, theirs = rng.normal(0.2, 0.1, (4000, 100)), rng.normal(0.2, 0.1, (4000, 25)).mean(axis=1)
    points = [PublishedPoint(x, float(y), 0.0) for x, y in enumerate(theirs, 1)]
    curve = PublishedCurve("s", "A", "Somebody 2020", 25, points)
    within = int(Fit([Pair(A, curve)]).judge(data(A=ours)).summary.partition(" of ")[0])
    assert abs(within / 4000 - 0.95) < 4.9 * (0.95 * 0.05 / 4000) ** 0.5 + 0.002  # 0.002: normal quantiles for 100 runs


def test_a_value_that_the_study_does_not_have_is_an_error_of_ours() -> None:
    with pytest.raises(AssertionError, match="has no value 3"):
        Fit([Pair(A, published([0.1, 0.2, 0.3]))]).judge(data(A=exact([0.1, 0.2])))


def test_published_points_are_read_with_their_offset_taken_off(tmp_path: Path) -> None:
    path = tmp_path / "published.csv"
    path.write_text(
        "figure,source,runs,curve,x,read,offset,error\n"
        "1,Somebody 2020,50,A,1,0.31,0.01,0.002\n1,Somebody 2020,50,A,2,0.21,0.01,0.002\n"
        "1,Somebody 2020,50,B,1,0.91,0.01,0.002\n"
    )
    curves = read_published(path)
    assert list(curves) == [("1", "A"), ("1", "B")]
    assert [(p.x, round(p.y, 12), p.error) for p in curves["1", "A"].points] == [(1, 0.3, 0.002), (2, 0.2, 0.002)]
    assert (curves["1", "A"].runs, curves["1", "A"].source) == (50, "Somebody 2020")
