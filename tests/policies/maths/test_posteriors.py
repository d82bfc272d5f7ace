"""Draws from posteriors against SciPy's distributions: 20,000 of each, by the test of Kolmogorov and Smirnov.

There are 16 such tests at level 1e-8, so a correct program fails with a probability below 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from causalbandits.engine.streams import RNG, key_of
from causalbandits.policies.maths.posteriors import beta_variate, gamma_variate, normal_variate

stats = pytest.importorskip("scipy.stats", reason="the extra [report] is not installed")
DRAWS = 20_000
LEVEL = 1e-8


def stream(seed: int) -> np.ndarray:
    rng = np.zeros(RNG, np.uint64)
    rng[0] = key_of(f"seed {seed}")
    return rng


@njit
def gammas(shape, rng, values):
    for i in range(values.size):
        values[i] = gamma_variate(shape, rng)


@njit
def betas(a, b, rng, values):
    for i in range(values.size):
        values[i] = beta_variate(a, b, rng)


@njit
def normals(rng, values):
    for i in range(values.size):
        values[i] = normal_variate(rng)


@pytest.mark.parametrize("shape", [0.05, 0.5, 0.999, 1.0, 1.5, 3.0, 40.0, 5000.0])
def test_gamma_variates_have_their_distribution(shape: float) -> None:
    values = np.empty(DRAWS)
    gammas(shape, stream(1), values)
    assert stats.kstest(values, stats.gamma(shape).cdf).pvalue > LEVEL
    assert stats.kstest(values, stats.gamma(shape * 1.1 + 0.02).cdf).pvalue < LEVEL  # so that it could fail


@pytest.mark.parametrize(
    ("a", "b"), [(1.0, 1.0), (2.0, 1.0), (1.0, 30.0), (0.5, 0.5), (17.5, 3.25), (400.0, 900.0), (1.0, 20_000.0)]
)
def test_beta_variates_have_their_distribution(a: float, b: float) -> None:
    values = np.empty(DRAWS)
    betas(a, b, stream(2), values)
    assert stats.kstest(values, stats.beta(a, b).cdf).pvalue > LEVEL
    assert stats.kstest(values, stats.beta(1.15 * a, b).cdf).pvalue < LEVEL


def test_normal_variates_have_their_distribution() -> None:
    values = np.empty(DRAWS)
    normals(stream(3), values)
    assert stats.kstest(values, stats.norm.cdf).pvalue > LEVEL
    assert stats.kstest(values, stats.norm(0, 1.1).cdf).pvalue < LEVEL


def test_a_variate_called_from_python_is_that_of_compiled_code() -> None:
    values = np.empty(50)
    betas(1.5, 2.5, stream(4), values)
    rng = stream(4)
    assert [beta_variate(1.5, 2.5, rng) for _ in range(50)] == values.tolist()
