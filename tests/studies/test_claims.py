"""Claims: a quantifier (every, most, never ...) makes one verdict from the findings at many points."""

from __future__ import annotations

from typing import Any

import pytest

from causalbandits.studies.claims import All, Each, Every, FromSomeOn, Most, Never, Readings
from causalbandits.studies.contrasts import Better, OutOfReach, much_better

from .made_up import FAR, A, B, judged, marked, marks, two

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
def test_points_out_of_reach_do_not_count_in_a_verdict(quantifier: Any, found: str, verdict: str) -> None:
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


def test_more_than_three_points_out_of_reach_for_one_reason_are_counted() -> None:
    another = OutOfReach("beyond the seas", lambda: "it is far")
    few, many = judged(Every, *marked("+xxx"), another), judged(Every, *marked("+xxxx"), another)
    assert few.summary.count("Beyond every budget it cannot be tested: it would take e^299.") == 3
    assert many.summary.count("At 4 points it cannot be tested: it would take e^299.") == 1
    assert "Beyond every budget" not in many.summary
    assert all("Beyond the seas it cannot be tested: it is far." in judgement.summary for judgement in (few, many))


def test_points_out_of_reach_do_not_refute_never_and_may_come_before_a_stretch() -> None:
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
def test_the_verdict_of_all_is_the_worst_of_its_tests(found: tuple[str, str], verdict: str) -> None:
    judgement = All([Each(marked(found[0])), Each(marked(found[1]))]).judge({})
    assert judgement.verdict == verdict
    assert marks(judgement) == "".join(found)


def test_never_worse_and_mostly_much_better_are_two_tests_with_separate_points() -> None:
    test = All([Never([Better(A, B)]), Most([much_better(A, B)])])
    good = test.judge(two([0.1, 0.1, 0.3], [0.3, 0.3, 0.3]))
    assert (good.verdict, marks(good)) == ("reproduced", "++?++-")
    assert good.summary.startswith(
        "Refuted at none of 3 points. Shown at 2 of 3 points, refuted at 1; closest call: x = "
    )
    assert test.judge(two([0.1, 0.1, 0.32], [0.3, 0.3, 0.3])).verdict == "not reproduced"  # worse somewhere
    # nowhere worse, but mostly not much better
    assert test.judge(two([0.1, 0.2, 0.2], [0.3, 0.3, 0.3])).verdict == "not reproduced"


@pytest.mark.parametrize("quantifier", [FromSomeOn, Never])
def test_points_out_of_reach_alone_are_not_testable(quantifier: Any) -> None:
    assert judged(quantifier, FAR).verdict == "not testable"


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("+", "+", "reproduced"),
        ("-", "-", "not reproduced"),
        ("+", "-", "depends"),
        ("+-", "+", "depends"),
        ("+", "?", "inconclusive"),
        ("-", "?", "inconclusive"),
        ("x", "x", "not testable"),
    ],
)
def test_a_claim_is_judged_under_each_reading(one: str, other: str, verdict: str) -> None:
    readings = Readings({"as printed": Each(marked(one)), "as published": Each(marked(other))})
    judgement = readings.judge({})
    assert judgement.verdict == verdict
    assert [point.at.partition(":")[0] for point in judgement.points] == [
        *["as printed"] * len(one),
        *["as published"] * len(other),
    ]
    assert judgement.reasons.startswith(f"As printed: {Each(marked(one)).judge({}).verdict}. ")
    assert f" As published: {Each(marked(other)).judge({}).verdict}. " in judgement.reasons
    assert (judgement.runs_needed is not None) == (verdict == "inconclusive")
