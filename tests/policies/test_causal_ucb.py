"""The strengths of "causal-ucb": a fraction of C-UCB's regret where P(y | do(a)) is known.

It gets stuck in no world.
"""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.papers.nair2021.settings import TABLES, random_table, setting_4

from ..contracts.cases import Case, Driver
from .settings import kinds_of_worlds, on_tables, regret


@pytest.mark.parametrize(("numbers", "runs"), [(TABLES[::5], 20), pytest.param(TABLES, 100, marks=pytest.mark.slow)])
def test_on_random_tables_it_loses_a_quarter_of_what_c_ucb_loses(numbers: range, runs: int) -> None:
    found = on_tables(numbers, runs)
    ours = found["causal-ucb"]
    assert ours.mean() <= 0.25 * found["c-ucb"].mean()
    assert ours.max() < found["c-ucb"].max()
    assert ours.mean() < min(found["c-ucb-2"].mean(), found["greedy"].mean(), found["c-ts"].mean())


@pytest.mark.parametrize("horizon", [100, 1000])
def test_in_experiment_4_of_the_paper_it_loses_less_than_half_of_what_c_ucb_loses(horizon: int) -> None:
    world, problem = setting_4(horizon)
    found = regret(world, problem, [cb.CausalUCB(), cb.CUCB()], runs=100)
    assert found["causal-ucb"] < 0.5 * found["c-ucb"]


def test_regret_stops_growing_if_all_arms_have_the_same_support() -> None:
    """As is proved in docs/policies/causal-ucb.md; that of UCB, which ignores the graph, goes on growing."""
    world, problem = setting_4(20_000)
    result = cb.simulate(world, problem, [cb.CausalUCB(), cb.UCB()], runs=100, seed=1, checkpoints=[1000, 20_000])
    growth = {label: found[:, 1].mean() / found[:, 0].mean() for label, found in result.cumulative_regret.items()}
    assert growth["causal-ucb"] < 1.02
    assert growth["ucb"] > 2


@pytest.mark.parametrize(
    "seed", [0, 1, pytest.param(2, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)]
)
def test_it_is_better_on_larger_graphs_with_backdoor_paths_and_costs_per_arm(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = cb.worlds.random_world(rng, variables=12, backdoors=True)
    costs = [f"{cost:.2f}" for cost in rng.uniform(0.6, 4, len(world.problem(horizon=1).arms))]
    found = regret(
        world, world.problem(horizon=2000, reveal_parents=True), [cb.CausalUCB(), cb.CUCB(), cb.Greedy()], runs=20
    )
    assert found["causal-ucb"] < 0.5 * found["c-ucb"]
    assert found["causal-ucb"] < found["greedy"]
    found = regret(
        world, world.problem(budget=2000, cost=costs, reveal_parents=True), [cb.CausalUCB(), cb.FKube()], runs=20
    )
    assert found["causal-ucb"] < 0.25 * found["f-kube"]


@pytest.mark.parametrize("name", kinds_of_worlds())
def test_it_finds_the_best_arm_in_every_kind_of_world(name: str) -> None:
    """It finds the best arm in worlds that are difficult in different ways.

    Equal arms, an arm that always pays, configurations that are rare or impossible, and all kinds of rewards.
    """
    world = kinds_of_worlds()[name]
    problem = world.problem(horizon=1500, reveal_parents=True)
    result = cb.simulate(world, problem, cb.CausalUCB(), runs=20, seed=1)
    means = world.means(problem)
    assert (result.left_over["causal-ucb"] == 0).all()
    assert result.cumulative_regret["causal-ucb"].mean() <= 0.08 * 1500 * np.ptp(means) + 1e-6
    assert np.mean(means.max() - means[result.recommended["causal-ucb"]]) <= 0.05 * np.ptp(means) + 1e-9


def test_workers_get_other_arms_while_rounds_are_pending() -> None:
    world, problem = random_table(1)
    case = Case(world, problem, cb.CausalUCB())
    driver = Driver(case, 0, 0)
    for _ in range(40):
        driver.hand_out(*driver.ask())
    assert (driver.pending > 0).sum() > 1


def test_watching_is_an_arm_with_its_own_price_and_row() -> None:
    """Watching pays as much as do(X=1), at half the price: with costs it is what is done, for a horizon both are."""
    world = cb.World(
        [cb.node("X", {"0": 0.0, "1": 1.0}), cb.node("Y", ["0", "1"], given="X", table={"0": 0.2, "1": 0.8})],
        reward="Y",
    )
    with_costs = cb.simulate(
        world, world.problem(budget=400, cost=2, reveal_parents=True), cb.CausalUCB(), runs=10, seed=1
    )
    assert (with_costs.pulls["causal-ucb"][:, -1, 0] > 300).all()
    equal = cb.simulate(world, world.problem(horizon=400, reveal_parents=True), cb.CausalUCB(), runs=10, seed=1)
    assert (equal.pulls["causal-ucb"][:, -1, [0, 2]].sum(axis=0) > 0).all()
