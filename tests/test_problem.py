"""Problems: which arms there are, what they cost, and what watching teaches."""

from __future__ import annotations

import itertools
import pickle
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from networkx import NetworkXError

import causalbandits as cb
from causalbandits.files.json_forms import problem_from_json, problem_to_json
from causalbandits.files.problem_files import read_problem
from causalbandits.files.toml.text import dumps
from causalbandits.money import decimal_text
from causalbandits.policies.view import view_of


def shop(**options: object) -> cb.World:
    """X and Z are free to set, W is not, U is hidden and confounds Z and Y."""
    return cb.World(
        [
            cb.node("U", {0: 0.5, 1: 0.5}, hidden=True),
            cb.node("X", {"low": 0.2, "mid": 0.3, "high": 0.5}),
            cb.node("Z", [0, 1], given="U", table={0: 0.3, 1: 0.8}),
            cb.node("W", {0: 0.5, 1: 0.5}, intervenable=False),
            cb.node(
                "Y",
                [0, 1],
                given=["X", "U", "Z"],
                table=dict.fromkeys(itertools.product(["low", "mid", "high"], [0, 1], [0, 1]), 0.5),
            ),
        ],
        reward="Y",
        **options,
    )


def texts(problem: cb.Problem) -> list[str]:
    return [str(arm) for arm in problem.arms]


def test_the_arms_are_the_observation_and_every_value_of_what_can_be_seen_and_set() -> None:
    assert texts(shop().problem(budget=9)) == ["do()", "do(X=low)", "do(X=mid)", "do(X=high)", "do(Z=0)", "do(Z=1)"]


@pytest.mark.parametrize(
    ("arms", "expected"),
    [
        (["Z"], ["do(Z=0)", "do(Z=1)"]),
        (["do(X=high)", {"Z": 0}], ["do(X=high)", "do(Z=0)"]),
        (["do(Z=1, X=low)", "Z"], ["do(X=low, Z=1)", "do(Z=0)", "do(Z=1)"]),
        ([{"Z": 1, "X": "mid"}], ["do(X=mid, Z=1)"]),
        (["W"], ["do(W=0)", "do(W=1)"]),  # the user names it, so it is an arm
    ],
)
def test_the_observation_comes_first_and_then_the_named_arms(arms: list, expected: list[str]) -> None:
    assert texts(shop().problem(budget=9, arms=arms)) == ["do()", *expected]
    assert texts(shop().problem(budget=9, arms=arms, observe=False)) == expected


def test_an_arm_is_found_however_it_is_written() -> None:
    problem = shop().problem(budget=9, arms=["Z", "do(X=low, Z=1)"])
    assert [problem.arm(written) for written in ("do( Z = 1,X=low )", {"X": "low", "Z": 1}, "do()", {})] == [3, 3, 0, 0]
    with pytest.raises(cb.InputError, match="no arm 'do\\(X=low\\)'"):
        problem.arm("do(X=low)")


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (None, ["1", "1", "1", "1", "1"]),
        (60, ["1", "60", "60", "60", "60"]),
        ("2.5", ["1", "2.5", "2.5", "2.5", "2.5"]),
        (Decimal("0.000001"), ["1", "0.000001", "0.000001", "0.000001", "0.000001"]),
        ([3, 1.1, 2.2, 3.3, 4], ["3", "1.1", "2.2", "3.3", "4"]),
        (np.array([3, 1.1, 2.2, 3.3, 4]), ["3", "1.1", "2.2", "3.3", "4"]),
        ({"X": 0.1, "Z": 0.2}, ["1", "0.1", "0.2", "0.2", "0.3"]),  # two variables add up, exactly
        ({"X": 0.1, "Z": 0.2, "do()": 0.5}, ["0.5", "0.1", "0.2", "0.2", "0.3"]),
        ({"X": 0.1, "Z": 0.2, "do(Z=1, X=low)": 7}, ["1", "0.1", "0.2", "0.2", "7"]),
        ({"X": 0.1, "do(Z=0)": 5, "do(Z=1)": 6, "do(X=low, Z=1)": 7}, ["1", "0.1", "5", "6", "7"]),
    ],
)
def test_costs_are_given_as_one_number_by_variable_by_arm_or_as_a_list(cost: object, expected: list[str]) -> None:
    problem = shop().problem(budget=1000, cost=cost, arms=["do(X=low)", "Z", "do(X=low, Z=1)"])
    assert [decimal_text(c) for c in problem.exact_costs] == expected
    np.testing.assert_array_equal(view_of(problem).costs, problem.exact_costs)
    in_observations = [float(c) / float(expected[0]) for c in expected]  # so no choice depends on the unit of money
    np.testing.assert_allclose(view_of(problem).prices, in_observations, rtol=1e-15)


