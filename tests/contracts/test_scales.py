"""No choice depends on the unit of money or of the reward, nor on a shift of the reward where all costs are equal."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import causalbandits as cb

KINDS = sorted(cb.policies.REGISTRY)
COSTS = {"X": "1.7", "Z": "2.3", "do()": "1.25"}
BUDGET = "190.5"


def choices(world: cb.World, problem: cb.Problem, kind: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Pulls and recommendations of every run, or None where the policy refuses the problem."""
    try:
        result = cb.simulate(world, problem, kind, runs=12, seed=4, threads=1, progress=False)
    except cb.InputError:
        return None
    return result.pulls[kind][:, -1], result.recommended[kind]


def assert_same(one: Any, other: Any) -> None:
    assert (one is None) == (other is None)
    if one is not None:
        for here, there in zip(one, other, strict=True):
            np.testing.assert_array_equal(here, there)


def coins() -> list[cb.Node]:
    return [cb.node("X", {0: 0.85, 1: 0.15}), cb.node("Z", {0: 0.5, 1: 0.5})]


def graded(scale: float = 1.0, shift: float = 0.0) -> cb.World:
    """A reward with three values."""
    values = [scale * value + shift for value in (-0.5, 0.25, 1.5)]
    table = {
        (0, 0): [0.5, 0.3, 0.2],
        (0, 1): [0.4, 0.3, 0.3],
        (1, 0): [0.2, 0.3, 0.5],
        (1, 1): [0.1, 0.3, 0.6],
    }
    return cb.World([*coins(), cb.node("Y", values, given=["X", "Z"], table=table)], reward="Y")


def real(scale: float = 1.0, shift: float = 0.0) -> cb.World:
    """A real reward."""
    weights = {"X": 0.5 * scale, "Z": 0.125 * scale}
    return cb.World([*coins(), cb.linear("Y", weights, noise=0.5 * scale, intercept=0.25 * scale + shift)], reward="Y")


def problem_of(world: cb.World, factor: str = "1", **more: Any) -> cb.Problem:
    """Costs per arm, an observation that does not cost 1, and all money times the factor."""
    costs = {name: Decimal(cost) * Decimal(factor) for name, cost in COSTS.items()}
    return world.problem(budget=Decimal(BUDGET) * Decimal(factor), cost=costs, reveal_parents=True, **more)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", ["60", "0.01", "7"])
def test_all_money_times_a_factor_gives_the_same_choices(kind: str, factor: str) -> None:
    world = graded()
    plain = choices(world, problem_of(world), kind)
    assert_same(plain, choices(world, problem_of(world, factor), kind))
    assert plain is not None or kind in ("obs", "importance-sampling", "c-ucb-2", "fixed")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", ["60", "0.01"])
def test_all_money_times_a_factor_gives_the_same_choices_where_nothing_is_watched(kind: str, factor: str) -> None:
    def problem(times: str) -> cb.Problem:
        costs = {name: Decimal(COSTS[name]) * Decimal(times) for name in ("X", "Z")}
        return graded().problem(budget=Decimal(BUDGET) * Decimal(times), cost=costs, observe=False, reveal_parents=True)

    assert_same(choices(graded(), problem("1"), kind), choices(graded(), problem(factor), kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [8.0, 0.125])
def test_the_reward_times_a_power_of_two_gives_the_same_choices(kind: str, scale: float) -> None:
    assert_same(choices(graded(), problem_of(graded()), kind), choices(graded(scale), problem_of(graded(scale)), kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [8.0, 0.125])
def test_a_real_reward_and_its_scale_times_a_power_of_two_give_the_same_choices(kind: str, scale: float) -> None:
    plain, scaled = (problem_of(real(by), reward_scale=0.5 * by) for by in (1.0, scale))
    assert_same(choices(real(), plain, kind), choices(real(scale), scaled, kind))


def test_a_real_reward_without_a_scale_is_taken_to_have_a_deviation_of_one_half() -> None:
    for kind in ("causal-kl", "top-two", "ucb"):
        plain, stated = problem_of(real()), problem_of(real(), reward_scale=0.5)
        assert_same(choices(real(), plain, kind), choices(real(), stated, kind))


@pytest.mark.parametrize("kind", ["causal-kl", "causal-ts", "causal-ucb-learned", "causal-ucb"])
def test_the_scale_of_a_real_reward_repairs_what_a_wrong_deviation_costs(kind: str) -> None:
    """Means 0.1 apart and a deviation of 0.01: with 1/2 assumed, every arm looks good for hundreds of rounds."""
    world = cb.World([*coins(), cb.linear("Y", {"X": 0.1}, noise=0.01)], reward="Y")
    options = {"horizon": 500, "observe": False, "reveal_parents": True}
    regret = {
        scale: cb.simulate(
            world, world.problem(**options, reward_scale=scale), kind, runs=20, seed=1
        ).cumulative_regret[kind][:, -1]
        for scale in (None, 0.01)
    }
    assert regret[0.01].mean() < 1
    assert regret[None].mean() > 5 * regret[0.01].mean() or kind == "causal-ucb"


@pytest.mark.parametrize("kind", ["top-two", "successive-rejects", "ucb", "causal-kl", "causal-ucb"])
def test_a_shift_of_a_bounded_reward_gives_the_same_choices_where_all_costs_are_equal(kind: str) -> None:
    """The shift is a power of two, so that sums stay exact."""
    plain, shifted = graded(), graded(shift=4.0)
    options = {"horizon": 150, "reveal_parents": True}
    assert_same(choices(plain, plain.problem(**options), kind), choices(shifted, shifted.problem(**options), kind))
