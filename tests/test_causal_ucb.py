"""What "causal-ucb" is for: a fraction of C-UCB's regret where P(y | do(a)) is known, and no world in which it gets stuck."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.joint import joint_upper
from causalbandits.papers.nair2021 import TABLES, random_table, world_4

from .contracts.cases import Case, Driver
from .oracles.causal_ucb import best_mixture

KNOWN = [cb.CausalUCB(), cb.CUCB(), cb.CUCB2(), cb.Greedy(), cb.CTS()]


def regret(world: cb.World, problem: cb.Problem, policies: list[cb.Policy], runs: int = 30) -> dict[str, float]:
    result = cb.simulate(world, problem, policies, runs=runs, seed=1)
    return {label: float(regrets[:, -1].mean()) for label, regrets in result.cumulative_regret.items()}


def random_sets(number: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, float]]:
    """Weights, means, counts and levels: some means are 0 or 1, some weights are 0, some configurations were never seen."""
    rng = np.random.default_rng(1)
    sets = []
    for _ in range(number):
        size = int(rng.integers(1, 7))
        weights = rng.dirichlet(np.full(size, rng.choice([0.2, 1.0, 5.0]))) * rng.integers(0, 5, size).clip(0, 1)
        counts = rng.integers(0, rng.choice([3, 30, 3000]), size).astype(float)
        means = np.where(rng.random(size) < 0.3, rng.integers(0, 2, size), rng.random(size))
        sets.append((weights, means, counts, float(rng.choice([1e-6, 1e-2, 0.7, 3.0, 12.0]))))
    return sets


def inverse(counts: np.ndarray) -> np.ndarray:
    return np.divide(1, counts, out=np.zeros_like(counts), where=counts > 0)


def test_the_best_mixture_is_what_bisection_finds_and_below_the_quadratic_bound() -> None:
    for weights, means, counts, level in random_sets(300):
        seen = counts > 0
        triples = [(p, int(n), m) for p, n, m in zip(weights, counts, means, strict=True) if n > 0 and p > 0]
        found = joint_upper(weights, means, inverse(counts), level)
        assert found == pytest.approx(weights[~seen].sum() + best_mixture(triples, level), rel=1e-9, abs=1e-12)
        s = (weights[seen] ** 2 / counts[seen]).sum()
        assert found <= weights[~seen].sum() + weights[seen] @ means[seen] + math.sqrt(level * s / 2) + 1e-12


def test_no_point_of_the_set_is_better_than_the_best_mixture_and_one_is_as_good() -> None:
    """Against a general solver that knows nothing of multipliers: the logarithms of the odds of q, with their gradients."""
    optimize = pytest.importorskip("scipy.optimize", reason="the extra [report] is not installed")
    rng = np.random.default_rng(2)
    for _ in range(25):
        size = int(rng.integers(2, 5))
        weights, means, counts = rng.dirichlet(np.ones(size)), rng.uniform(0.1, 0.9, size), rng.integers(5, 40, size).astype(float)
        solved = by_general_solver(optimize, weights, means, counts, 2.0)
        assert joint_upper(weights, means, inverse(counts), 2.0) == pytest.approx(solved, abs=1e-7)


def by_general_solver(optimize: Any, weights: np.ndarray, means: np.ndarray, counts: np.ndarray, level: float) -> float:
    def q(odds: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-odds))

    def evidence(odds: np.ndarray) -> float:
        return float(counts @ (means * np.log(means / q(odds)) + (1 - means) * np.log((1 - means) / (1 - q(odds)))))

    room = {"type": "ineq", "fun": lambda odds: level - evidence(odds), "jac": lambda odds: -counts * (q(odds) - means)}
    start = np.log(means / (1 - means))
    solved = optimize.minimize(
        lambda odds: -weights @ q(odds),
        start + 1e-3,
        jac=lambda odds: -weights * q(odds) * (1 - q(odds)),
        constraints=[room],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert evidence(solved.x) <= level + 1e-6
    return float(-solved.fun)


def on_tables(numbers: range, runs: int) -> dict[str, np.ndarray]:
    found = [regret(*random_table(number), KNOWN, runs) for number in numbers]
    return {label: np.array([one[label] for one in found]) for label in found[0]}


@pytest.mark.parametrize(("numbers", "runs"), [(TABLES[::5], 20), pytest.param(TABLES, 100, marks=pytest.mark.slow)])
def test_on_random_tables_it_loses_a_quarter_of_what_c_ucb_does_and_less_on_the_worst(numbers: range, runs: int) -> None:
    found = on_tables(numbers, runs)
    ours = found["causal-ucb"]
    assert ours.mean() <= 0.25 * found["c-ucb"].mean()
    assert ours.max() < found["c-ucb"].max()
    assert ours.mean() < min(found["c-ucb-2"].mean(), found["greedy"].mean(), found["c-ts"].mean())


@pytest.mark.parametrize("horizon", [100, 1000])
def test_in_the_papers_experiment_4_it_loses_less_than_half_of_what_c_ucb_does(horizon: int) -> None:
    world, problem = world_4(horizon)
    found = regret(world, problem, [cb.CausalUCB(), cb.CUCB()], runs=100)
    assert found["causal-ucb"] < 0.5 * found["c-ucb"]


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)])
def test_on_larger_graphs_with_backdoors_and_with_costs_per_arm(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = cb.worlds.random_world(rng, variables=12, backdoors=True)
    costs = [f"{cost:.2f}" for cost in rng.uniform(0.6, 4, len(world.problem(horizon=1).arms))]
    found = regret(world, world.problem(horizon=2000, reveal_parents=True), [cb.CausalUCB(), cb.CUCB(), cb.Greedy()], runs=20)
    assert found["causal-ucb"] < 0.35 * min(found["c-ucb"], found["greedy"])
    found = regret(world, world.problem(budget=2000, cost=costs, reveal_parents=True), [cb.CausalUCB(), cb.FKube()], runs=20)
    assert found["causal-ucb"] < 0.25 * found["f-kube"]


def kinds_of_worlds() -> dict[str, cb.World]:
    coin, table = {"0": 0.5, "1": 0.5}, {"0": 0.2, "1": 1.0}
    return {
        "equal": cb.World(
            [
                cb.node("X", coin),
                cb.node("W", ["0", "1"], given="X", table={"0": 0.3, "1": 0.8}),
                cb.node("Y", ["0", "1"], given="W", table={"0": 0.6, "1": 0.6}),
            ],
            reward="Y",
        ),
        "sure": cb.World([cb.node("X", coin), cb.node("Y", ["0", "1"], given="X", table=table)], reward="Y"),
        "impossible": cb.World(
            [
                cb.node("X", {"0": 1.0, "1": 0.0}),
                cb.node("W", ["0", "1", "2"], given="X", table={"0": [0.5, 0.5, 0.0], "1": [0.0, 0.0, 1.0]}),
                cb.node("Y", ["0", "1"], given="W", table={"0": 0.3, "1": 0.5, "2": 0.9}),
            ],
            reward="Y",
        ),
        "rare": cb.World(
            [
                cb.node("X", coin),
                cb.node("W", ["0", "1"], given="X", table={"0": 1e-6, "1": 0.0}),
                cb.node("Y", ["0", "1"], given=["W", "X"], table={("0", "0"): 0.3, ("0", "1"): 0.5, ("1", "0"): 0.9, ("1", "1"): 0.9}),
            ],
            reward="Y",
        ),
        "levels": cb.World(
            [cb.node("X", {"a": 0.3, "b": 0.7}), cb.node("Y", ["-1", "0", "3"], given="X", table={"a": [0.2, 0.5, 0.3], "b": [0.5, 0.3, 0.2]})],
            reward="Y",
        ),
        "real": cb.World([cb.node("X", coin), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=0.2)], reward="Y"),
        "far from 0": cb.World([cb.node("X", coin), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=-900)], reward="Y"),
        "real and rare": cb.World(
            [cb.node("X", coin), cb.node("W", ["0", "1"], given="X", table={"0": 1e-6, "1": 0.0}), cb.linear("Y", {"X": 0.5, "W": 1.0}, noise=0.2)],
            reward="Y",
        ),
        "no parents": cb.World([cb.node("X", coin), cb.node("Y", coin)], reward="Y"),
    }


@pytest.mark.parametrize("name", kinds_of_worlds())
def test_it_is_stuck_nowhere(name: str) -> None:
    """Equal arms, an arm that always pays, configurations that never or hardly ever happen, and rewards of all kinds."""
    world = kinds_of_worlds()[name]
    problem = world.problem(horizon=1500, reveal_parents=True)
    result = cb.simulate(world, problem, cb.CausalUCB(), runs=20, seed=1)
    means = world.means(problem)
    assert (result.left_over["causal-ucb"] == 0).all()
    assert result.cumulative_regret["causal-ucb"].mean() <= 0.08 * 1500 * np.ptp(means) + 1e-6
    assert np.mean(means.max() - means[result.recommended["causal-ucb"]]) <= 0.05 * np.ptp(means) + 1e-9


def test_who_waits_for_rounds_is_sent_to_other_arms_too() -> None:
    world, problem = random_table(1)
    case = Case(world, problem, cb.CausalUCB())
    driver = Driver(case, 0, 0)
    for _ in range(40):
        driver.hand_out(*driver.ask())
    assert (driver.pending > 0).sum() > 1


def test_watching_is_an_arm_with_a_price_and_a_row_of_its_own() -> None:
    """Watching pays as much as do(X=1), at half the price: with costs it is what is done, for a horizon both are."""
    world = cb.World([cb.node("X", {"0": 0.0, "1": 1.0}), cb.node("Y", ["0", "1"], given="X", table={"0": 0.2, "1": 0.8})], reward="Y")
    dear = cb.simulate(world, world.problem(budget=400, cost=2, reveal_parents=True), cb.CausalUCB(), runs=10, seed=1)
    assert (dear.pulls["causal-ucb"][:, -1, 0] > 300).all()
    equal = cb.simulate(world, world.problem(horizon=400, reveal_parents=True), cb.CausalUCB(), runs=10, seed=1)
    assert (equal.pulls["causal-ucb"][:, -1, [0, 2]].sum(axis=0) > 0).all()
