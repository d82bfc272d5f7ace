"""Bad input: one clear sentence that names the mistake, and nothing is spent."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb

COIN = {0: 0.5, 1: 0.5}


def chain() -> cb.World:
    return cb.worlds.confounded_chain()


def pair(**options: object) -> cb.World:
    """X -> Y with X a coin."""
    return cb.World(
        [cb.node("X", COIN), cb.node("Y", [0, 1], given="X", table={0: 0.2, 1: 0.8})], reward="Y", **options
    )


def confounded() -> cb.World:
    """X <- Z -> Y, X -> Y."""
    table = {(0, 0): 0.1, (0, 1): 0.2, (1, 0): 0.3, (1, 1): 0.4}
    return cb.World(
        [
            cb.node("Z", COIN),
            cb.node("X", [0, 1], given="Z", table={0: 0.3, 1: 0.6}),
            cb.node("Y", [0, 1], given=["X", "Z"], table=table),
        ],
        reward="Y",
    )


def cycle() -> cb.World:
    return cb.World(
        [
            cb.node("A", [0, 1], given="B", table={0: 0.5, 1: 0.5}),
            cb.node("B", [0, 1], given="A", table={0: 0.5, 1: 0.5}),
            cb.node("Y", COIN),
        ],
        reward="Y",
    )


def unequal_supports() -> cb.Problem:
    world = chain()
    return world.problem(horizon=50, observe=False, reveal_parents=True, arms=["X1", "do(W1=0)"])


def simulate(policy: object, problem: cb.Problem | None = None, **options: object) -> object:
    world = (
        pair()
        if problem is None or problem.graph == pair().graph
        else (chain() if "W1" in problem.graph else confounded())
    )
    return cb.simulate(world, problem or world.problem(budget=50, cost=2), policy, progress=False, **options)  # type: ignore[arg-type]


def two(table: object) -> cb.World:
    """A coin X and a reward Y with this table."""
    return cb.World([cb.node("X", COIN), cb.node("Y", [0, 1], given="X", table=table)], reward="Y")


class Empty(cb.Policy):
    """A policy without its four functions."""

    kind = "empty"
    reads = "rewards"


MISTAKES: list[tuple[str, Callable[[], object], str]] = [
    ("a cycle", cycle, r"cycle (A -> B -> A|B -> A -> B)"),
    (
        "an unknown parent",
        lambda: cb.World([cb.node("Y", [0, 1], given="Q", table={0: 0.1, 1: 0.2})], reward="Y"),
        "'Q'",
    ),
    ("an unknown variable", lambda: pair().mean("do(Z=1)"), "no variable 'Z'"),
    ("an unknown value", lambda: pair().mean("do(X=2)"), "no value of X '2'"),
    ("an unknown reward", lambda: cb.World([cb.node("X", COIN)], reward="Y"), "no variable 'Y'"),
    ("an unreadable intervention", lambda: pair().mean("X=1"), "do\\(X=1\\)"),
    ("an unknown policy", lambda: simulate("gama-nb"), "did you mean 'gamma-nb'"),
    ("something that is no policy", lambda: simulate([cb.UCB]), "instance such as"),
    ("no policy", lambda: simulate([]), "at least one policy"),
    ("a row that does not sum to 1", lambda: two({0: [0.5, 0.4], 1: 0.3}), "row X=0 of the table of Y sums to 0.9"),
    (
        "a root that does not sum to 1",
        lambda: cb.World([cb.node("Y", {0: 0.5, 1: 0.6})], reward="Y"),
        "distribution of Y sums to 1.1",
    ),
    ("a negative probability", lambda: cb.World([cb.node("Y", {0: -0.5, 1: 1.5})], reward="Y"), "negative"),
    ("a missing row", lambda: two({0: 0.5}), "no row for X=1"),
    ("a row for an unknown value", lambda: two({0: 0.5, 2: 0.5}), "no value of X '2'"),
    (
        "a binary reward without its success",
        lambda: cb.World([cb.node("Y", {"no": 0.5, "yes": 0.5})], reward="Y"),
        "success='yes'",
    ),
    ("a negative cost", lambda: pair().problem(budget=10, cost=-1), "positive number, not -1"),
    ("a cost of zero", lambda: pair().problem(budget=10, cost=0), "positive number, not 0"),
    ("a cost that is not a number", lambda: pair().problem(budget=10, cost=float("nan")), "positive number, not nan"),
    ("a cost in words", lambda: pair().problem(budget=10, cost={"X": "high"}), "must be a number, not 'high'"),
    ("a cost with seven decimals", lambda: pair().problem(budget=10, cost=1.0000001), "at most six decimals"),
    ("a cost for an unknown variable", lambda: pair().problem(budget=10, cost={"Q": 1}), "'Q'"),
    ("an arm without a cost", lambda: chain().problem(budget=10, cost={"X1": 1}), "do\\(X2=0\\) has no cost"),
    ("too few costs", lambda: pair().problem(budget=10, cost=[1, 2]), "2 costs for 3 arms"),
    (
        "a budget below the cheapest arm",
        lambda: pair().problem(budget=0.5, cost=2),
        "below the cheapest arm: do\\(\\) costs 1",
    ),
    ("a budget of zero", lambda: pair().problem(budget=0), "budget must be a positive number"),
    ("neither budget nor horizon", lambda: pair().problem(), "either a budget or a horizon"),
    ("both budget and horizon", lambda: pair().problem(budget=3, horizon=3), "either a budget or a horizon"),
    ("a horizon that is not whole", lambda: pair().problem(horizon=2.5), "whole number of rounds"),
    ("a cost with a horizon", lambda: pair().problem(horizon=5, cost=2), "give a budget to use costs"),
    ("no arms", lambda: pair().problem(budget=10, arms=[]), "at least one intervention"),
    ("an arm twice", lambda: pair().problem(budget=10, arms=["do(X=1)", {"X": 1}]), "do\\(X=1\\) is listed twice"),
    ("an arm that sets the reward", lambda: pair().problem(budget=10, arms=["Y"]), "sets the reward Y"),
    (
        "obs with a backdoor path",
        lambda: simulate(cb.Observe(), confounded().problem(budget=50)),
        "do\\(X=0\\) has the backdoor path X <- Z -> Y",
    ),
    (
        "a strict problem with a backdoor path",
        lambda: confounded().problem(budget=50, strict=True),
        "do\\(X=0\\) has the backdoor path X <- Z -> Y",
    ),
    ("c-ucb without the parents", lambda: simulate(cb.CUCB()), "reveal_parents=True"),
    (
        "c-ucb-2 with unequal supports",
        lambda: simulate(cb.CUCB2(), unequal_supports()),
        r"W1=1, W2=0 can happen under do\(X1=0\) and not under",
    ),
    ("no runs", lambda: simulate(cb.UCB(), runs=0), "runs must be a whole number, at least 1, not 0"),
    ("half a run", lambda: simulate(cb.UCB(), runs=1.5), "runs must be a whole number"),
    ("checkpoints that shrink", lambda: simulate(cb.UCB(), checkpoints=[10, 5]), "checkpoints must increase"),
    ("a checkpoint twice", lambda: simulate(cb.UCB(), checkpoints=[10, 10]), "checkpoints must increase"),
    ("a checkpoint of zero", lambda: simulate(cb.UCB(), checkpoints=[0]), "checkpoint must be a positive number"),
    (
        "a checkpoint beyond the budget",
        lambda: simulate(cb.UCB(), checkpoints=[10, 51]),
        "51 is above the budget 50",
    ),
    ("no checkpoint", lambda: simulate(cb.UCB(), checkpoints=[]), "at least one checkpoint"),
    ("two policies of one name", lambda: simulate([cb.UCB(), cb.UCB()]), "Two policies are called 'ucb'"),
    ("a parameter in words", lambda: cb.CRMNB(exploration="high"), "exploration of crm-nb"),  # type: ignore[arg-type]
    ("a negative seed", lambda: simulate(cb.UCB(), seed=-1), "seed must be a whole number"),
    ("another world's problem", lambda: cb.simulate(chain(), pair().problem(budget=9), cb.UCB()), "another world"),
    ("a policy's class", lambda: simulate(cb.UCB), "instance such as"),
    ("a single checkpoint", lambda: simulate(cb.UCB(), checkpoints=10), "checkpoints as a list, not 10"),
    ("arms that are no list", lambda: pair().problem(budget=9, arms=5), "arms as a list, not 5"),
    (
        "the observation not first",
        lambda: pair().problem(budget=9, arms=["do(X=1)", "do()"], cost=[5, 1]),
        "name it first",
    ),
    (
        "the observation that is left out",
        lambda: pair().problem(budget=9, arms=["do()", "do(X=1)"], observe=False),
        "name it first",
    ),
    ("a probability in words", lambda: two({0: "half", 1: 0.8}), "row X=0 of the table of Y"),
    ("a row twice", lambda: two({0: 0.2, "0": 0.9, 1: 0.8}), "two rows for '0'"),
    ("a weight in words", lambda: cb.linear("Y", {"X": "a"}, noise=0.1), "a number for each cause"),
    ("a linear reward of nothing", lambda: cb.linear("Y", {}, noise=0.1), "at least one cause"),
    (
        "an infinite reward",
        lambda: cb.World([cb.node("Y", {"0": 0.5, "inf": 0.5})], reward="Y"),
        "bounds of the reward Y",
    ),
    (
        "bounds of a Gaussian",
        lambda: cb.World([cb.node("X", COIN), cb.linear("Y", {"X": 1}, noise=1)], reward="Y", bounds=(0, 1)),
        "Gaussian",
    ),
    ("two traces", lambda: cb.trace(pair(), pair().problem(budget=9), [cb.UCB(), cb.FKube()]), "one policy, not 2"),
    ("a negative constant", lambda: cb.FKube(exploration=-1), "exploration of f-kube must be at least 0, not -1"),
    (
        "an infinite constant",
        lambda: cb.CRMNB(exploration=float("inf")),
        "exploration of crm-nb must be a finite float",
    ),
    ("a name that cannot be written", lambda: cb.node("A, b=c", COIN), "signs , = "),
    ("a policy without a kind", lambda: type("Nameless", (cb.Policy,), {"reads": "rewards"})(), "Nameless has no kind"),
    (
        "a policy that reads nothing",
        lambda: simulate(type("Blind", (cb.Policy,), {"kind": "blind"})()),
        "must say what it reads",
    ),
    ("a policy without functions", lambda: simulate(Empty()), "Empty has no function init"),
    ("a kind that is taken", lambda: cb.register(type("Other", (cb.Policy,), {"kind": "ucb"})), "already, UCB"),
    (
        "a reward that the graph lacks",
        lambda: cb.Problem(pair().graph, cb.Reward("Q", "binary"), budget=9),
        "no variable 'Q'",
    ),
    ("an interval of one point", lambda: pair(bounds=(1, 1)), "lower first"),
    ("bounds of one number", lambda: pair(bounds=1), "bounds of the reward Y must be a list such as"),
    ("bounds of three numbers", lambda: pair(bounds=(0, 1, 2)), "bounds of the reward Y must be two numbers"),
    ("observe in words", lambda: pair().problem(budget=9, observe="no"), "observe must be True or False, not 'no'"),
    ("strict in words", lambda: pair().problem(budget=9, strict="no"), "strict must be True or False, not 'no'"),
    (
        "reveal_parents in words",
        lambda: pair().problem(budget=9, reveal_parents="no"),
        "reveal_parents must be True or False",
    ),
    ("hidden in words", lambda: cb.node("X", COIN, hidden="no"), "hidden must be True or False"),
    ("no world", lambda: cb.simulate(None, pair().problem(budget=9)), "world must be a cb.World"),
    ("no problem", lambda: cb.simulate(pair(), 50), "problem must be a cb.Problem, such as .*, not 50"),
    ("an executor that is none", lambda: simulate(cb.UCB(), executor=3), "one of concurrent.futures, .* not 3"),
    ("compiled in words", lambda: simulate(cb.UCB(), compiled="yes"), "compiled must be True or False"),
    ("nodes that are names", lambda: cb.World(["A"], reward="A"), "node of a world must be made with cb.node, .* 'A'"),
    ("a single node", lambda: cb.World(cb.node("A", COIN), reward="A"), "nodes of a world must be a list"),
    ("a variable called 1", lambda: cb.node(1, COIN), "name of a variable must be a text .* not 1"),
    ("values as a text", lambda: cb.node("X", "ab", table=0.5), "values of X must be a list"),
    ("a ragged table", lambda: two([[0.2, 0.8], [1]]), "rows must have the same length"),
    ("a table of another shape", lambda: two([[0.2, 0.3, 0.5]] * 2), r"has shape \(2, 3\); it needs \(2, 2\)"),
    ("a list that sums to 0.9", lambda: two([[0.5, 0.4], [0.5, 0.5]]), "row X=0 of the table of Y sums to 0.9"),
    ("worlds in a list", lambda: cb.sweep([pair(), pair()], budgets=[9]), "worlds by name such as"),
    ("a single budget", lambda: cb.sweep(pair(), budgets=50), r"budgets must be a list such as \[100, 200\], not 50"),
    ("a single cost", lambda: cb.sweep(pair(), budgets=[50], costs=2), "costs must be a list such as"),
    ("costs by name", lambda: cb.sweep(pair(), budgets=[50], costs={"X": 2}), "costs must be a list such as"),
    ("another answer to errors", lambda: cb.sweep(pair(), budgets=[50], on_error="stop"), '"raise" or "skip"'),
    ("a misspelt option", lambda: cb.sweep(pair(), budgets=[50], observ=False), "did you mean 'observe'"),
    ("a figure of a world", lambda: cb.plot.cumulative_regret(pair()), "result of cb.simulate"),
    (
        "a registered class without a kind",
        lambda: cb.register(type("Nameless", (cb.Policy,), {"reads": "rewards"})),
        "Nameless has no kind",
    ),
    ("a registered instance", lambda: cb.register(cb.UCB()), "register takes the class of a policy"),
    (
        "a class in place of a policy",
        lambda: cb.Experiment.create("memory", "a", pair().problem(budget=9), cb.UCB),
        "policy must be an instance",
    ),
    ("success for a Reward", lambda: cb.Problem(pair().graph, pair().reward, success="1", budget=9), "a cb.Reward has"),
]  # fmt: skip


@pytest.mark.parametrize(("mistake", "pattern"), [pytest.param(m, p, id=name) for name, m, p in MISTAKES])
def test_a_mistake_is_answered_with_one_sentence_that_names_it(mistake: Callable[[], object], pattern: str) -> None:
    with pytest.raises(cb.InputError, match=pattern) as caught:
        mistake()
    text = str(caught.value)
    assert "\n" not in text
    assert re.search(r"[.?]$", text)


@pytest.mark.parametrize(
    ("policy", "least"),
    [
        (cb.CRMNB(), "5"),
        (cb.FKube(), "5"),
        (cb.UCB(), "5"),
        (cb.ParallelBandit(), "3"),
        (cb.GammaNB(), "2"),
        (cb.Observe(), "1"),
    ],
)
def test_a_budget_too_small_for_the_first_phase_is_refused_with_the_least_budget_that_is_enough(
    policy: cb.Policy, least: str
) -> None:
    world = pair()
    cheap = {"do()": 1, "X": 2}
    with pytest.raises(cb.InputError, match=f"budget of at least {least} "):
        policy.check(world.problem(budget=float(least) - 0.5, cost=cheap, arms=["X"]) if least != "1" else _tiny(world))
    policy.check(world.problem(budget=least, cost=cheap, arms=["X"]))


def _tiny(world: cb.World) -> cb.Problem:
    """A budget that pays an intervention and not the observation."""
    return world.problem(budget=0.75, cost={"X": 0.5})


@pytest.mark.parametrize("policy", [cb.Observe(), cb.ParallelBandit(), cb.GammaNB(), cb.CRMNB()])
def test_a_policy_that_watches_refuses_a_problem_without_the_observation(policy: cb.Policy) -> None:
    with pytest.raises(cb.InputError, match=f"{policy.kind} watches before it acts"):
        simulate(policy, pair().problem(budget=50, cost=2, observe=False))


def test_a_parent_table_that_does_not_sum_to_one_names_the_arm() -> None:
    world = pair()
    with pytest.raises(cb.InputError, match=r"under do\(X=1\) sums to 0.9"):
        cb.Problem(world.graph, world.reward, horizon=5, parents=np.array([[0.5, 0.5], [1, 0], [0.5, 0.4]]))


def test_a_result_that_cannot_be_saved_names_the_place(tmp_path: Path) -> None:
    result = simulate(cb.UCB(), runs=1, compiled=False)
    with pytest.raises(cb.InputError, match=r"nodir/x' cannot be written: no such file or directory"):
        result.save(tmp_path / "nodir/x")  # type: ignore[attr-defined]
    with pytest.raises(cb.InputError, match="A path must be a text"):
        result.save(1)  # type: ignore[attr-defined]


def test_lists_are_tables_like_arrays() -> None:
    rows = [[0.8, 0.2], [0.3, 0.7]]
    tables = (rows, tuple(map(tuple, rows)), np.array(rows), {0: 0.2, 1: 0.7}, [0.2, 0.7], np.array([0.2, 0.7]))
    assert {two(table).mean("do(X=1)") for table in tables} == {0.7}
    two_causes = [[0.1, 0.2], [0.3, 0.4]]  # P(Y = 1 | Z, X)
    nodes = [cb.node("Z", COIN), cb.node("X", COIN), cb.node("Y", [0, 1], given=["Z", "X"], table=two_causes)]
    assert cb.World(nodes, reward="Y").mean("do(Z=1, X=0)") == pytest.approx(0.3)
    world = pair()
    revealed = cb.Problem(world.graph, world.reward, horizon=5, parents=[[0.5, 0.5], [1, 0], [0, 1]])
    np.testing.assert_array_equal(revealed.parents, [[0.5, 0.5], [1, 0], [0, 1]])
