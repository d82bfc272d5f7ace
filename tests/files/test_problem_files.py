"""Problem files: what is written is read back the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.files import Setup, dumps, read, write
from causalbandits.files.json_forms import policy_to_json, problem_terms_to_json
from causalbandits.files.world_files import world_of
from causalbandits.mechanisms import Linear

from .texts import CHAIN, EXAMPLE, SHOP, changed, shop, without_probabilities


def again(tmp: Path, problem: cb.Problem, **also: Any) -> Setup:
    path = tmp / "again.toml"
    write(path, problem, **also)
    return read(path)


def facts(world: cb.World) -> object:
    """All that a world is, to the last bit."""
    tables = {
        name: mechanism if isinstance(mechanism, Linear) else (mechanism.given, mechanism.probabilities.tolist())
        for name, mechanism in world.mechanisms.items()
    }
    return world.graph, world.reward, world.reference, tables


def same_problem(one: cb.Problem, other: cb.Problem) -> bool:
    return (one.graph, one.reward, problem_terms_to_json(one)) == (
        other.graph,
        other.reward,
        problem_terms_to_json(other),
    )


def problems() -> dict[str, tuple[cb.World, cb.Problem]]:
    marketing, chain, parallel = (
        cb.worlds.marketing(),
        cb.worlds.confounded_chain(),
        cb.worlds.parallel(p=[0.02] * 5, epsilon=0.3),
    )
    number = cb.World(
        [
            cb.node("X", {"a": 0.5, "b": 0.5}),
            cb.node("Y", [0, 2.5, 10], given="X", table={"a": [0.2, 0.3, 0.5], "b": [1, 0, 0]}),
        ],
        reward="Y",
    )
    apart = cb.World([cb.node("X", {0: 0.1, 1: 0.9}), cb.node("Y", [0, 1], parents=["X"], table=0.25)], reward="Y")
    arms = ["do(Image=large, Promotion=yes)", "do(Image=large)", "Promotion"]
    return {
        "one cost": (marketing, marketing.problem(budget=500, cost=2)),
        "costs by variable": (
            marketing,
            marketing.problem(
                budget="500.000001", cost={"Image": "0.1", "Promotion": 3, "Description": 1, "Comparison": 1}
            ),
        ),
        "costs by arm": (marketing, marketing.problem(budget=99, cost=[1, 2, 3, 4, 5, 6, 7, "8.123456", 9])),
        "a cost of watching": (marketing, marketing.problem(budget=99, cost=[0.5] + [2] * 8)),
        "arms of several variables": (marketing, marketing.problem(budget=99, arms=arms, cost=[1, 7, 2, 5, 5])),
        "arms of several variables with costs that do not add up": (
            marketing,
            marketing.problem(budget=99, arms=arms, cost=[1, 6, 2, 5, 5]),
        ),
        "no observation": (marketing, marketing.problem(budget=99, observe=False, cost=3)),
        "a horizon": (marketing, marketing.problem(horizon=77)),
        "a real reward": (chain, chain.problem(horizon=50, observe=False)),
        "revealed parents": (chain, chain.problem(horizon=50, reveal_parents=True)),
        "a table of some parents": (parallel, parallel.problem(budget=30, cost=1.1)),
        "a table of no parent": (apart, apart.problem(budget=30)),
        "a bounded reward": (number, number.problem(budget=30)),
        "strict": (number, number.problem(budget=30, strict=True)),
    }


@pytest.mark.parametrize("name", problems())
def test_a_problem_with_its_world_is_read_back_the_same(name: str, tmp_path: Path) -> None:
    world, problem = problems()[name]
    setup = again(tmp_path, problem, world=world)
    assert same_problem(setup.problem, problem)
    assert facts(world_of(setup)) == facts(world)


@pytest.mark.parametrize("name", problems())
def test_a_problem_without_its_world_is_read_back_without_probabilities(name: str, tmp_path: Path) -> None:
    _, problem = problems()[name]
    setup = again(tmp_path, problem)
    assert same_problem(setup.problem, problem)
    assert setup.tables is None


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    variables=st.integers(1, 6),
    hidden=st.integers(0, 1),
    bounded=st.booleans(),
    data=st.data(),
)
def test_random_worlds_are_read_back_to_the_last_bit(
    seed: int, variables: int, hidden: int, bounded: bool, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    values = ("-1.5", "0", "3") if bounded else ("0", "1")
    world = cb.worlds.random_world(
        np.random.default_rng(seed), variables=variables + hidden, values=(2, 4), hidden=hidden, reward=values
    )
    arms = len(world.problem(budget=1000).arms)
    cost = data.draw(
        st.none() | st.lists(st.integers(1, 10**7).map(lambda c: f"{c / 10**6:.6f}"), min_size=arms, max_size=arms)
    )
    problem = world.problem(budget=1000, cost=cost)
    setup = again(tmp_path_factory.mktemp("files"), problem, world=world)
    assert facts(world_of(setup)) == facts(world)
    assert same_problem(setup.problem, problem)


NAMES = st.text(st.characters(exclude_characters=",=()", exclude_categories=("Cs",)), min_size=1, max_size=8).filter(
    lambda text: text == text.strip()
)


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(NAMES, min_size=2, max_size=2, unique=True),
    values=st.lists(NAMES, min_size=2, max_size=3, unique=True),
    title=st.text(st.characters(exclude_categories=("Cs",)), min_size=1),
)
def test_every_possible_name_can_be_written_and_read_back(
    names: list[str], values: list[str], title: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cause, effect = names
    rows = {value: [1.0] + [0.0] * (len(values) - 1) for value in values}
    world = cb.World(
        [cb.node(cause, {v: 1 / len(values) for v in values}), cb.node(effect, values, given=cause, table=rows)],
        reward=effect,
        success=values[0],
    )
    problem = world.problem(budget=9, cost={f"do({cause}={value})": 2 + i for i, value in enumerate(values)})
    setup = again(tmp_path_factory.mktemp("files"), problem, world=world, name=title)
    assert (setup.name, facts(world_of(setup))) == (title, facts(world))
    assert same_problem(setup.problem, problem)


@pytest.mark.parametrize(
    "policy",
    [
        *(policy() for policy in cb.policies.REGISTRY.values()),
        cb.CRMNB(exploration=0.1, name="mine"),
        cb.FKube(exploration=8),
    ],
)
def test_a_policy_with_its_parameters_is_read_back(policy: cb.Policy, tmp_path: Path) -> None:
    world = cb.worlds.marketing()
    setup = again(tmp_path, world.problem(budget=5), policy=policy, seed=7, lease=2.5)
    assert setup.policy is not None
    assert policy_to_json(setup.policy) == policy_to_json(policy)
    assert (setup.seed, setup.lease) == (7, 2.5)


def test_a_short_file_gets_the_defaults(tmp_path: Path) -> None:
    setup = read(shop(tmp_path, changed('policy = "crm-nb"\n', "", without_probabilities())))
    assert (setup.name, setup.policy, setup.seed, setup.lease, setup.tables) == ("shop", None, None, None, None)
    assert setup.problem.exact_budget == 50_500_000
    assert [str(arm) for arm in setup.problem.arms] == ["do()", "do(Image=small)", "do(Image=large)"]


def test_every_way_to_write_a_row_means_the_same(tmp_path: Path) -> None:
    world = facts(cb.read_world(shop(tmp_path)))
    for old, new in [
        ("probabilities = [0.9, 0.1]", "probabilities = { large = 0.1, small = 0.9 }"),
        ("small = 0.2", "small = [0.8, 0.2]"),
        ("small = 0.2", "small = { filled = 0.2, empty = 0.8 }"),
        ('"small, empty" = 0.1', '"small,empty" = 0.1'),
        ('parents = ["Image"]', 'parents = "Image"'),
        ('parents = ["Image"]', 'given = ["Image"]'),
    ]:
        assert facts(cb.read_world(shop(tmp_path, changed(old, new)))) == world


def test_costs_and_arms_may_be_written_in_every_way_that_a_problem_takes(tmp_path: Path) -> None:
    def costs(cost: str, more: str = "") -> tuple[int, ...]:
        return read(
            shop(tmp_path, more + changed("[cost]\nImage = 2\n", "", changed('policy = "crm-nb"', cost)))
        ).problem.exact_costs

    assert costs("cost = 1.1") == (1_000_000, 1_100_000, 1_100_000)
    assert costs("cost = [0.5, 2, 3]") == (500_000, 2_000_000, 3_000_000)
    assert costs('cost = { "do()" = 0.25, "do(Image=large)" = 3, Image = 2 }') == (250_000, 2_000_000, 3_000_000)
    assert costs("cost = 3", 'arms = ["do(Image=large, Cart=filled)", { Image = "small" }]\n') == (
        1_000_000,
        3_000_000,
        3_000_000,
    )


def test_money_is_exact(tmp_path: Path) -> None:
    problem = read(shop(tmp_path, changed("50.5", "9007199253.999999"))).problem
    assert problem.exact_budget == 9_007_199_253_999_999


def test_true_and_false_are_values_as_toml_writes_them(tmp_path: Path) -> None:
    text = (
        without_probabilities().replace('["no", "yes"]', "[false, true]").replace('success = "yes"', "success = true")
    )
    problem = read(shop(tmp_path, text)).problem
    assert (problem.graph["Buy"].values, problem.reward.success) == (("false", "true"), "true")


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = shop(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + SHOP.replace("\n", "\r\n").encode())
    assert facts(cb.read_world(path)) == facts(cb.read_world(shop(tmp_path)))


def test_a_problem_that_no_file_can_describe_is_not_written() -> None:
    graph = cb.Graph((cb.Variable("X", (" a", "b")), cb.Variable("Y", ("0", "1"), ("X",))))
    with pytest.raises(cb.InputError, match="' a' of X begins or ends with a blank"):
        dumps(cb.Problem(graph, "Y", budget=9))
    plain = cb.Graph((cb.Variable("X", ("a", "b")), cb.Variable("Y", ("0", "1"), ("X",))))
    with pytest.raises(cb.InputError, match="reward Y is real, but its values suggest another kind"):
        dumps(cb.Problem(plain, cb.Reward("Y", "real"), budget=9))
    with pytest.raises(cb.InputError, match="another world"):
        dumps(cb.Problem(plain, "Y", budget=9), world=cb.worlds.marketing())


def test_writing_to_a_folder_instead_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError, match="cannot be written: is a directory"):
        write(tmp_path, cb.worlds.marketing().problem(budget=9))


def test_a_real_reward_is_the_same_variable_in_the_problem_and_in_the_world(tmp_path: Path) -> None:
    setup = read(shop(tmp_path, changed("noise = 0.1", "noise = 0.1\nintervenable = true", CHAIN)))
    assert setup.problem.graph["Y"].intervenable
    assert world_of(setup).graph == setup.problem.graph


def test_the_example_is_the_marketing_world() -> None:
    assert facts(cb.read_world(EXAMPLE)) == facts(cb.worlds.marketing())
    setup = cb.read_problem(EXAMPLE)
    assert setup.problem.graph == cb.worlds.marketing().graph
    assert (setup.problem.objective, setup.policy) == ("earn", None)
