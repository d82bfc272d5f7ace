"""The sentences about a claim: its summary, and its test in words."""

from __future__ import annotations

import math

import pytest

from causalbandits.studies.claims import All, Claim, Each, Every, FromSomeOn, Most, Never
from causalbandits.studies.contrasts import Below, Better, Both, Close, Constant, Flat, Trend, much_better

from .made_up import FAR, LEVEL, A, B, judged, marked, runs_for, two


def test_the_summary_counts_the_points_and_names_the_closest_call() -> None:
    assert (
        judged(Every, Better(A, B), data=two([0.1, 0.19], [0.2, 0.2])).summary
        == "Shown at 2 of 2 points; closest call: x = 2 (A: 0.19, B: 0.2)."
    )
    assert judged(Every, Better(A, B), data=two([0.1], [0.2])).summary == "Shown: x = 1 (A: 0.1, B: 0.2)."
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


def test_the_summary_of_a_depending_claim_says_where_it_holds() -> None:
    assert judged(Each, *marked("+-")).summary == "Holds for x = 1; fails for x = 2."
    assert (
        judged(Each, *marked("++++-+-?--")).summary
        == "Holds for x = 1 to x = 4, x = 6; fails for x = 5, x = 7, x = 9, x = 10; neither is shown for x = 8."
    )
    assert judged(Each, *marked("+++-")).summary == "Holds for x = 1, x = 2, x = 3; fails for x = 4."
    last = judged(Each, much_better(A, B, last=True), much_better(B, A, last=True), data=two([9, 0.1], [9, 0.4]))
    assert last.summary == "Holds for A against B; fails for B against A."


@pytest.mark.parametrize(("found", "start"), [("-+-?++", 5), ("+++", 1), ("--+", 3)])
def test_the_summary_says_from_which_point_on_a_claim_holds(found: str, start: int) -> None:
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
        "At every point the upper bound of mean(A) − 0.5 mean(B) is below 0; "
        "the bounds of mean(A) − mean(B) lie within ±0.02. "
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


def test_the_summary_of_never_does_not_mention_points_out_of_reach() -> None:
    assert "2 points" not in judged(Never, *marked("+x")).summary
