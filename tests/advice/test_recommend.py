"""Advice about policies.

Every problem has a recommended policy. It plays to the end, and the reasons are true of the problem.
"""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.advice.recommend import REASONS, suited
from causalbandits.files import dumps, read
from causalbandits.files.json_forms import problem_from_terms, problem_terms_to_json
from causalbandits.policies import REGISTRY
from causalbandits.policies.checks import accept
from causalbandits.policies.columns.factors import factor_tables


def random_problem(seed: int) -> tuple[cb.World, cb.Problem]:
    """A random problem of any kind.

    It varies the observation, backdoor paths, revealed parents, the budget (from one pull on) and the kind of reward.
    """
    rng = np.random.default_rng(seed)
    hidden, rewards = int(rng.integers(0, 2)), [("0", "1"), ("0", "2", "5"), ("-1", "1")][int(rng.integers(0, 3))]
    world = cb.worlds.random_world(
        rng,
        variables=int(rng.integers(1, 6)) + hidden,
        hidden=hidden,
        backdoors=bool(rng.integers(0, 2)),
        parents=int(rng.integers(1, 4)),
        reward=rewards,
    )
    observe, number = bool(rng.integers(0, 2)), int(rng.choice([1, 5, 60, 400]))
    objective: Any = ["find", "earn"][int(rng.integers(0, 2))]
    reveals = not any(world.graph[name].hidden for name in world.graph["Y"].parents) and bool(rng.integers(0, 2))
    more: dict[str, Any] = {"observe": observe, "reveal_parents": reveals, "objective": objective}
    if rng.integers(0, 3) == 0:
        return world, world.problem(horizon=number, **more)
    costs = [f"{c:.2f}" for c in rng.uniform(0.5, 9, size=len(world.problem(horizon=1, observe=observe).arms))]
    if rng.integers(0, 2):
        costs = [costs[0]] * len(costs)
    return world, world.problem(budget=round(number * min(map(float, costs)), 2), cost=costs, **more)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["find", "earn"])
def test_every_problem_has_a_recommended_policy_that_plays_it_to_the_end(objective: Any) -> None:
    kinds, situations = set(), set()
    for seed in range(60):
        world, problem = random_problem(seed)
        advice = cb.recommend_policy(problem, objective)
        accept(advice.policy, problem)
        result = cb.simulate(world, problem, advice.policy, runs=2, seed=seed, progress=False)
        assert (result.left_over[advice.policy.label] < max(problem.costs)).all()
        assert len(sentences(advice.why)) == 2
        assert str(advice).startswith(f"{advice.policy.label} is recommended. {advice.why}")
        kinds.add(advice.policy.kind)
        situations.add(
            (problem.observes, problem.parents is None, problem.horizon is None, bool(problem.teaches.any()))
        )
    assert kinds == ({"factor-find"} if objective == "find" else {"factor-ucb"})
    assert len(situations) >= 8  # the problems are of many kinds


def sentences(text: str) -> list[str]:
    return re.findall(r".+?\.(?= [a-zA-Z]|$)", text)


def test_the_last_suited_policy_accepts_every_problem() -> None:
    for seed in range(60):
        _, problem = random_problem(seed)
        for objective in ("find", "earn"):
            assert set(suited(problem, objective)) <= set(REASONS)  # type: ignore[arg-type]
            accept(REGISTRY[suited(problem, objective)[-1]](), problem)  # type: ignore[arg-type]


def test_a_policy_that_refuses_the_problem_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = cb.worlds.marketing().problem(budget=500, cost=2)
    monkeypatch.setattr("causalbandits.advice.recommend.suited", lambda problem, objective: ("c-ts", "causal-ts"))
    assert cb.recommend_policy(problem).policy == cb.CausalThompson()


def test_advice_about_something_else_than_a_problem_is_refused_in_one_sentence() -> None:
    with pytest.raises(cb.InputError, match=r"cb\.Problem.*read_problem"):
        cb.recommend_policy("shop.toml")  # type: ignore[arg-type]


def kinds(problem: cb.Problem) -> dict[str, str]:
    return {objective: cb.recommend_policy(problem, objective).policy.kind for objective in ("find", "earn")}


def test_to_find_the_advice_is_one_policy_for_all_problems() -> None:
    for seed in range(20):
        assert kinds(random_problem(seed)[1])["find"] == "factor-find"


def test_to_earn_the_advice_depends_on_whether_rounds_teach_about_other_arms() -> None:
    world, chain = cb.worlds.marketing(), cb.worlds.confounded_chain()
    many = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)  # a table of 2**50 rows
    assert kinds(world.problem(budget=500, cost=2))["earn"] == "factor-ucb"
    assert kinds(world.problem(budget=500, cost=2, observe=False))["earn"] == "factor-ucb"
    assert kinds(chain.problem(budget=100, cost=3))["earn"] == "factor-ucb"
    assert kinds(chain.problem(budget=100, cost=3, reveal_parents=True))["earn"] == "factor-ucb"
    assert kinds(many.problem(budget=3000, cost=2))["earn"] == "factor-ucb"
    assert kinds(many.problem(budget=3000, cost=2, observe=False))["earn"] == "causal-ts"


