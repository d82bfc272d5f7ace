"""Worlds: exact means against enumeration, and worlds written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.mechanisms import Table

from .enumeration import bounded_world, enumerated, enumerated_moments, interventions_of, linear_world, small_world


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_mean_by_contraction_is_the_mean_by_enumeration(seed: int) -> None:
    world = small_world(seed)
    for do in interventions_of(world):
        assert world.mean(do) == pytest.approx(enumerated_moments(world, do)[0], abs=1e-12)


@pytest.mark.parametrize(
    "world", [bounded_world(), linear_world(), cb.worlds.marketing()], ids=["bounded", "real", "marketing"]
)
def test_the_mean_of_every_kind_of_reward_is_the_mean_by_enumeration(world: cb.World) -> None:
    for do in interventions_of(world):
        assert world.mean(do) == pytest.approx(enumerated_moments(world, do)[0], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_distribution_of_the_parents_is_the_one_by_enumeration(seed: int) -> None:
    world = small_world(seed)
    parents = list(world.graph["Y"].parents)
    for do in interventions_of(world):
        np.testing.assert_allclose(world.parent_distribution(do), enumerated(world, do, parents), atol=1e-12)


def test_revealed_parents_have_a_row_for_every_arm() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=10, reveal_parents=True)
    assert [problem.configuration(i) for i in range(4)] == ["W1=0, W2=0", "W1=0, W2=1", "W1=1, W2=0", "W1=1, W2=1"]
    for arm, row in zip(problem.arms, problem.parents, strict=True):
        np.testing.assert_allclose(row, enumerated(world, dict(arm), ["W1", "W2"]).ravel(), atol=1e-12)


def test_a_world_of_fifty_parents_has_exact_means() -> None:
    p = [0.02, 0.02] + [0.5] * 48
    world = cb.worlds.parallel(p, epsilon=0.3)
    means = world.means(world.problem(budget=3000, cost=60))
    expected = [0.5, 0.5 - 0.02 * 0.3 / 0.98, 0.8, *[0.5] * 98]
    np.testing.assert_allclose(means, expected, rtol=0, atol=1e-12)


def test_the_distribution_of_fifty_parents_is_refused_in_one_sentence() -> None:
    world = cb.worlds.parallel([0.5] * 50, epsilon=0.3)
    for ask in (lambda: world.parent_distribution("do()"), lambda: world.problem(budget=9, reveal_parents=True)):
        with pytest.raises(cb.InputError, match=r"^Y has 50 parents with 1.13e\+15 configurations; [^\n]*\.$"):
            ask()


MAPPING, LIST, NUMBER = (
    {"small": {"no": 0.8, "yes": 0.2}, "large": {"yes": 0.5, "no": 0.5}},
    {"small": [0.8, 0.2], "large": [0.5, 0.5]},
    {"small": 0.2, "large": 0.5},
)


@pytest.mark.parametrize(
    "table", [MAPPING, LIST, NUMBER, np.array([[0.8, 0.2], [0.5, 0.5]])], ids=["mapping", "list", "number", "array"]
)
@pytest.mark.parametrize(
    "image", [cb.node("Image", {"small": 0.6, "large": 0.4}), cb.node("Image", ["small", "large"], table=0.4)]
)
def test_a_row_may_be_a_mapping_a_list_or_a_number(table, image) -> None:
    world = cb.World([image, cb.node("Cart", ["no", "yes"], given="Image", table=table)], reward="Cart", success="yes")
    np.testing.assert_allclose(world.mechanisms["Cart"].probabilities, [[0.8, 0.2], [0.5, 0.5]], atol=1e-15)
    assert world.mean("do()") == pytest.approx(0.6 * 0.2 + 0.4 * 0.5, abs=1e-12)
    assert world.mean("do(Image=large)") == pytest.approx(0.5, abs=1e-12)


def test_the_order_of_the_causes_in_a_table_does_not_matter() -> None:
    a, b = cb.node("A", {0: 0.3, 1: 0.7}), cb.node("B", {"x": 0.2, "y": 0.3, "z": 0.5})
    table = {(i, v): 0.1 + 0.3 * i + 0.2 * j for i in (0, 1) for j, v in enumerate("xyz")}
    one = cb.World([a, b, cb.node("Y", [0, 1], given=["A", "B"], table=table)], reward="Y")
    other = cb.World(
        [cb.node("Y", [0, 1], given=["B", "A"], table={key[::-1]: p for key, p in table.items()}), b, a], reward="Y"
    )
    for do in ("do()", "do(A=1)", "do(B=y)", "do(A=0, B=z)"):
        assert one.mean(do) == pytest.approx(other.mean(do), abs=1e-15)
    assert one.mean("do(A=1, B=y)") == pytest.approx(0.6, abs=1e-12)


def test_success_says_which_value_counts_as_one() -> None:
    coin = cb.node("Y", ["lost", "won"], table=0.3)
    x = cb.node("X", {0: 0.5, 1: 0.5})
    assert cb.World([x, coin], reward="Y", success="won").mean("do()") == pytest.approx(0.3, abs=1e-15)
    assert cb.World([x, coin], reward="Y", success="lost").mean("do()") == pytest.approx(0.7, abs=1e-15)


def test_setting_an_effect_of_the_reward_changes_nothing() -> None:
    world = bounded_world()
    assert world.mean("do(E=yes)") == pytest.approx(world.mean("do()"), abs=1e-15)
    assert abs(world.mean("do(X=high)") - world.mean("do()")) > 0.05


@pytest.mark.parametrize(
    "ask", [lambda w: w.marginal(["Q"], "do()"), lambda w: w.marginal(["X"], "do(Q=1)"), lambda w: w.mean("do(Q=1)")]
)
def test_a_question_about_an_unknown_variable_of_a_world_is_answered_in_one_sentence(ask) -> None:
    with pytest.raises(cb.InputError, match="'Q'"):
        ask(bounded_world())


def test_a_world_cannot_be_changed() -> None:
    world = cb.worlds.marketing()
    table = world.mechanisms["Image"]
    assert isinstance(table, Table)
    with pytest.raises(ValueError, match="read-only"):
        table.probabilities[0] = 0.5
