"""The reward that separates the best arm from the others, and the normal tail behind it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from causalbandits.policies.maths.contenders import scaled_density, scaled_tail, separating_reward


def test_the_tail_of_the_normal_is_right_within_two_percent() -> None:
    for z in np.linspace(-8, 8, 161):
        exact = 0.5 * math.erfc(z / math.sqrt(2))
        assert scaled_tail(z, scaled_density(z)) / math.sqrt(2 * math.pi) == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("arms", [1, 2, 3, 100])
@pytest.mark.parametrize("spread", [0.0, 0.1, 10.0])
def test_exactly_one_arm_is_expected_above_the_separating_reward(arms: int, spread: float) -> None:
    rng = np.random.default_rng(arms)
    means, sharp = rng.normal(0.5, spread, arms), rng.uniform(2, 50, arms)
    x = separating_reward(means, sharp)
    assert math.isfinite(x)
    expected = [
        scaled_tail((x - m) * s, scaled_density((x - m) * s)) / math.sqrt(2 * math.pi)
        for m, s in zip(means, sharp, strict=True)
    ]
    assert sum(expected) == pytest.approx(1 if arms > 1 else 0.5, abs=1e-6)


def test_the_separating_reward_lies_between_two_arms_that_are_far_apart() -> None:
    assert separating_reward(np.array([0.0, 1.0]), np.array([40.0, 40.0])) == pytest.approx(0.5)
    assert separating_reward(np.array([0.0, 3.0]), np.array([20.0, 10.0])) == pytest.approx(1.0, abs=0.01)