def test_without_the_observation_a_list_of_costs_has_no_entry_for_it() -> None:
    problem = shop().problem(budget=9, cost=[2, 3], arms=["Z"], observe=False)
    assert problem.exact_costs == (2_000_000, 3_000_000)
    assert not problem.observes


def test_with_a_horizon_every_arm_costs_one_round() -> None:
    problem = shop().problem(horizon=7)
    assert set(problem.exact_costs) == {1_000_000}
    assert problem.exact_budget // problem.exact_costs[0] == view_of(problem).rounds == 7


@pytest.mark.parametrize("horizon", [0, -3, 2.5, "10", True, float("nan"), float("inf")])
def test_a_horizon_that_is_not_a_number_of_rounds_is_refused_in_one_sentence(horizon: object) -> None:
    with pytest.raises(cb.InputError, match=r"^The horizon must be [^\n]*\.$"):
        shop().problem(horizon=horizon)


def test_watching_teaches_about_an_arm_unless_it_has_a_backdoor_path() -> None:
    problem = shop().problem(budget=9, arms=["X", "Z", "do(X=low, Z=1)"])
    path = "Z <- U -> Y"
    assert problem.backdoor_paths == (None, None, None, None, path, path, path)
    assert problem.teaches.tolist() == [True, True, True, True, False, False, False]
    assert problem.backdoor_path("do(Z=1)") == path
    np.testing.assert_array_equal(view_of(problem).teaches, problem.teaches)


def test_setting_a_common_cause_along_with_its_effect_closes_the_path() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(budget=9, arms=["X1", "X2", "do(X1=1, X2=0)"])
    assert problem.backdoor_path("do(X2=0)") == "X2 <- X1 -> W1 -> Y"
    assert problem.teaches.tolist() == [True, True, True, False, False, True]


def test_without_the_observation_nothing_is_taught() -> None:
    problem = shop().problem(budget=9, observe=False)
    assert not problem.teaches.any()
    assert problem.backdoor_path("do(X=low)") is None  # what the graph says does not change


def test_a_strict_problem_takes_only_arms_without_a_backdoor_path() -> None:
    assert len(shop().problem(budget=9, arms=["X"], strict=True).arms) == 4
    with pytest.raises(cb.InputError, match="do\\(Z=0\\) has the backdoor path Z <- U -> Y"):
        shop().problem(budget=9, strict=True)


def reward_of(values: list[object], **options: object) -> cb.Reward:
    x = cb.node("X", {0: 0.5, 1: 0.5})
    y = cb.node("Y", {value: 1 / len(values) for value in values})
    return cb.World([x, y], reward="Y", **options).reward


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        ([0, 1], {}, cb.Reward("Y", "binary", "1")),
        ([1, 0], {}, cb.Reward("Y", "binary", "1")),
        (["no", "yes"], {"success": "no"}, cb.Reward("Y", "binary", "no")),
        ([0, 1, 3], {}, cb.Reward("Y", "bounded", None, 0, 3)),
        ([2, -1, 0.5], {}, cb.Reward("Y", "bounded", None, -1, 2)),
        ([0, 1], {"bounds": (-1, 4)}, cb.Reward("Y", "bounded", None, -1, 4)),
        ([0, 1, 3], {"success": 3}, cb.Reward("Y", "binary", "3")),
    ],
)
def test_the_kind_of_a_reward_follows_from_its_values(values: list, options: dict, expected: cb.Reward) -> None:
    assert reward_of(values, **options) == expected


