"""Ties: the largest value is chosen, and equal ones are chosen equally often."""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb

from ...streams import QUANTILE, stream


@pytest.mark.parametrize("size", [1, 3, 8, 20, 101])
def test_best_finds_the_maximum_and_breaks_ties_evenly(size: int) -> None:
    rng, values = stream(size), np.random.default_rng(size).random(size)
    assert cb.best(values, rng) == np.argmax(values)
    tied = np.arange(size)[:: max(1, size // 5)]
    values[tied] = 2.0 + np.linspace(0, 9e-13, len(tied))  # within 1e-12
    draws = np.bincount([cb.best(values, rng) for _ in range(4000)], minlength=size)
    assert draws[tied].sum() == 4000
    share = 4000 / len(tied)
    assert np.abs(draws[tied] - share).max() <= (QUANTILE + 1) * np.sqrt(share)


def test_best_distinguishes_values_beyond_the_tolerance_and_skips_forbidden_ones() -> None:
    assert {cb.best(np.array([1.0, 1.0 + 2e-12, -np.inf]), stream(n)) for n in range(50)} == {1}
    assert cb.best(np.full(9, -np.inf), stream(0)) == -1


def test_best_mean_never_chooses_an_arm_without_samples_if_another_has_some() -> None:
    sums, counts = np.array([0.0, 0.0, 0.0]), np.array([0, 7, 0])
    assert {cb.best_mean(sums, counts, stream(n)) for n in range(50)} == {1}
    assert {cb.best_mean(sums, np.zeros(3, np.int64), stream(n)) for n in range(50)} == {0, 1, 2}
