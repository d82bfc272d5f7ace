"""The figures of a paper: bands of what is never negative do not reach below 0."""

from __future__ import annotations

import numpy as np

from causalbandits.regret import Estimate
from causalbandits.studies.figures import charts
from causalbandits.studies.study import Figure, Panel

from .made_up import data


def test_a_band_of_regret_ends_at_0_and_a_band_of_differences_does_not() -> None:
    seldom = np.zeros((1, 100))
    seldom[0, 0] = 1.0  # one run of a hundred loses something
    assert Estimate.of(seldom[0]).low < 0
    found = data(A=seldom, B=seldom - 0.5)
    (chart,) = charts(Figure("f", "", [Panel("s")]), found)
    regret, other = chart.bands
    assert (regret.estimates[0].low, regret.estimates[0].mean) == (0, 0.01)
    assert other.estimates[0] == Estimate.of(seldom[0] - 0.5)