def test_a_linear_reward_is_real_and_radii_scale_with_the_range_of_a_bounded_one() -> None:
    assert cb.worlds.confounded_chain().reward == cb.Reward("Y", "real")
    x, y = cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Y", {-1: 0.2, 0: 0.3, 3: 0.5})
    assert view_of(cb.World([x, y], reward="Y").problem(horizon=5)).width == 4
    assert view_of(shop().problem(horizon=5)).width == 1
    assert cb.World([x, y], reward="Y").mean("do()") == pytest.approx(1.3)


@pytest.mark.parametrize(("values", "bounds"), [([0, 1, 3], (0, 2)), ([-1, 0], (0, 1))])
def test_bounds_that_exclude_a_value_of_the_reward_are_refused(values: list, bounds: tuple) -> None:
    with pytest.raises(cb.InputError, match="Y"):
        reward_of(values, bounds=bounds)


def test_money_is_shown_in_the_unit_of_the_user() -> None:
    problem = cb.worlds.marketing().problem(budget=50, cost="1.1")
    assert (problem.budget, problem.exact_budget) == (50, 50_000_000)
    assert problem.costs[:2] == (1, 1.1)
    assert problem.exact_costs[:2] == (1_000_000, 1_100_000)
    assert repr(problem) == "Problem(9 arms, budget 50)"
    by_rounds = cb.worlds.marketing().problem(horizon=7)
    assert (by_rounds.budget, by_rounds.horizon, set(by_rounds.costs)) == (None, 7, {1})


def test_a_problem_and_a_world_cannot_be_changed() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=9, observe=False, reveal_parents=True)
    for value, name in [
        (problem, "budget"),
        (problem, "arms"),
        (problem, "anything"),
        (world, "graph"),
        (world, "new"),
    ]:
        with pytest.raises(AttributeError):
            setattr(value, name, 3)
        with pytest.raises(AttributeError):
            delattr(value, name)
    assert problem.parents is not None
    for array in (problem.parents, problem.teaches):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(NetworkXError, match=r"[Ff]rozen"):
        world.graph.network.add_edge("Y", "X1")
    with pytest.raises(TypeError):
        world.mechanisms["Y"] = None  # type: ignore[index]
    again = pickle.loads(pickle.dumps((world, problem)))
    assert again[1].exact_budget == problem.exact_budget
    assert again[0].mean("do()") == world.mean("do()")


def test_the_table_of_parents_is_a_copy() -> None:
    world = cb.worlds.confounded_chain()
    table = np.array(world.problem(horizon=9, reveal_parents=True).parents)
    problem = cb.Problem(world.graph, world.reward, horizon=9, parents=table)
    table[:] = 0
    assert problem.parents is not None
    assert problem.parents.sum() == pytest.approx(len(problem.arms))


def real_reward() -> cb.World:
    return cb.World([cb.node("X", {0: 0.5, 1: 0.5}), cb.linear("Y", {"X": 2.0}, noise=5.0)], reward="Y")


def test_the_scale_of_a_real_reward_and_kept_money_survive_files_and_json(tmp_path: Path) -> None:
    world = real_reward()
    problem = world.problem(budget=50, cost=2, reward_scale=5, keep_money=True)
    assert (view_of(problem).width, view_of(problem).keeps_money) == (10, True)
    (tmp_path / "p.toml").write_text(dumps(problem))
    for again in (read_problem(tmp_path / "p.toml").problem, problem_from_json(problem_to_json(problem))):
        assert (again.reward_scale, again.keep_money) == (5.0, True)
    plain = problem_from_json(problem_to_json(world.problem(budget=50)))
    assert (plain.reward_scale, plain.keep_money, view_of(plain).width) == (None, False, 1)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "5", True])
def test_a_scale_that_is_no_positive_number_is_refused(scale: object) -> None:
    with pytest.raises(cb.InputError, match="reward_scale must be a positive number"):
        real_reward().problem(budget=50, reward_scale=scale)


def test_only_a_real_reward_has_a_scale() -> None:
    with pytest.raises(cb.InputError, match="is for real rewards, but the reward Y is binary"):
        cb.worlds.parallel(p=[0.5], epsilon=0.1).problem(budget=50, reward_scale=1)
