"""Streams of random numbers: uniform, different from each other, and normal by the exact quantile."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.streams import normal_quantile

from ..streams import QUANTILE, stream


@pytest.mark.parametrize("p", [1e-300, 1e-15, 0.001, 0.07499, 0.075, 0.3, 0.5, 0.7, 0.925, 0.92501, 0.999, 1 - 1e-15])
def test_the_normal_quantile_agrees_with_the_standard_library(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-13, abs=1e-15)


def test_uniform_numbers_are_uniform_and_streams_differ() -> None:
    rng = stream(0)
    numbers = np.array([cb.uniform(rng) for _ in range(20_000)])
    cells = np.bincount((numbers * 20).astype(int), minlength=20)
    assert np.abs(cells - 1000).max() < (QUANTILE + 1) * np.sqrt(1000 * 0.95)
    assert cb.uniform(stream(0)) == numbers[0]
    assert len({cb.uniform(stream(n)) for n in range(1000)}) == 1000
