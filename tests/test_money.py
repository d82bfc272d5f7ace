"""Money: exact to a millionth, from text, decimals and floats."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.money import decimal_text, millionths

from .fixed import Fixed

WORLD = cb.worlds.parallel([0.5, 0.3], 0.1)


@settings(max_examples=100, deadline=None)
@given(whole=st.integers(1, 9 * 10**15))
def test_money_is_the_same_from_text_decimal_and_float(whole: int) -> None:
    exact = Decimal(whole) / 10**6
    assert millionths(str(exact), "cost") == millionths(exact, "cost") == whole
    assert Decimal(decimal_text(whole)) == exact
    if whole < 10**15:  # fifteen digits survive a float
        assert millionths(float(exact), "cost") == whole


@pytest.mark.parametrize("amount", ["1.0000001", 1e-7, Decimal("1.1") + Decimal("1e-20"), "1.1" + "0" * 30 + "1"])
def test_money_of_more_than_six_decimals_is_refused_and_not_rounded(amount: object) -> None:
    with pytest.raises(cb.InputError, match="at most six decimals"):
        WORLD.problem(budget=10, cost=amount)


@pytest.mark.parametrize("amount", [0, -1, "nan", "inf", float("nan"), "ten", None, True, "", 10**10])
def test_a_cost_that_is_not_a_positive_amount_is_refused_in_one_sentence(amount: object) -> None:
    with pytest.raises(cb.InputError, match=r"^The cost of [^\n]*\.$"):
        WORLD.problem(budget=10, cost={"X1": amount, "X2": 1})


@pytest.mark.parametrize("count", [0, 1])
def test_a_budget_of_3_3_pays_exactly_three_interventions_at_1_1(count: int) -> None:
    problem = WORLD.problem(budget=3.3, cost=1.1)
    assert 3.3 // 1.1 == 2  # floats would pay two
    assert divmod(problem.exact_budget, problem.exact_costs[1]) == (3, 0)
    result = cb.simulate(
        WORLD, problem, Fixed(arm=1, count=count), runs=2, checkpoints=[1.1, 2.2, 3.2, 3.3], progress=False
    )
    assert result.pulls["fixed"][:, :, 1].tolist() == [[1, 2, 2, 3]] * 2
    assert result.left_over["fixed"].tolist() == [0.0, 0.0]


def test_a_policy_that_plays_affordable_arms_spends_an_exact_budget_completely() -> None:
    world = cb.worlds.parallel([0.5], 0.3)
    problem = world.problem(budget=23.1, cost=1.1, observe=False)
    result = cb.simulate(world, problem, cb.FKube(), runs=5, progress=False)
    assert result.pulls["f-kube"].sum(axis=(1, 2)).tolist() == [21] * 5
    assert (result.left_over["f-kube"] == 0).all()
