"""Error rates: a false claim is shown, and a true one refuted, in at most 5 % of repetitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from causalbandits.studies.claims import Every, Never
from causalbandits.studies.contrasts import Better, Close, Contrast, much_better
from causalbandits.studies.study import Data

from .made_up import LEVEL, REPETITIONS, A, B, data, judged, marks, off_by_luck


def any_marks(contrast: Contrast, made: Callable[[np.random.Generator], Data]) -> tuple[float, float]:
    """The shares of repetitions in which at least one point is shown, and refuted."""
    rng = np.random.default_rng(7)
    found = [marks(judged(Every, contrast, data=made(rng))) for _ in range(REPETITIONS)]
    return sum("+" in f for f in found) / REPETITIONS, sum("-" in f for f in found) / REPETITIONS


def test_at_the_boundary_of_much_better_5_percent_are_shown_by_chance_and_5_percent_refuted() -> None:
    def made(rng: np.random.Generator) -> Data:
        return data(A=1 + 0.5 * rng.standard_normal((5, 20)), B=2 + 0.5 * rng.standard_normal((5, 20)))

    shown, refuted = any_marks(much_better(A, B), made)
    exactly = 1 - (1 - LEVEL / 5) ** 5  # of independent points
    assert (shown, refuted) == (
        pytest.approx(exactly, abs=off_by_luck(exactly)),
        pytest.approx(exactly, abs=off_by_luck(exactly)),
    )


def test_the_error_rate_holds_for_runs_that_are_coin_flips() -> None:
    def made(rng: np.random.Generator) -> Data:
        return data(A=(rng.random((4, 400)) < 0.25).astype(float), B=(rng.random((4, 400)) < 0.5).astype(float))

    assert max(any_marks(much_better(A, B), made)) < LEVEL + off_by_luck(LEVEL)


def test_the_error_rate_holds_at_the_boundary_of_a_margin() -> None:
    """Points of one world share their luck, as checkpoints of one run do."""

    def made(rng: np.random.Generator) -> Data:
        return data(A=np.array([0.3, 0.34] * 2)[:, None] + 0.02 * rng.standard_normal(50), B=np.full((4, 50), 0.32))

    assert max(any_marks(Close(A, B), made)) < LEVEL + off_by_luck(LEVEL)


def test_for_equal_policies_never_worse_is_refuted_in_at_most_5_percent() -> None:
    rng = np.random.default_rng(8)
    equals = (data(A=rng.standard_normal((8, 15)), B=rng.standard_normal((8, 15))) for _ in range(REPETITIONS))
    refuted = (
        sum(judged(Never, Better(A, B), data=curves).verdict == "not reproduced" for curves in equals) / REPETITIONS
    )
    assert refuted == pytest.approx(1 - (1 - LEVEL / 8) ** 8, abs=off_by_luck(LEVEL))
