"""Bounds: m(p) and the threshold against their definitions, and the lower bound against a linear program."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import causalbandits as cb
from causalbandits import bounds

shares = st.integers(1, 60).flatmap(lambda n: st.integers(0, n).map(lambda k: Fraction(k, n)))  # often exactly 1 / tau


def m_by_definition(q: list[Fraction]) -> int:
    """min{whole tau >= 2 : #{a : q_a < 1/tau} <= tau} (Nair et al. 2021, section 3)."""
    return min(tau for tau in range(2, len(q) + 3) if sum(share < Fraction(1, tau) for share in q) <= tau)


def m(q: list[Fraction]) -> int:
    return cb.m(np.array([float(share) for share in q]))


@settings(max_examples=300, deadline=None)
@given(q=st.lists(shares, max_size=40))
def test_m_is_what_its_definition_says(q: list[Fraction]) -> None:
    assert m(q) == m_by_definition(q)


@settings(max_examples=100, deadline=None)
@given(number=st.integers(0, 60), rare=st.integers(61, 1000))
def test_m_of_rare_arms_is_their_number(number: int, rare: int) -> None:
    assert m([Fraction(1, rare)] * number) == max(2, number)


def both_values(p: list[Fraction]) -> list[Fraction]:
    """The probabilities of do(X_i = 1) and of do(X_i = 0)."""
    return [share for q in p for share in (q, 1 - q)]


def test_the_papers_instance_has_m_2_and_jumps_to_3_just_below_one_half() -> None:
    """p_1 = p_2 = 0.02, the other 48 exactly 1/2: they do not count as rarer than 1/2; a hair below they do."""
    half, rare = Fraction(1, 2), [Fraction(2, 100)] * 2
    assert m(both_values(rare + [half] * 48)) == m_by_definition(both_values(rare + [half] * 48)) == 2
    below = [half - Fraction(1, 10**9)] * 48
    assert m(both_values(rare + below)) == m_by_definition(both_values(rare + below)) == 3


@pytest.mark.parametrize("tau", range(2, 50))
def test_a_share_of_exactly_1_in_tau_does_not_count_as_rarer(tau: int) -> None:
    """tau arms that are never shown, and one shown once in tau: not rare at tau, rare a hair below."""
    never, at = [Fraction(0)] * tau, Fraction(1, tau)
    assert m([*never, at]) == tau
    assert m([*never, at - Fraction(1, 10**9)]) == tau + 1


def test_m_takes_a_list() -> None:
    assert cb.m([0.02, 0.02] + [0.5] * 48) == 2


def test_the_threshold_of_the_papers_instance_is_25() -> None:
    assert bounds.threshold([0.02, 0.98, 0.02, 0.98, *[0.5] * 96]) == pytest.approx(25)
    assert bounds.threshold([0.02, 0.98, 0.02, 0.98, *[0.499] * 96]) == pytest.approx(1 / (0.02 * 3))


@settings(max_examples=60, deadline=None)
@given(q=st.lists(shares, min_size=1, max_size=40))
def test_the_threshold_is_one_over_p_m_and_infinite_for_an_arm_never_shown(q: list[Fraction]) -> None:
    p = min(q)
    assert bounds.threshold([float(share) for share in q]) == (
        pytest.approx(float(1 / (p * m_by_definition(q)))) if p else math.inf
    )


def relative_entropy(p: float, q: float) -> float:
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q)) if q < 1 else math.inf


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_lower_bound_is_the_least_loss_that_gives_every_arm_its_samples(seed: int) -> None:
    """The least loss by a linear program over observations x and pulls n_a.

    Every arm needs its samples: n_a + p_a x is at least 1 / KL(mu_a, c_a v*).
    """
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(2, 8))
    means, costs = rng.uniform(0.05, 0.95, arms), np.r_[1.0, rng.uniform(0.5, 3, arms - 1)]
    shown = np.r_[1.0, rng.uniform(0, 1, arms - 1) * (rng.random(arms - 1) < 0.8)]
    best = (means / costs).argmax()
    losses = costs * (means / costs)[best] - means
    losses[best] = 0
    needs = [
        0.0 if a == best else 1 / relative_entropy(mean, mean + loss)
        for a, (mean, loss) in enumerate(zip(means, losses, strict=True))
    ]
    found = linprog(np.r_[losses[0], losses], A_ub=-np.c_[shown, np.eye(arms)], b_ub=-np.array(needs))
    assert bounds.lower_bound(means, costs, shown) == pytest.approx(found.fun, rel=1e-6, abs=1e-9)


def test_regret_can_be_bounded_if_watching_is_best_and_shows_every_arm() -> None:
    assert bounds.lower_bound([0.5, 0.5, 0.6], [1, 1.5, 1.5], [1, 0.5, 0.01]) == 0
    assert bounds.lower_bound([0.5, 0.5, 0.6], [1, 1.5, 1.5], [1, 0.5, 0.0]) > 0
