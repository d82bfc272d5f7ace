"""The best mixture within a joint confidence set: against bisection and a general solver."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from causalbandits.policies.maths.joint import joint_upper

from ...oracles.causal_ucb import best_mixture


def random_sets(number: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, float]]:
    """Random weights, means, counts and levels.

    Some means are 0 or 1, some weights are 0, and some configurations were never seen.
    """
    rng = np.random.default_rng(1)
    sets = []
    for _ in range(number):
        size = int(rng.integers(1, 7))
        weights = rng.dirichlet(np.full(size, rng.choice([0.2, 1.0, 5.0]))) * rng.integers(0, 5, size).clip(0, 1)
        counts = rng.integers(0, rng.choice([3, 30, 3000]), size).astype(float)
        means = np.where(rng.random(size) < 0.3, rng.integers(0, 2, size), rng.random(size))
        sets.append((weights, means, counts, float(rng.choice([1e-6, 1e-2, 0.7, 3.0, 12.0]))))
    return sets


def inverse(counts: np.ndarray) -> np.ndarray:
    return np.divide(1, counts, out=np.zeros_like(counts), where=counts > 0)


def test_the_best_mixture_agrees_with_bisection_and_is_below_the_quadratic_bound() -> None:
    for weights, means, counts, level in random_sets(300):
        seen = counts > 0
        triples = [(p, int(n), m) for p, n, m in zip(weights, counts, means, strict=True) if n > 0 and p > 0]
        found = joint_upper(weights, means, inverse(counts), level)
        assert found == pytest.approx(weights[~seen].sum() + best_mixture(triples, level), rel=1e-9, abs=1e-12)
        s = (weights[seen] ** 2 / counts[seen]).sum()
        assert found <= weights[~seen].sum() + weights[seen] @ means[seen] + math.sqrt(level * s / 2) + 1e-12


def test_the_best_mixture_is_the_maximum_over_the_set() -> None:
    """The best mixture by a general solver, which knows nothing about multipliers.

    It varies the logarithms of the odds of q, and is given their gradients.
    """
    optimize = pytest.importorskip("scipy.optimize", reason="the extra [report] is not installed")
    rng = np.random.default_rng(2)
    for _ in range(25):
        size = int(rng.integers(2, 5))
        weights, means, counts = (
            rng.dirichlet(np.ones(size)),
            rng.uniform(0.1, 0.9, size),
            rng.integers(5, 40, size).astype(float),
        )
        solved = by_general_solver(optimize, weights, means, counts, 2.0)
        assert joint_upper(weights, means, inverse(counts), 2.0) == pytest.approx(solved, abs=1e-7)


def by_general_solver(optimize: Any, weights: np.ndarray, means: np.ndarray, counts: np.ndarray, level: float) -> float:
    def q(odds: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-odds))

    def evidence(odds: np.ndarray) -> float:
        return float(counts @ (means * np.log(means / q(odds)) + (1 - means) * np.log((1 - means) / (1 - q(odds)))))

    room = {"type": "ineq", "fun": lambda odds: level - evidence(odds), "jac": lambda odds: -counts * (q(odds) - means)}
    start = np.log(means / (1 - means))
    solved = optimize.minimize(
        lambda odds: -weights @ q(odds),
        start + 1e-3,
        jac=lambda odds: -weights * q(odds) * (1 - q(odds)),
        constraints=[room],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert evidence(solved.x) <= level + 1e-6
    return float(-solved.fun)
