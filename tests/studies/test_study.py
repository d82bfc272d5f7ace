"""Studies: the curves that claims are about, and the measures that make them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.studies.study import (
    CUMULATIVE_REGRET,
    ONLY_WATCHED,
    REGRET_AT_CHECKPOINTS,
    SIMPLE_REGRET,
    Axis,
    Curves,
    Measure,
    Study,
    ratio,
)

from .made_up import nowhere


def test_the_rows_of_curves_are_all_their_numbers() -> None:
    study = Study(
        "s", Axis("x", "x"), [2, 4], nowhere, [], 3, measures=[Measure("first", "", lambda result: {}), SIMPLE_REGRET]
    )
    first, simple = np.array([[1.0, 2, 3], [4, 5, 9]]), np.array([[0.0, 0, 3], [1, 1, 1]])
    curves = Curves(study, 3, {"simple_regret": {"A": simple}, "first": {"A": first}}, {})
    np.testing.assert_array_equal(curves.x, [2, 4])
    np.testing.assert_array_equal(curves.means("A"), [2, 6])
    np.testing.assert_array_equal(curves.means("A", "simple_regret"), [1, 1])
    assert [(value, measure, curve, estimate.mean) for value, measure, curve, estimate in curves.rows()] == [
        (2, "simple_regret", "A", 1),
        (4, "simple_regret", "A", 1),
        (2, "first", "A", 2),
        (4, "first", "A", 6),
    ]


def test_a_measure_takes_its_own_numbers_from_a_result() -> None:
    world = cb.worlds.parallel([0.3, 0.5], 0.3)
    policies = [cb.Observe(name="watches"), cb.ParallelBandit(name="intervenes")]
    result = cb.simulate(
        world, world.problem(budget=20, cost=2), policies, runs=3, checkpoints=[10, 20], progress=False
    )
    np.testing.assert_array_equal(SIMPLE_REGRET.of(result)["watches"], result.simple_regret["watches"])
    np.testing.assert_array_equal(CUMULATIVE_REGRET.of(result)["watches"], result.cumulative_regret["watches"][:, 1])
    np.testing.assert_array_equal(REGRET_AT_CHECKPOINTS.of(result)["watches"], result.cumulative_regret["watches"])
    np.testing.assert_array_equal(
        [ONLY_WATCHED.of(result)[policy.label] for policy in policies], [[1, 1, 1], [0, 0, 0]]
    )


def test_a_ratio_has_the_mean_and_the_spread_of_the_delta_method() -> None:
    rng = np.random.default_rng(11)
    a, b = rng.gamma(4, 1, 500), rng.gamma(9, 1, 500)
    a += b / 3
    result: Any = SimpleNamespace(
        cumulative_regret={
            "A": np.stack([0 * a, a], axis=1),
            "B": np.stack([0 * b, b], axis=1),
            "0": np.zeros((500, 2)),
        }
    )
    runs = ratio("B", "A").of(result)["A / B"]
    covariance = np.cov(a, b)
    r = a.mean() / b.mean()
    gradient = np.array([1, -r]) / b.mean()
    assert runs.mean() == pytest.approx(r)
    assert runs.var(ddof=1) == pytest.approx(gradient @ covariance @ gradient)
    assert np.isnan(ratio("0", "A").of(result)["A / 0"]).all()
