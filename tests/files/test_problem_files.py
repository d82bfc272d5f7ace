"""Problem files: what is written is read back the same, and a mistake is answered with the file, the line and the key."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import causalbandits as cb
from causalbandits.cli import app
from causalbandits.files import Setup, dumps, read, write
from causalbandits.files.forms import policy_to, problem_to
from causalbandits.files.toml.source import lines_of
from causalbandits.files.world_files import world_of
from causalbandits.mechanisms import Linear

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "marketing.toml"

SHOP = """\
reward = "Buy"
success = "yes"
budget = 50.5
policy = "crm-nb"

[cost]
Image = 2

[variables.Image]
values = ["small", "large"]
probabilities = [0.9, 0.1]

[variables.Cart]
values = ["empty", "filled"]
parents = ["Image"]
intervenable = false

[variables.Cart.table]
small = 0.2
large = 0.5

[variables.Buy]
values = ["no", "yes"]
parents = ["Image", "Cart"]

[variables.Buy.table]
"small, empty" = 0.1
"small, filled" = 0.6
"large, empty" = 0.2
"large, filled" = 0.7
"""

CHAIN = """\
reward = "Y"
horizon = 30

[variables.X]
values = [0, 1]
probabilities = 0.3

[variables.Y]
values = "real"
weights = { X = 0.5 }
noise = 0.1
"""

REVEALED = (
    CHAIN
    + """
