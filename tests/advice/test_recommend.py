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
    assert len(kinds) >= 2
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


def test_the_advice_depends_on_observation_revealed_parents_and_costs() -> None:
    world, chain = cb.worlds.marketing(), cb.worlds.confounded_chain()
    assert kinds(world.problem(budget=500, cost=2)) == {"find": "top-two", "earn": "causal-kl"}
    assert kinds(world.problem(budget=500, cost=2, observe=False)) == {"find": "top-two", "earn": "causal-ts"}
    # two causes that every round shows
    assert kinds(chain.problem(horizon=100)) == {"find": "causal-ucb-learned", "earn": "causal-ucb-learned"}
    # with unequal costs, too, if watching cannot tell about some arm; what is best for its price is not what is wanted
    assert kinds(chain.problem(budget=100, cost=3)) == {"find": "causal-ucb-learned", "earn": "causal-ucb-learned"}
    assert cb.recommend_policy(chain.problem(budget=100, cost=3), "find").policy == cb.CausalUCBLearned(per_cost=False)
    plain = cb.worlds.parallel(p=[0.5, 0.5], epsilon=0.3).problem(budget=100, cost=3)
    assert plain.configurations <= len(plain.arms)
    assert kinds(plain) == {"find": "top-two", "earn": "causal-ucb-learned"}
    # four configurations, three arms
    assert kinds(chain.problem(horizon=100, arms=["X1"])) == {"find": "top-two", "earn": "causal-ucb-learned"}
    # 16 configurations: at most four for each arm
    many = cb.worlds.random_world(np.random.default_rng(1), variables=4, values=(2, 2), parents=4, backdoors=False)
    for arms, earn in ((["V1", "V2"], "causal-ucb-learned"), (["V1"], "causal-kl")):
        problem = many.problem(horizon=100, arms=arms)
        assert (problem.configurations, len(problem.arms)) == (16, 2 * len(arms) + 1)
        assert kinds(problem) == {"find": "top-two", "earn": earn}
    assert kinds(chain.problem(horizon=100, reveal_parents=True)) == {"find": "causal-ucb", "earn": "causal-ucb"}
    assert kinds(chain.problem(budget=100, cost=3, reveal_parents=True)) == {"find": "causal-ucb", "earn": "causal-ucb"}


def test_the_advice_ignores_configurations_that_are_too_many_for_the_budget() -> None:
    # 32 configurations, 13 arms
    world = cb.worlds.random_world(np.random.default_rng(1), variables=6, values=(2, 2), parents=5, backdoors=False)
    assert kinds(world.problem(horizon=31, reveal_parents=True)) == {"find": "top-two", "earn": "causal-kl"}
    # watching tells about all of fewer arms
    assert kinds(world.problem(horizon=32, reveal_parents=True)) == {"find": "top-two", "earn": "causal-ucb"}
    assert kinds(world.problem(horizon=32, reveal_parents=True, observe=False)) == {
        "find": "causal-ucb",
        "earn": "causal-ucb",
    }
    # 8 configurations
    few = cb.worlds.random_world(np.random.default_rng(1), variables=6, values=(2, 2), parents=3, backdoors=False)
    assert kinds(few.problem(horizon=32, reveal_parents=True)) == {"find": "causal-ucb", "earn": "causal-ucb"}


def first_sentence(problem: cb.Problem, objective: Any = None) -> str:
    """The facts of the problem that the advice names."""
    return sentences(cb.recommend_policy(problem, objective).why)[0]


def test_the_reason_has_the_numbers_of_the_problem() -> None:
    world, chain = cb.worlds.marketing(), cb.worlds.confounded_chain()
    costs = {"Image": 2, "Description": 1.5, "Comparison": 1.5, "Promotion": 5.5}
    assert first_sentence(world.problem(budget=500, cost=costs)) == (
        'You want to find the best intervention (objective "find") with a budget of 500; '
        "observing costs 1 and teaches about 6 of 8 interventions at 1.5 to 5.5 each."
    )
    assert first_sentence(world.problem(horizon=1, observe=False, arms=["do(Image=large)"]), "earn") == (
        'You want to earn as much as possible while learning (objective "earn") in 1 round; '
        "nothing can be learned by observing, so the policy must try 1 intervention."
    )
    revealed = first_sentence(chain.problem(horizon=100, reveal_parents=True))
    assert revealed.endswith("in 100 rounds; it is known how each arm changes the 2 causes of Y.")
    too_short = first_sentence(chain.problem(horizon=2, reveal_parents=True))
    assert "in 2 rounds; observing teaches about " in too_short
    assert too_short.endswith(", and 4 configurations of the causes of Y are too many to learn.")


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
    world = cb.worlds.confounded_chain()
    cells = cb.sweep(world, horizons=[2, 40], runs=2, progress=False, reveal_parents=True, objective="earn").cells
    wanted = [
        cb.recommend_policy(world.problem(horizon=size, reveal_parents=True, objective="earn")).policy
        for size in (2, 40)
    ]
    assert [list(cell.result.policies) for cell in cells] == [[policy] for policy in wanted]
    assert wanted[0] != wanted[1]
