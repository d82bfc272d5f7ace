"""The strengths of "causal-kl" and "causal-ts": much less regret than the paper's algorithm.

They get stuck in no world.
"""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb

OURS = [cb.CausalKL(), cb.CausalThompson()]


def regret(world: cb.World, problem: cb.Problem, policies: list[cb.Policy], runs: int = 30) -> dict[str, float]:
    result = cb.simulate(world, problem, policies, runs=runs, seed=1)
    return {label: float(regrets[:, -1].mean()) for label, regrets in result.cumulative_regret.items()}


@pytest.mark.parametrize("epsilon", [0.5, 0.3])
@pytest.mark.parametrize(("gamma", "share"), [(1, 0.1), (1.1, 0.1), (2, 0.5), (3, 0.5)])
def test_in_experiment_3_of_the_paper_they_lose_a_fraction_of_what_crm_nb_loses(
    epsilon: float, gamma: float, share: float
) -> None:
    """Where watching is best (gamma 2 and 3), causal-kl loses at most half of what crm-nb loses.

    There causal-ts tries some of the 100 arms by chance, and loses at most as much as crm-nb.
    """
    world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=epsilon)
    found = regret(world, world.problem(budget=10_000, cost=gamma), [cb.CRMNB(), *OURS])
    assert found["causal-kl"] <= share * found["crm-nb"]
    assert found["causal-ts"] <= min(2 * share, 1) * found["crm-nb"]


@pytest.mark.parametrize("policy", OURS, ids=lambda policy: policy.kind)
def test_the_best_arm_is_found_although_watching_never_shows_it(policy: cb.Policy) -> None:
    """X1 = 1 never happens by itself, and do(X1=1) pays 0.9 instead of 0.5."""
    nodes = [
        cb.node("X1", {"0": 1.0, "1": 0.0}),
        cb.node("X2", {"0": 0.5, "1": 0.5}),
        cb.node("Y", ["0", "1"], given="X1", table={"0": 0.5, "1": 0.9}),
    ]
    world = cb.World(nodes, reward="Y")
    result = cb.simulate(world, world.problem(budget=2000, cost=1.2), policy, runs=20, seed=1)
    assert (result.recommended[policy.label] == result.problem.arm("do(X1=1)")).all()


@pytest.mark.parametrize("policy", OURS, ids=lambda policy: policy.kind)
def test_they_play_well_with_equal_arms_a_sure_arm_and_other_kinds_of_rewards(policy: cb.Policy) -> None:
    equal = cb.World([cb.node("X", {"0": 0.5, "1": 0.5}), cb.node("Y", {"0": 0.4, "1": 0.6})], reward="Y")
    sure = cb.World(
        [cb.node("X", {"0": 0.5, "1": 0.5}), cb.node("Y", ["0", "1"], given="X", table={"0": 0.2, "1": 1.0})],
        reward="Y",
    )
    levels = cb.World(
        [
            cb.node("X", {"a": 0.3, "b": 0.7}),
            cb.node("Y", ["-1", "0", "3"], given="X", table={"a": [0.2, 0.5, 0.3], "b": [0.5, 0.3, 0.2]}),
        ],
        reward="Y",
    )
    real = cb.World(
        [cb.node("X", {"0": 0.5, "1": 0.5}), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=0.2)], reward="Y"
    )
    for world in (equal, sure, levels, real):
        problem = world.problem(budget=600, cost=1.5)
        result = cb.simulate(world, problem, policy, runs=20, seed=1)
        assert (result.left_over[policy.label] < 1).all()  # nothing affordable is left undone
        best = np.max(world.means(problem))
        assert np.mean(best - world.means(problem)[result.recommended[policy.label]]) < 0.05


@pytest.mark.parametrize("policy", OURS, ids=lambda policy: policy.kind)
def test_without_the_observation_they_are_index_policies_per_cost(policy: cb.Policy) -> None:
    world = cb.worlds.parallel(p=[0.5] * 3, epsilon=0.3)
    problem = world.problem(budget=800, cost=1.3, observe=False)
    found = regret(world, problem, [policy, cb.FKube()])
    assert found[policy.label] < found["f-kube"]


EVERY = [*OURS, cb.TopTwo(), cb.CausalUCB(), cb.CausalUCBLearned()]


@pytest.mark.parametrize("intercept", [-100, -5, 5, 100])
@pytest.mark.parametrize("observe", [True, False])
@pytest.mark.parametrize("policy", EVERY, ids=lambda policy: policy.kind)
def test_real_rewards_may_have_any_level(policy: cb.Policy, intercept: float, observe: bool) -> None:
    """The gap is 1. A prior near 0 would make every unknown arm look hopeless, or better than all known arms."""
    nodes = [cb.node(f"X{i}", {"0": 0.5, "1": 0.5}) for i in range(3)]
    world = cb.World(
        [*nodes, cb.linear("Y", {"X0": 1.0, "X1": 0.1, "X2": 0.1}, noise=0.5, intercept=intercept)], reward="Y"
    )
    problem = world.problem(horizon=600, observe=observe, reveal_parents=True)
    result = cb.simulate(world, problem, policy, runs=20, seed=1)
    assert (result.recommended[policy.label] == problem.arm("do(X0=1)")).mean() >= 0.9
    if policy.kind != "top-two":
        assert result.cumulative_regret[policy.label][:, -1].mean() < 0.15 * 600


@pytest.mark.parametrize("policy", [*OURS, cb.CausalUCBLearned()], ids=lambda policy: policy.kind)
def test_expensive_watching_is_not_tried_first(policy: cb.Policy) -> None:
    world = cb.worlds.parallel(p=[0.5] * 3, epsilon=0.4)
    expensive = world.problem(budget=300, cost={"do()": 200, "X1": 1, "X2": 1, "X3": 1})
    without = world.problem(budget=300, cost=1, observe=False)
    assert regret(world, expensive, [policy])[policy.label] < 1.5 * regret(world, without, [policy])[policy.label] + 2