[reward_parents]
"do()" = [0.7, 0.3]
"do(X=0)" = { 0 = 1, 1 = 0 }
"do(X=1)" = [0, 1]
"""
)


def shop(folder: Path, text: str = SHOP) -> Path:
    path = folder / "shop.toml"
    path.write_text(text)
    return path


def changed(old: str, new: str, text: str = SHOP) -> str:
    assert text.count(old) == 1, f"{old!r} must be there once"
    return text.replace(old, new)


def without_probabilities(text: str = SHOP) -> str:
    """The file as a problem only."""
    sections = [section for section in text.split("\n\n") if ".table]" not in section]
    return "\n".join(line for line in "\n\n".join(sections).split("\n") if not line.startswith("probabilities")) + "\n"


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
    return (one.graph, one.reward, problem_to(one)) == (other.graph, other.reward, problem_to(other))


# What is written is read back


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
def test_any_name_that_an_intervention_can_have_can_be_written(
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
    assert policy_to(setup.policy) == policy_to(policy)
    assert (setup.seed, setup.lease) == (7, 2.5)


def test_a_file_that_says_little_takes_the_defaults(tmp_path: Path) -> None:
    setup = read(shop(tmp_path, changed('policy = "crm-nb"\n', "", without_probabilities())))
    assert (setup.name, setup.policy, setup.seed, setup.lease, setup.tables) == ("shop", None, None, None, None)
    assert setup.problem.budget == 50_500_000
    assert [str(arm) for arm in setup.problem.arms] == ["do()", "do(Image=small)", "do(Image=large)"]


def test_every_way_to_write_a_row_means_the_same(tmp_path: Path) -> None:
    world = facts(world_of(shop(tmp_path)))
    for old, new in [
        ("probabilities = [0.9, 0.1]", "probabilities = { large = 0.1, small = 0.9 }"),
        ("small = 0.2", "small = [0.8, 0.2]"),
        ("small = 0.2", "small = { filled = 0.2, empty = 0.8 }"),
        ('"small, empty" = 0.1', '"small,empty" = 0.1'),
        ('parents = ["Image"]', 'parents = "Image"'),
        ('parents = ["Image"]', 'given = ["Image"]'),
    ]:
        assert facts(world_of(shop(tmp_path, changed(old, new)))) == world


def test_every_way_to_write_costs_and_arms_means_what_a_problem_takes(tmp_path: Path) -> None:
    def costs(cost: str, more: str = "") -> tuple[int, ...]:
        return read(
            shop(tmp_path, more + changed("[cost]\nImage = 2\n", "", changed('policy = "crm-nb"', cost)))
        ).problem.costs

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
    assert problem.budget == 9_007_199_253_999_999


def test_true_and_false_are_values_as_toml_writes_them(tmp_path: Path) -> None:
    text = (
        without_probabilities().replace('["no", "yes"]', "[false, true]").replace('success = "yes"', "success = true")
    )
    problem = read(shop(tmp_path, text)).problem
    assert (problem.graph["Buy"].values, problem.reward.success) == (("false", "true"), "true")


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = shop(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + SHOP.replace("\n", "\r\n").encode())
    assert facts(world_of(path)) == facts(world_of(shop(tmp_path)))


def test_what_no_file_can_say_is_not_written() -> None:
    graph = cb.Graph((cb.Variable("X", (" a", "b")), cb.Variable("Y", ("0", "1"), ("X",))))
    with pytest.raises(cb.InputError, match="' a' of X begins or ends with a blank"):
        dumps(cb.Problem(graph, "Y", budget=9))
    plain = cb.Graph((cb.Variable("X", ("a", "b")), cb.Variable("Y", ("0", "1"), ("X",))))
    with pytest.raises(cb.InputError, match="reward Y is real, which its values do not suggest"):
        dumps(cb.Problem(plain, cb.Reward("Y", "real"), budget=9))
    with pytest.raises(cb.InputError, match="another world"):
        dumps(cb.Problem(plain, "Y", budget=9), world=cb.worlds.marketing())


def test_a_folder_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError, match="cannot be written: is a directory"):
        write(tmp_path, cb.worlds.marketing().problem(budget=9))


# Mistakes

MISTAKES: list[tuple[str, str, str]] = [
    (
        "a syntax error",
        changed("budget = 50.5", "budget 50.5"),
        "line 3: This is not TOML: expected '=' .* in 'budget 50.5'; correct that line",
    ),
    (
        "a key twice",
        changed("budget = 50.5", "budget = 5\nbudget = 6"),
        "line 4: This is not TOML: cannot overwrite a value",
    ),
    ("an open quotation mark", SHOP + 'name = "x', "line 31: This is not TOML: "),
    ("an empty file", "", "The file is empty; begin with reward"),
    ("a file of comments", "# nothing\n", "The file is empty"),
    ("a number out of all bounds", changed("50.5", "1e-99999"), "a number that is out of all bounds: 1e-99999"),
    ("deep nesting", "x = " + "[" * 5000 + "]" * 5000, "too deeply"),
    ("an unknown key", changed("budget", "buget"), "line 3, buget: There is no key 'buget'; did you mean 'budget'"),
    (
        "an unknown key of a variable",
        changed("intervenable", "intervenible"),
        "line 16, variables.Cart.intervenible: .* did you mean 'intervenable'",
    ),
    (
        "a key in the wrong section",
        changed("Image = 2\n", "Image = 2\nseed = 4\n"),
        "line 8, cost.seed: seed belongs to the whole file; move it to the top",
    ),
    (
        "a key in a variable's section",
        SHOP.replace("intervenable = false", "horizon = 4"),
        "line 16, variables.Cart.horizon: horizon belongs to the whole",
    ),
    ("no reward", changed('reward = "Buy"\n', ""), "reward: The key reward is missing; add reward = "),
    ("no variables", 'reward = "Buy"\nbudget = 3\n', "variables: The key variables is missing; add a section"),
    (
        "no values",
        changed('values = ["small", "large"]\n', ""),
        r'line 9, variables.Image.values: The key values is missing; add values = \["no", "yes"\]',
    ),
    ("a word for a number", changed("50.5", '"lots"'), 'line 3, budget: This must be a number, not "lots".'),
    ("a number in quotation marks", changed("50.5", '"50"'), 'not "50"; leave out the quotation marks'),
    ("a date for a number", changed("50.5", "2024-01-01"), "budget: This must be a number, not 2024-01-01"),
    ("true for a number", changed("50.5", "true"), "budget: This must be a number, not true"),
    (
        "a word for true",
        changed("intervenable = false", 'hidden = "no"'),
        'line 16, variables.Cart.hidden: This must be true or false, not "no"',
    ),
    ("a number for a name", changed('"Buy"', "3"), "line 1, reward: This must be text in quotation marks, not 3"),
    ("a text for arms", 'arms = "Image"\n' + SHOP, r'line 1, arms: This must be a list, in \[ \], not "Image"'),
    (
        "an arm that is a number",
        'arms = ["Image", 3]\n' + SHOP,
        r'line 1, arms \(entry 2\): An arm is written "do\(X=1\)"',
    ),
    (
        "a list for a section",
        "variables = []\n" + SHOP[: SHOP.index("[")],
        r"line 1, variables: This must be a section, or a table in \{ \}, not an empty list",
    ),
    (
        "a variable that is a number",
        without_probabilities() + "[variables]\nQ = 3\n",
        "line 2[0-9], variables.Q: This must be a section",
    ),
    (
        "values that are no list",
        changed('values = ["small", "large"]', 'values = "small"'),
        'variables.Image.values: The values must be a list such as .* not "small"',
    ),
    (
        "no value at all",
        changed('values = ["small", "large"]', "values = []"),
        "variables.Image.values: .* not an empty list",
    ),
    (
        "a value that is a list",
        changed('values = ["small", "large"]', "values = [[1], 2]"),
        "variables.Image.values: A value must be text or a number, not a list",
    ),
    (
        "one value",
        changed('["small", "large"]', '["small"]'),
        "line 9, variables.Image: Variable Image has the single value 'small'",
    ),
    (
        "a value twice",
        changed('["small", "large"]', '["small", "small"]'),
        "line 9, variables.Image: Variable Image lists a value twice",
    ),
    (
        "parents that are numbers",
        changed('parents = ["Image"]', "parents = [1]"),
        "line 15, variables.Cart.parents: This must be a list of names",
    ),
    (
        "a missing variable",
        changed('parents = ["Image"]', 'parents = ["Imge"]'),
        "line 15, variables.Cart.parents: There is no variable 'Imge'; did you mean 'Image'",
    ),
    ("a cycle", changed("[0.9, 0.1]", '[0.9, 0.1]\nparents = ["Buy"]'), "variables: The graph has the cycle"),
    (
        "a name that cannot be written",
        SHOP + '[variables."a=b"]\nvalues = [0, 1]',
        r'line 31, variables."a=b": A variable cannot be called',
    ),
    (
        "an unknown reward",
        changed('reward = "Buy"', 'reward = "Bye"'),
        "line 1, reward: There is no variable 'Bye'; did you mean 'Buy'",
    ),
    ("a hidden reward", changed('["no", "yes"]', '["no", "yes"]\nhidden = true'), "success: The reward Buy is hidden"),
    ("a long number", changed("50.5", f'"{"9" * 200}"'), r'not "9{39}\.\.\.; leave out the quotation marks\.$'),
    ("no success", changed('success = "yes"\n', ""), "line 1, reward: Say which value of the reward Buy counts as 1"),
    (
        "an unknown success",
        changed('success = "yes"', 'success = "yess"'),
        "line 2, success: There is no value of Buy 'yess'; did you mean 'yes'",
    ),
    ("success and bounds", "bounds = [0, 1]\n" + SHOP, "line 1, bounds: The reward Buy cannot be both binary"),
    (
        "three bounds",
        "bounds = [0, 1, 2]\n" + changed('success = "yes"\n', ""),
        "line 1, bounds: The bounds must be two numbers, .* not 3",
    ),
    (
        "bounds in words",
        'bounds = [0, "high"]\n' + SHOP,
        r'line 1, bounds \(entry 2\): This must be a number, not "high"',
    ),
    (
        "budget and horizon",
        "horizon = 5\n" + changed("[cost]\nImage = 2\n", ""),
        "budget: Give a problem either a budget or a horizon",
    ),
    (
        "neither budget nor horizon",
        changed("budget = 50.5\n", "", changed("[cost]\nImage = 2\n", "")),
        "shop.toml: Give a problem either a budget or a horizon",
    ),
    (
        "a budget that is not a number",
        changed("50.5", "nan"),
        "line 3, budget: The budget must be a positive number, not NaN",
    ),
    ("an infinite budget", changed("50.5", "inf"), "line 3, budget: The budget must be a positive number"),
    ("a negative budget", changed("50.5", "-1"), "line 3, budget: The budget must be a positive number, not -1"),
    (
        "a budget with seven decimals",
        changed("50.5", "5.0000001"),
        "line 3, budget: The budget may have at most six decimals",
    ),
    (
        "a budget that only a float would round",
        changed("50.5", "50.00000000000000001"),
        "line 3, budget: The budget may have at most six decimals",
    ),
    ("a budget below every cost", changed("50.5", "0.5"), "The budget 0.5 is below the cheapest arm"),
    ("half a round", changed("30", "30.5", CHAIN), "line 2, horizon: This must be a whole number, not 30.5"),
    (
        "no rounds",
        changed("30", "0", CHAIN),
        "line 2, horizon: The horizon must be a whole number of rounds, at least 1, not 0",
    ),
    ("a cost with a horizon", "cost = 2\n" + CHAIN, "line 1, cost: With a horizon every arm costs one round"),
    (
        "a cost in words",
        changed("Image = 2", 'Image = "dear"'),
        'line 7, cost.Image: This must be a number, not "dear"',
    ),
    (
        "a cost of zero",
        changed("Image = 2", "Image = 0"),
        "line 7, cost.Image: The cost of Image must be a positive number, not 0",
    ),
    (
        "a cost of an unknown arm",
        changed("Image = 2", 'Image = 2\n"do(Image=larg)" = 3'),
        r"cost: There is no arm 'do\(Image=larg\)'; did you mean",
    ),
    (
        "a cost of an unknown variable",
        changed("Image = 2", "Imagee = 2"),
        "line 6, cost: There is no variable that an arm sets 'Imagee'; did you mean 'Image'",
    ),
    (
        "an arm without a cost",
        changed("Image = 2", '"do(Image=large)" = 2'),
        r"line 6, cost: The arm do\(Image=small\) has no cost",
    ),
    (
        "too few costs",
        "cost = [1, 2]\n" + changed("[cost]\nImage = 2\n", ""),
        "line 1, cost: There are 2 costs for 3 arms",
    ),
    (
        "an arm twice",
        'arms = ["Image", "do(Image=large)"]\n' + SHOP,
        r"line 1, arms: The arm do\(Image=large\) is there twice",
    ),
    (
        "a hidden arm",
        'arms = ["Image"]\n' + changed("probabilities = [0.9, 0.1]", "probabilities = [0.9, 0.1]\nhidden = true"),
        "line 1, arms: .* which is hidden",
    ),
    (
        "an arm of an unknown value",
        'arms = ["do(Image=huge)"]\n' + SHOP,
        "line 1, arms: There is no value of Image 'huge'",
    ),
    ("no arms", "arms = []\n" + SHOP, "line 1, arms: A problem needs at least one intervention"),
    (
        "a strict problem with a backdoor path",
        "strict = true\narms = ['Cart']\n" + SHOP.replace("Image = 2", "Cart = 2"),
        "line 1, strict: A strict problem .* Cart <- Image -> Buy",
    ),
    (
        "an unknown objective",
        'objective = "win"\n' + SHOP,
        'line 1, objective: The objective is "find" .* or "earn" .*, not \'win\'',
    ),
    ("an objective that is a number", "objective = 3\n" + SHOP, 'line 1, objective: The objective is "find" .* not 3'),
    (
        "an unknown policy",
        changed("crm-nb", "crm-bn"),
        "line 4, policy: There is no policy 'crm-bn'; did you mean 'crm-nb'",
    ),
    (
        "an unknown parameter",
        changed('"crm-nb"', '{ kind = "crm-nb", explore = 2 }'),
        "line 4, policy: There is no parameter of crm-nb called 'explore'; did you mean",
    ),
    (
        "a parameter in words",
        changed('"crm-nb"', '{ kind = "crm-nb", exploration = "high" }'),
        "line 4, policy: The parameter exploration of crm-nb must be a finite float",
    ),
    (
        "a negative parameter",
        changed('"crm-nb"', '{ kind = "crm-nb", exploration = -0.5 }'),
        "line 4, policy: .* at least 0, not -0.5",
    ),
    (
        "a policy without its kind",
        changed('"crm-nb"', "{ exploration = 2 }"),
        'line 4, policy: A policy is written "crm-nb" or',
    ),
    (
        "a policy whose name is a number",
        changed('"crm-nb"', '{ kind = "crm-nb", name = 3 }'),
        "line 4, policy: The name of a policy must be text",
    ),
    ("a negative seed", "seed = -1\n" + SHOP, "line 1, seed: The seed must be a whole number, at least 0, not -1"),
    (
        "a lease of nothing",
        "lease = 0\n" + SHOP,
        "line 1, lease: The lease must be a number of seconds between 0.001 and 31622400, not 0",
    ),
    (
        "an endless lease",
        "lease = inf\n" + SHOP,
        "line 1, lease: The lease must be a number of seconds between 0.001 and 31622400, not Infinity",
    ),
    (
        "a lease of 30 years",
        "lease = 1e9\n" + SHOP,
        "line 1, lease: The lease must be a number of seconds between 0.001 and 31622400, not 1",
    ),
    (
        "a number too large for a weight",
        changed("0.5", "1" + "0" * 400, CHAIN),
        "line 10, variables.Y.weights.X: This number is too large",
    ),
    (
        "no probabilities for one variable",
        changed("probabilities = [0.9, 0.1]\n", ""),
        "line 9, variables.Image: Image has no probabilities, but others have; add probabilities",
    ),
    (
        "no table for one variable",
        changed("[variables.Cart.table]\nsmall = 0.2\nlarge = 0.5\n", ""),
        r"line 13, variables.Cart: Cart has no table, but others have; add a section \[variables.Cart.table\]",
    ),
    (
        "no weights",
        changed("weights = { X = 0.5 }", 'parents = ["X"]', CHAIN),
        "line 8, variables.Y: Y has no weights, but others have",
    ),
    ("no noise", changed("noise = 0.1\n", "", CHAIN), "line 8, variables.Y: Y has weights and no noise; add noise"),
    (
        "probabilities of a variable with parents",
        changed("intervenable = false", "probabilities = 0.3"),
        r"line 16, variables.Cart.probabilities: Cart depends on Image; give a row .* \[variables.Cart.table\]",
    ),
    (
        "a table of a variable without parents",
        changed("probabilities = [0.9, 0.1]", "table = { a = 1 }"),
        "line 11, variables.Image.table: Image depends on nothing; give probabilities",
    ),
    (
        "weights of named values",
        changed("probabilities = [0.9, 0.1]", "weights = { Q = 1 }\nparents = []"),
        "line 11, variables.Image.weights: Image depends on nothing",
    ),
    (
        "a table of a real number",
        changed("noise = 0.1", "table = { 0 = 1 }", CHAIN),
        "line 11, variables.Y.table: Y is a real number",
    ),
    (
        "a cause that is no parent",
        changed("intervenable = false", 'given = ["Buy"]'),
        "line 16, variables.Cart.given: Cart depends on 'Buy', which is not among its parents",
    ),
    (
        "a weight of no parent",
        changed("noise = 0.1", "noise = 0.1\nparents = []", CHAIN),
        "line 10, variables.Y.weights: Y depends on 'X', which is not among",
    ),
    (
        "a row that names too little",
        changed('"small, empty"', "small"),
        "line 27, variables.Buy.table.small: A key here names a value for each of Image, Cart, .* names 1",
    ),
    (
        "a row of an unknown value",
        changed('"small, empty"', '"smal, empty"'),
        """line 27, variables.Buy.table."smal, empty": There is no value of Image 'smal'; did you mean 'small'""",
    ),
    (
        "a row twice",
        changed('"small, filled"', '"small,empty"'),
        'line 28, variables.Buy.table."small,empty": This row is there twice',
    ),
    (
        "a probability in words",
        changed("small = 0.2", 'small = "rare"'),
        'line 19, variables.Cart.table.small: This must be a number, not "rare"',
    ),
    (
        "a probability in words in a list",
        changed("small = 0.2", 'small = [1, "rare"]'),
        r"line 19, variables.Cart.table.small \(entry 2\): This must be a number",
    ),
    (
        "a probability in words by value",
        changed("small = 0.2", 'small = { empty = "rare" }'),
        "line 19, variables.Cart.table.small.empty: This must be a number",
    ),
    (
        "revealed parents of an unknown arm",
        REVEALED.replace("do(X=1)", "do(X=2)"),
        r'line 16, reward_parents."do\(X=2\)": There is no arm',
    ),
    (
        "revealed parents of an arm twice",
        REVEALED + '"do( X=1)" = [0, 1]\n',
        r'reward_parents."do\( X=1\)": The arm do\(X=1\) is there twice',
    ),
    (
        "revealed parents that leave out an arm",
        REVEALED.replace('"do()" = [0.7, 0.3]\n', ""),
        r"line 13, reward_parents: There is no row for the arm do\(\)",
    ),
    (
        "revealed parents that leave out a configuration",
        REVEALED.replace(", 1 = 0", ""),
        r'line 15, reward_parents."do\(X=0\)": There is no probability for "1"',
    ),
    (
        "revealed parents of an unknown configuration",
        REVEALED.replace(", 1 = 0", ", 2 = 0"),
        r'line 15, reward_parents."do\(X=0\)".2: There is no value of X',
    ),
    (
        "too few revealed parents",
        REVEALED.replace("[0.7, 0.3]", "[0.7]"),
        r'line 14, reward_parents."do\(\)": There must be 2 probabilities, .* not 1',
    ),
    (
        "revealed parents that do not sum to 1",
        REVEALED.replace("[0.7, 0.3]", "[0.7, 0.2]"),
        r"line 13, reward_parents: The parents' distribution under do\(\) sums to 0.9",
    ),
    (
        "revealed parents of nothing",
        'reward = "Y"\nhorizon = 3\nreward_parents = {}\n[variables.X]\nvalues = [0, 1]\n[variables.Y]\nvalues = [0, 1]\n',
        "line 3, reward_parents: .* leave this section out",
    ),
]

WORLD_MISTAKES: list[tuple[str, str, str]] = [
    (
        "no probabilities",
        without_probabilities(),
        "shop.toml: The file has no probabilities, so it is a problem and not a world; give every variable",
    ),
    (
        "a row that does not sum to 1",
        changed("small = 0.2", "small = [0.5, 0.4]"),
        "line 19, variables.Cart.table.small: The distribution of Cart sums to 0.9",
    ),
    (
        "probabilities that do not sum to 1",
        changed("[0.9, 0.1]", "[0.9, 0.2]"),
        "line 11, variables.Image.probabilities: The distribution of Image sums to 1.1",
    ),
    (
        "three probabilities of two values",
        changed("[0.9, 0.1]", "[0.9, 0.1, 0]"),
        "line 11, variables.Image.probabilities: .* has 3 probabilities for 2 values",
    ),
    (
        "a negative probability",
        changed("small = 0.2", "small = -0.2"),
        "line 19, variables.Cart.table.small: .* negative",
    ),
    (
        "a probability that is not a number",
        changed("small = 0.2", "small = nan"),
        "line 19, variables.Cart.table.small: .* not a number",
    ),
    (
        "a row that leaves out a value",
        changed("small = 0.2", "small = { empty = 1 }"),
        r"line 19, variables.Cart.table.small: .* leaves out \['filled'\]",
    ),
    (
        "a missing row",
        changed("small = 0.2\n", ""),
        "line 18, variables.Cart.table: The table of Cart has no row for Image=small; add it",
    ),
    ("a negative noise", changed("noise = 0.1", "noise = -1", CHAIN), "line 8, variables.Y: .* the noise not negative"),
    (
        "a linear reward of names",
        changed("[0, 1]", '["a", "b"]', CHAIN),
        "shop.toml: The values .* must be finite numbers, for Y is linear in X",
    ),
    ("bounds of a Gaussian", "bounds = [0, 1]\n" + CHAIN, "shop.toml: Y has Gaussian noise and so no bounds"),
]


def complaint(path: Path) -> str | None:
    """What is said about a file, or None if it is a world."""
    try:
        world_of(path)
    except cb.InputError as error:
        return str(error)
    return None


def refused(path: Path, pattern: str, reader: Any) -> None:
    with pytest.raises(cb.InputError, match=pattern) as caught:
        reader(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    assert text.count(str(path)) == 1
    assert re.search(r"[.?]$", text)
    assert not re.search(r"pydantic|https?:|Input should|validation|Decimal", text)


@pytest.mark.parametrize(
    ("text", "pattern"), [pytest.param(text, pattern, id=name) for name, text, pattern in MISTAKES]
)
def test_a_mistake_in_a_file_is_told_with_its_place(text: str, pattern: str, tmp_path: Path) -> None:
    refused(shop(tmp_path, text), pattern, cb.read_problem)


@pytest.mark.parametrize(
    ("text", "pattern"), [pytest.param(text, pattern, id=name) for name, text, pattern in WORLD_MISTAKES]
)
def test_a_mistake_in_a_world_is_told_with_its_place_and_leaves_the_problem(
    text: str, pattern: str, tmp_path: Path
) -> None:
    path = shop(tmp_path, text)
    read(path)
    refused(path, pattern, cb.read_world)


KEYS = st.sampled_from(
    [
        "reward",
        "success",
        "bounds",
        "budget",
        "horizon",
        "cost",
        "arms",
        "observe",
        "strict",
        "objective",
        "policy",
        "seed",
        "lease",
        "name",
        "reward_parents",
    ]
)
SECTION_KEYS = st.sampled_from(
    ["values", "parents", "hidden", "intervenable", "given", "probabilities", "table", "weights", "noise", "intercept"]
)
SCALARS = st.sampled_from(
    [
        '"X"',
        '"Y"',
        '"do(X=1)"',
        '"do("',
        '"real"',
        '""',
        '"0, 1"',
        "0",
        "1",
        "-3",
        "0.5",
        "inf",
        "nan",
        "1e300",
        "true",
        "1979-05-27",
        "1" + "0" * 400,
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(
            st.sampled_from(["X", "0", "1", "kind", '"do()"', '"do(X=0)"', '"0, 1"']), inner, max_size=3
        ).map(lambda items: "{ " + ", ".join(f"{key} = {value}" for key, value in items.items()) + " }")
    ),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(
    top=st.dictionaries(KEYS, VALUES, max_size=2),
    inside=st.dictionaries(st.tuples(st.sampled_from("XY"), SECTION_KEYS), VALUES, max_size=2),
    dropped=st.integers(0, 30),
)
def test_whatever_a_file_says_the_answer_is_a_world_or_one_sentence(
    top: dict[str, str], inside: dict[tuple[str, str], str], dropped: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [f"{key} = {value}" for key, value in top.items()]
    section = ""
    for line in (line for number, line in enumerate(REVEALED.splitlines()) if number != dropped):
        key = line.split(" = ")[0]
        section = line.strip("[]").removeprefix("variables.") if line.startswith("[") else section
        if (
            (key in top and not section)
            or (section, key) in inside
            or (key == "[reward_parents]" and "reward_parents" in top)
        ):
            continue
        if "reward_parents" in top and section == "reward_parents":
            continue
        lines += [line, *(f"{key} = {value}" for (name, key), value in inside.items() if line == f"[variables.{name}]")]
    path = shop(tmp_path_factory.mktemp("files"), "\n".join(lines) + "\n")
    said = complaint(path)
    if said is not None:
        assert re.fullmatch(r"[^\n]*[.?]", said)
        assert said.count(str(path)) == 1


def test_a_real_reward_is_the_same_variable_in_the_problem_and_in_the_world(tmp_path: Path) -> None:
    setup = read(shop(tmp_path, changed("noise = 0.1", "noise = 0.1\nintervenable = true", CHAIN)))
    assert setup.problem.graph["Y"].intervenable
    assert world_of(setup).graph == setup.problem.graph


def test_the_files_with_which_mistakes_are_made_have_none(tmp_path: Path) -> None:
    for text in (SHOP, CHAIN, REVEALED):
        world_of(shop(tmp_path, text))
    np.testing.assert_array_equal(read(shop(tmp_path, REVEALED)).problem.parents, [[0.7, 0.3], [1, 0], [0, 1]])


def test_a_file_that_cannot_be_read_is_answered_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError, match=r"^There is no file '.*none.toml'\.$"):
        read(tmp_path / "none.toml")
    with pytest.raises(cb.InputError, match=r" is a folder; name a file in it\.$"):
        read(tmp_path)
    (tmp_path / "latin.toml").write_bytes('name = "Käse"'.encode("latin-1"))
    with pytest.raises(
        cb.InputError, match=r"latin.toml: The file is not UTF-8 text, from byte 10 on; save it as UTF-8\.$"
    ):
        read(tmp_path / "latin.toml")
    (tmp_path / "file").touch()
    with pytest.raises(cb.InputError, match=r" cannot be read: not a directory\.$"):
        read(tmp_path / "file" / "shop.toml")
    with pytest.raises(cb.InputError, match=r" cannot be read: embedded null byte\.$"):
        read("a\0b")


def test_lines_are_found_for_quoted_dotted_and_sectioned_keys() -> None:
    text = 'a = 1\n[b."c.d"]\n"do(X=1)" = 2\ne.f = 3\n\n[[g]]\nh = { i = 1 }\n'
    assert lines_of(text) == {
        ("a",): 1,
        ("b", "c.d"): 2,
        ("b", "c.d", "do(X=1)"): 3,
        ("b", "c.d", "e", "f"): 4,
        ("g",): 6,
        ("g", "h"): 7,
    }


def test_without_pydantic_the_extra_is_named() -> None:
    code = f"import sys; sys.modules['pydantic'] = None\nimport causalbandits as cb\ncb.read_problem({str(EXAMPLE)!r})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stderr.splitlines()[-1].endswith(
        "InputError: Problem files need pydantic; install causalbandits[live]."
    )


# The example and the commands


def test_the_example_is_the_marketing_world() -> None:
    assert facts(cb.read_world(EXAMPLE)) == facts(cb.worlds.marketing())
    setup = cb.read_problem(EXAMPLE)
    assert setup.problem.graph == cb.worlds.marketing().graph
    assert (setup.problem.objective, setup.policy) == ("earn", None)


def answer(*words: object) -> str:
    found = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert found.exit_code == 0
    return found.stdout


def test_check_says_what_watching_tells_about_and_what_the_policy_says(tmp_path: Path) -> None:
    said = json.loads(answer("check", EXAMPLE, "--json"))
    paths = {arm["arm"]: (arm["cost"], arm["watching_tells"], arm["backdoor_path"]) for arm in said["arms"]}
    assert paths["do(Promotion=yes)"] == ("5.5", False, "Promotion <- Season -> Purchase")
    assert paths["do(Image=large)"] == ("2", True, None)
    assert (said["budget"], said["hidden"], said["policy"], said["refusal"], said["is_world"]) == (
        "500",
        ["Season"],
        "causal-kl",
        None,
        True,
    )
    advice = cb.recommend_policy(cb.read_problem(EXAMPLE).problem)
    assert (said["objective"], said["why"]) == ("earn", advice.why)
    lines = answer("check", EXAMPLE).splitlines()
    assert lines[0] == "marketing: 9 arms, budget 500; the reward is Purchase (yes counts as 1)."
    assert re.fullmatch(r"do\(Promotion=yes\) +5.5  no: Promotion <- Season -> Purchase", lines[-4])
    assert lines[-3:] == [
        "The objective: earn.",
        f"The file names no policy; {advice}",
        "It is a world as well: it can be simulated.",
    ]
    named = json.loads(answer("check", shop(tmp_path), "--json"))
    assert (named["objective"], named["policy"], named["why"]) == ("find", "crm-nb", None)
    assert answer("check", shop(tmp_path)).splitlines()[-2] == "The policy crm-nb accepts it."
    unwatched = answer("check", shop(tmp_path, "observe = false\n" + CHAIN)).splitlines()
    assert unwatched[0] == "shop: 2 arms, horizon 30 rounds; the reward is Y (a real number)."
    assert unwatched[2:4] == [
        "do(X=0)     1  no: the observation is not an arm",
        "do(X=1)     1  no: the observation is not an arm",
    ]
    assert unwatched[4] == "The objective: find."
    assert unwatched[5].startswith("The file names no policy; ")


def test_check_fails_where_the_policy_refuses_and_where_the_probabilities_are_wrong(tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["check", str(shop(tmp_path, changed("crm-nb", "c-ucb", without_probabilities())))])
    assert found.exit_code == 1
    assert (
        "The policy c-ucb refuses it: c-ucb must know P(parents of Buy | do(a)); make the problem with reveal_parents=True, or give [reward_parents]"
        in found.stdout
    )
    with pytest.raises(cb.InputError, match=r"sums to 0\.9"):
        answer("check", shop(tmp_path, changed("small = 0.2", "small = [0.5, 0.4]")))


def test_simulate_gives_what_the_library_gives(tmp_path: Path) -> None:
    path, out = shop(tmp_path, "seed = 9\n" + SHOP), tmp_path / "result.npz"
    world, problem = cb.read_world(path), cb.read_problem(path).problem
    wanted = cb.simulate(world, problem, ["crm-nb", "f-kube"], runs=20, seed=9, checkpoints=[20, 50.5])
    said = answer(
        "simulate",
        path,
        "--runs",
        20,
        "--policy",
        "crm-nb",
        "--policy",
        "f-kube",
        "--checkpoints",
        "20,50.5",
        "--out",
        out,
        "--json",
    )
    found = json.loads(said)
    assert (found["runs"], found["seed"], found["checkpoints"]) == (20, 9, [20, 50.5])
    for label, row in wanted.summary().items():
        assert found["policies"][label]["simple_regret"]["mean"] == row.simple_regret.mean
        assert [e["mean"] for e in found["policies"][label]["cumulative_regret"]] == pytest.approx(
            wanted.cumulative_regret[label].mean(axis=0)
        )
    np.testing.assert_array_equal(cb.load(out).pulls["f-kube"], wanted.pulls["f-kube"])
    table = answer(
        "simulate", path, "--runs", 20, "--policy", "crm-nb", "--policy", "f-kube", "--checkpoints", "20,50.5"
    )
    assert table.startswith(str(wanted.summary()))
    assert [line.split()[0] for line in table.splitlines()[-3:]] == ["checkpoint", "20", "50.5"]


def test_simulate_takes_the_seed_and_the_policy_of_the_file_unless_told_otherwise(tmp_path: Path) -> None:
    def said(path: Path, *words: str) -> tuple[int, list[str]]:
        found = json.loads(answer("simulate", path, "--runs", 2, "--json", *words))
        return found["seed"], list(found["policies"])

    plain = shop(tmp_path)
    assert said(plain) == (1, ["crm-nb"])
    told = shop(tmp_path, "seed = 0\n" + changed('"crm-nb"', '{ kind = "crm-nb", exploration = 8 }'))
    assert said(told) == (0, ["crm-nb(exploration=8)"])
    assert said(told, "--seed", "4", "--policy", "crm-nb", "--policy", "ucb") == (4, ["crm-nb(exploration=8)", "ucb"])


def test_one_run_has_no_standard_error_and_is_still_json(tmp_path: Path) -> None:
    found = json.loads(
        answer("simulate", shop(tmp_path), "--runs", 1, "--json"),
        parse_constant=lambda name: pytest.fail(f"{name} is not JSON"),
    )
    assert found["policies"]["crm-nb"]["simple_regret"]["standard_error"] is None


@pytest.mark.parametrize(
    ("text", "words", "pattern"),
    [
        (without_probabilities(), [], "shop.toml: The file has no probabilities"),
        (SHOP, ["--policy", "crm"], "There is no policy 'crm'; did you mean"),
        (SHOP, ["--policy", "c-ucb"], "shop.toml: c-ucb must know P"),
        (SHOP, ["--checkpoints", "10,lots"], "checkpoint must be a number, not 'lots'"),
        (SHOP, ["--out", "nowhere/result.npz"], "There is no folder 'nowhere' for the result"),
        (SHOP, ["--out", "."], "'.' is a folder; name a file in it"),
    ],
)
def test_simulate_answers_a_mistake_with_one_sentence(
    text: str, words: list[str], pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cb.InputError, match=pattern):
        answer("simulate", shop(tmp_path, text), "--runs", 2, *words)
