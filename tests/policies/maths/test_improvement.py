"""E max(mean - goal, 0) under a posterior, against SciPy's distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from causalbandits.policies.maths.improvement import beta_improvement, beta_tail, normal_improvement

SAMPLES = [0.01, 0.5, 1.0, 2.5, 40.0, 3000.0, 1e6]


@pytest.mark.parametrize("a", SAMPLES)
@pytest.mark.parametrize("b", SAMPLES)
def test_the_tail_of_a_beta_distribution(a: float, b: float) -> None:
    """Near the mean, where it matters, and far from it."""
    mean, deviation = a / (a + b), math.sqrt(stats.beta.var(a, b))
    points = [mean + z * deviation for z in (-4, -1, -0.1, 0, 0.1, 1, 4)]
    for x in [*points, 1e-6, 0.3, 1 - 1e-6]:
        if 0 < x < 1:
            assert beta_tail(a, b, x) == pytest.approx(stats.beta.sf(x, a, b), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("a", [0.5, 1.0, 2.5, 40.0])
@pytest.mark.parametrize("b", [0.5, 1.0, 2.5, 40.0])
@pytest.mark.parametrize("goal", [0.01, 0.2, 0.5, 0.9])
def test_the_improvement_of_a_beta_mean_is_the_integral_of_its_tail(a: float, b: float, goal: float) -> None:
    expected, _ = integrate.quad(lambda x: stats.beta.sf(x, a, b), goal, 1, epsabs=1e-12)
    assert beta_improvement(a, b, goal) == pytest.approx(expected, abs=1e-9)


def test_a_goal_outside_of_the_range_of_a_beta_mean() -> None:
    assert beta_improvement(1.0, 3.0, -0.5) == 0.75
    assert beta_improvement(1.0, 3.0, 0.0) == 0.25
    assert beta_improvement(1.0, 3.0, 1.0) == beta_improvement(1.0, 3.0, 1.5) == 0


def test_a_mean_that_is_certain_to_be_0_or_1() -> None:
    """The samples of an arm may all be failures, and weigh so much that its tables do not count."""
    assert beta_improvement(0.0, 5.0, 0.25) == 0
    assert beta_improvement(5.0, 0.0, 0.25) == 0.75
    assert beta_improvement(0.0, 5.0, -0.5) == 0.5


@pytest.mark.parametrize("goal", [-30.0, -1.0, 0.0, 0.4, 2.0, 30.0])
@pytest.mark.parametrize("deviation", [0.01, 1.0, 7.0])
def test_the_improvement_of_a_normal_mean(goal: float, deviation: float) -> None:
    z = (goal - 0.3) / deviation
    expected = deviation * stats.norm.pdf(z) + (0.3 - goal) * stats.norm.sf(z)
    assert normal_improvement(0.3, deviation, goal) == pytest.approx(max(expected, 0), abs=1e-12)


def test_an_improvement_is_never_below_0() -> None:
    """Differences of tiny numbers could be."""
    for z in np.linspace(3, 40, 60):
        assert normal_improvement(0.0, 1.0, float(z)) >= 0
        assert beta_improvement(3.0, 500.0, float(min(z / 40, 0.999))) >= 0
