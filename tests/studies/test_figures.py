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


def test_a_logarithmic_axis_leaves_out_a_mean_that_is_0_up_to_rounding() -> None:
    """Regrets such as 1e-17 are rounding, and would stretch the axis over many powers of ten."""
    found = data(A=np.array([[0.1, 0.3], [0.0, 0.0], [1e-17, 3e-17]]))
    ((log,), (linear,)) = (charts(Figure("f", "", [Panel("s", log=log)]), found) for log in ("y", ""))
    means = np.array([estimate.mean for estimate in log.bands[0].estimates])
    assert means[0] == 0.2
    assert np.isnan(means[1:]).all()
    assert [estimate.mean for estimate in linear.bands[0].estimates] == [0.2, 0.0, 2e-17]
