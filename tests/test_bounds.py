"""m(p) against its definition, in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb

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
def test_m_of_arms_that_are_all_rare_is_their_number(number: int, rare: int) -> None:
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
def test_a_share_of_exactly_one_in_tau_is_not_rarer_than_that(tau: int) -> None:
    """tau arms that are never shown, and one shown once in tau: not rare at tau, rare a hair below."""
    never, at = [Fraction(0)] * tau, Fraction(1, tau)
    assert m([*never, at]) == tau
    assert m([*never, at - Fraction(1, 10**9)]) == tau + 1


def test_m_takes_a_list() -> None:
    assert cb.m([0.02, 0.02] + [0.5] * 48) == 2
