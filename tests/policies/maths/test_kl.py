"""The upper bound by relative entropy, against bisection."""

from __future__ import annotations

import math

import numpy as np
import pytest

from causalbandits.policies.maths.kl import bernoulli_kl, bernoulli_upper, upper


@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.02, 0.3, 0.5, 0.97, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("level", [0.0, 1e-9, 1e-3, 0.1, 1.0, 9.0, 40.0])
def test_the_upper_bound_is_the_largest_mean_that_the_level_allows(mean: float, level: float) -> None:
    found = bernoulli_upper(mean, level)
    low, high = mean, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle < 1 and bernoulli_kl(mean, middle) <= level:
            low = middle
        else:
            high = middle
    assert found == pytest.approx(low if level > 0 else mean, rel=1e-8, abs=1e-13)  # near the mean KL is flat
    assert mean <= found <= 1


def test_rewards_between_bounds_are_scaled_and_real_ones_have_the_normals() -> None:
    assert upper(-1.0, 4, 2.0, -1.0, 4.0, True) == pytest.approx(-1 + 4 * bernoulli_upper(0.1875, 0.5))
    assert upper(8.0, 4, 2.0, 0.0, 1.0, False) == pytest.approx(2 + math.sqrt(2.0 / 8))
    assert np.isfinite(upper(8.0, 4, -3.0, 0.0, 1.0, False))
