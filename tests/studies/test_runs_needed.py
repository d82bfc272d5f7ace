"""The number of runs that would settle a claim that is still open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from causalbandits.studies.claims import All, Each, Every, FromSomeOn, Most
from causalbandits.studies.contrasts import Below, Both, Close

from .made_up import (
    FAR,
    LEVEL,
    POWER,
    REPETITIONS,
    A,
    B,
    Made,
    data,
    exact,
    judged,
    marked,
    marks,
    off_by_luck,
    runs_for,
)


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
    # points out of reach take none
    assert judged(Every, *marked("?xx")).runs_needed == math.ceil(runs_for(0.1, 1.0, LEVEL))


@pytest.mark.parametrize(("points", "least"), [(1, 5), (2, 6), (3, 6), (4, 7)])
def test_if_all_runs_agree_so_many_are_needed_that_a_difference_is_unlikely(points: int, least: int) -> None:
    # (1 - 0.25 / 0.5) ** least <= 5 % / points
    assert judged(Every, Made(np.full((points, 3), -0.25))).runs_needed == least
    assert judged(Every, Made(np.full((points, least), -0.25))).verdict == "reproduced"
    assert judged(Every, Made(np.full((points, least - 1), -0.25))).verdict == "inconclusive"


def test_the_runs_for_a_margin_depend_on_its_nearer_side_or_on_the_side_that_was_passed() -> None:
    def needed(difference: float) -> int | None:
        return judged(Every, Close(A, B), data=data(A=exact([difference], 0.3, 100), B=np.zeros((1, 100)))).runs_needed

    assert needed(0.015) == needed(-0.015) == math.ceil(runs_for(0.005, 0.3, LEVEL))
    assert needed(0.0) == math.ceil(runs_for(0.02, 0.3, LEVEL))
    passed = needed(0.04)
    assert passed is not None
    # either of two bounds may be passed
    assert math.ceil(runs_for(0.02, 0.3, LEVEL)) <= passed <= math.ceil(runs_for(0.02, 0.3, LEVEL / 2))


def test_the_runs_for_both_depend_on_the_harder_condition_or_on_the_easier_refutation() -> None:
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
    # more than half of four are three
    assert judged(Most, even).runs_needed == math.ceil(runs_for(0.15, 1.0, LEVEL / 4))


def test_no_number_of_runs_is_named_if_the_means_are_at_the_boundary() -> None:
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


def test_most_does_not_need_points_that_will_be_refuted() -> None:
    # + ! ?: the second will be refuted, the third has to decide
    judgement = judged(Most, Made(exact([-5, 0.15, -0.01], 1.0, 100)))
    assert judgement.runs_needed == judgement.points[2].runs_needed


def test_most_does_not_need_points_out_of_reach() -> None:
    made = Made(exact([-0.15, -0.05, -5], 1.0, 100))
    assert judged(Most, made, FAR, FAR).runs_needed == judged(Most, made).runs_needed


def test_every_is_settled_by_the_first_refutation() -> None:
    judgement = judged(Every, Made(exact([0.15, -0.01], 1.0, 100)))
    assert judgement.runs_needed == judgement.points[0].runs_needed


def test_a_settled_claim_needs_no_runs() -> None:
    judgement = All([Every(marked("-")), Every(marked("?"))]).judge({})
    assert (judgement.verdict, judgement.runs_needed) == ("not reproduced", None)
    assert "would settle it" not in judgement.summary