def first_sentence(problem: cb.Problem, objective: Any = None) -> str:
    """The facts of the problem that the advice names."""
    return sentences(cb.recommend_policy(problem, objective).why)[0]


def test_the_reason_has_the_numbers_of_the_problem() -> None:
    world, chain = cb.worlds.marketing(), cb.worlds.confounded_chain()
    costs = {"Image": 2, "Description": 1.5, "Comparison": 1.5, "Promotion": 5.5}
    assert first_sentence(world.problem(budget=500, cost=costs)) == (
        'You want to find the best intervention (objective "find") with a budget of 500; '
        "observing costs 1 and teaches all about 6 of 8 interventions at 1.5 to 5.5 each."
    )
    assert first_sentence(world.problem(horizon=1, observe=False, arms=["do(Image=large)"]), "earn") == (
        'You want to earn as much as possible while learning (objective "earn") in 1 round; '
        "nothing can be learned by observing, so the policy must try 1 intervention."
    )
    for objective in ("find", "earn"):
        revealed = first_sentence(chain.problem(horizon=100, reveal_parents=True), objective)
        assert revealed.endswith("in 100 rounds; it is known how each arm changes the 2 causes of Y.")
    hidden = first_sentence(chain.problem(horizon=2))
    assert hidden.endswith("in 2 rounds; observing teaches all about 4 of 4 interventions.")


def test_of_an_arm_that_is_learned_as_a_whole_the_reason_says_what_watching_shows_of_it() -> None:
    world = cb.worlds.parallel(p=[0.5] * 12, epsilon=0.3)  # a table of 4096 rows
    assert factor_tables(world.problem(budget=9)).whole.all()
    assert "teaches all about 24 of 24 interventions" in first_sentence(world.problem(budget=9))


@pytest.mark.parametrize("objective", ["win", "", 3, ["find"]])
def test_another_objective_is_refused(objective: Any) -> None:
    world = cb.worlds.marketing()
    with pytest.raises(cb.InputError, match=r'objective is "find" .* or "earn"'):
        cb.recommend_policy(world.problem(budget=9), objective)
    with pytest.raises(cb.InputError, match=r'objective is "find" .* or "earn"'):
        world.problem(budget=9, objective=objective)


def test_the_objective_is_kept_with_the_problem(tmp_path: Path) -> None:
    world = cb.worlds.marketing()
    for objective in ("find", "earn"):
        problem = world.problem(budget=9, objective=objective)  # type: ignore[arg-type]
        assert problem_from_terms(problem_terms_to_json(problem), problem.graph, problem.reward).objective == objective
        (tmp_path / "p.toml").write_text(dumps(problem))
        assert read(tmp_path / "p.toml").problem.objective == objective
    # results and journals of before are named and read as they were
    assert "objective" not in problem_terms_to_json(world.problem(budget=9))


def test_without_a_policy_the_recommended_one_is_taken() -> None:
    world = cb.worlds.marketing()
    for objective in ("find", "earn"):
        for observe in (True, False):
            options: dict[str, Any] = {"observe": observe, "objective": objective}
            problem = world.problem(budget=50, cost=2, **options)
            wanted = cb.recommend_policy(problem).policy
            assert list(cb.simulate(world, problem, runs=2, progress=False).policies) == [wanted]
            assert (cb.trace(world, problem).arms == cb.trace(world, problem, wanted).arms).all()
            (cell,) = cb.sweep(world, budgets=[50], costs=[2], runs=2, progress=False, **options)
            assert list(cell.result.policies) == [wanted]
            assert cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "checkout", problem).policy == wanted


def test_a_sweep_recommends_a_policy_for_every_cell() -> None:
    """In the second world no round teaches about another arm: its table has 4096 rows."""
    worlds = {"chain": cb.worlds.confounded_chain(), "many causes": cb.worlds.parallel(p=[0.5] * 12, epsilon=0.3)}
    options: dict[str, Any] = {"observe": False, "objective": "earn"}
    cells = cb.sweep(worlds, horizons=[2, 40], runs=2, progress=False, **options).cells
    wanted = [
        cb.recommend_policy(world.problem(horizon=size, **options)).policy
        for world in worlds.values()
        for size in (2, 40)
    ]
    assert [list(cell.result.policies) for cell in cells] == [[policy] for policy in wanted]
    assert wanted[0] != wanted[-1]
