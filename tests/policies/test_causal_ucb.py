"""What "causal-ucb" is for: a fraction of C-UCB's regret where P(y | do(a)) is known, and no world in which it gets stuck."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.papers.nair2021.paper import TABLES, random_table, world_4
from causalbandits.policies.maths.joint import joint_upper

from ..contracts.cases import Case, Driver
from ..fixed import FixedByBoth
from ..oracles.causal_ucb import best_mixture

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
        weights, means, counts = (
            rng.dirichlet(np.ones(size)),
            rng.uniform(0.1, 0.9, size),
            rng.integers(5, 40, size).astype(float),
        )
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
def test_on_random_tables_it_loses_a_quarter_of_what_c_ucb_does_and_less_on_the_worst(
    numbers: range, runs: int
) -> None:
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


def test_where_the_arms_have_one_support_regret_stops_growing() -> None:
    """As is proved in docs/policies/causal-ucb.md; that of UCB, which ignores the graph, goes on growing."""
    world, problem = world_4(20_000)
    result = cb.simulate(world, problem, [cb.CausalUCB(), cb.UCB()], runs=100, seed=1, checkpoints=[1000, 20_000])
    growth = {label: found[:, 1].mean() / found[:, 0].mean() for label, found in result.cumulative_regret.items()}
    assert growth["causal-ucb"] < 1.02
    assert growth["ucb"] > 2


@pytest.mark.parametrize(
    "seed", [0, 1, pytest.param(2, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)]
)
def test_on_larger_graphs_with_backdoors_and_with_costs_per_arm(seed: int) -> None:
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
                cb.node(
                    "Y",
                    ["0", "1"],
                    given=["W", "X"],
                    table={("0", "0"): 0.3, ("0", "1"): 0.5, ("1", "0"): 0.9, ("1", "1"): 0.9},
                ),
            ],
            reward="Y",
        ),
        "levels": cb.World(
            [
                cb.node("X", {"a": 0.3, "b": 0.7}),
                cb.node("Y", ["-1", "0", "3"], given="X", table={"a": [0.2, 0.5, 0.3], "b": [0.5, 0.3, 0.2]}),
            ],
            reward="Y",
        ),
        "real": cb.World([cb.node("X", coin), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=0.2)], reward="Y"),
        "far from 0": cb.World([cb.node("X", coin), cb.linear("Y", {"X": 0.5}, noise=0.2, intercept=-900)], reward="Y"),
        "real and rare": cb.World(
            [
                cb.node("X", coin),
                cb.node("W", ["0", "1"], given="X", table={"0": 1e-6, "1": 0.0}),
                cb.linear("Y", {"X": 0.5, "W": 1.0}, noise=0.2),
            ],
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
    world = cb.World(
        [cb.node("X", {"0": 0.0, "1": 1.0}), cb.node("Y", ["0", "1"], given="X", table={"0": 0.2, "1": 0.8})],
        reward="Y",
    )
    dear = cb.simulate(world, world.problem(budget=400, cost=2, reveal_parents=True), cb.CausalUCB(), runs=10, seed=1)
    assert (dear.pulls["causal-ucb"][:, -1, 0] > 300).all()
    equal = cb.simulate(world, world.problem(horizon=400, reveal_parents=True), cb.CausalUCB(), runs=10, seed=1)
    assert (equal.pulls["causal-ucb"][:, -1, [0, 2]].sum(axis=0) > 0).all()


LEARNED = cb.CausalUCBLearned()


@pytest.mark.parametrize(("numbers", "runs"), [(TABLES[::10], 20), pytest.param(TABLES, 100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("observe", [False, True])
def test_what_it_costs_to_learn_the_distribution_of_the_parents(numbers: range, runs: int, observe: bool) -> None:
    """More than to know it, and still below half of what UCB loses, which ignores the graph, and causal-kl, which ignores the configurations."""
    found = []
    for number in numbers:
        world, _ = random_table(number)
        problem = world.problem(horizon=1000, observe=observe, reveal_parents=True)
        found.append(regret(world, problem, [cb.CausalUCB(), LEARNED, cb.CausalKL(), cb.UCB()], runs))
    means = {label: np.mean([one[label] for one in found]) for label in found[0]}
    assert means["causal-ucb"] < means["causal-ucb-learned"]
    assert means["causal-ucb-learned"] < 0.5 * means["ucb"]
    assert means["causal-ucb-learned"] < 0.7 * means["causal-kl"]


@pytest.mark.parametrize("name", kinds_of_worlds())
def test_learning_the_distribution_it_is_stuck_nowhere_either(name: str) -> None:
    world = kinds_of_worlds()[name]
    problem = world.problem(horizon=1500)
    result = cb.simulate(world, problem, LEARNED, runs=20, seed=1)
    means = world.means(problem)
    assert (result.left_over["causal-ucb-learned"] == 0).all()
    assert result.cumulative_regret["causal-ucb-learned"].mean() <= 0.12 * 1500 * np.ptp(means) + 1e-6
    assert np.mean(means.max() - means[result.recommended["causal-ucb-learned"]]) <= 0.05 * np.ptp(means) + 1e-9


def test_watching_teaches_the_distribution_under_arms_without_a_backdoor_path_and_of_no_other() -> None:
    """X1 -> X2, X1 -> W1 -> Y <- W2 <- X2: what an observation shows with X1 = x counts for do(X1 = x), with X2 = x for nothing."""
    world, _ = random_table(1)
    problem = world.problem(horizon=4000)
    trace = cb.trace(world, problem, FixedByBoth(arm=0), seed=3)
    case = Case(world, problem, LEARNED)
    driver = Driver(case, 3, 0)
    driver.hand_out(0, len(trace))
    driver.tell(trace, 0, len(trace))
    state = driver.state
    assert state.samples.tolist() == [4000, *((trace.shown["X1"] == x).sum() for x in "01"), 0, 0]
    for a in (0, 1, 2):
        exact = world.parent_distribution(problem.arms[a]).ravel()
        assert np.abs(state.samples_by_configuration[a] / state.samples[a] - exact).max() < 6 * 0.5 / np.sqrt(
            state.samples[a]
        )  # below 1e-8 each
        assert state.expected_sums[a] / state.samples[a] == pytest.approx(world.mean(problem.arms[a]), abs=0.1)


def test_an_arm_is_learned_from_configurations_that_other_arms_showed() -> None:
    """Under do(X=0) and do(X=1) W differs by little: rounds of one say nearly as much of the other, and UCB must find each by itself."""
    nodes = [
        cb.node("X", {"0": 0.5, "1": 0.5}),
        cb.node("W", ["0", "1"], given="X", table={"0": 0.45, "1": 0.55}, intervenable=False),
        cb.node("Y", ["0", "1"], given="W", table={"0": 0.4, "1": 0.6}),
    ]
    world = cb.World(nodes, reward="Y")
    driver = Driver(Case(world, world.problem(horizon=1000, observe=False), LEARNED), 0, 0)
    trace = cb.trace(world, driver.case.problem, FixedByBoth(arm=0), seed=1)
    driver.hand_out(0, 1000)
    driver.tell(trace, 0, 1000)
    one = cb.trace(world, driver.case.problem, FixedByBoth(arm=1), seed=1)
    driver.pending[1] += 20
    driver.tell(one, 0, 20)
    assert driver.state.uncertainty[1] < 0.2 / 20  # an arm alone in the world has 1/20 after 20 rounds


def test_who_must_see_the_parents_refuses_a_problem_that_hides_them_or_has_too_many() -> None:
    hidden = cb.World(
        [
            cb.node("X", {0: 0.5, 1: 0.5}),
            cb.node("U", {0: 0.5, 1: 0.5}, hidden=True),
            cb.node("Y", [0, 1], given=["X", "U"], table=TWO),
        ],
        reward="Y",
    )
    with pytest.raises(
        cb.InputError,
        match="causal-ucb-learned counts the configurations of the parents of Y, but U is hidden; use another policy",
    ):
        cb.simulate(hidden, hidden.problem(horizon=10), LEARNED, runs=1)
    wide = cb.worlds.parallel(p=[0.5] * 30, epsilon=0.3)
    with pytest.raises(
        cb.InputError, match=r"causal-ucb-learned counts 1.07e\+09 configurations .* use another policy"
    ):
        cb.simulate(wide, wide.problem(horizon=10), LEARNED, runs=1)


TWO = {(0, 0): 0.1, (0, 1): 0.4, (1, 0): 0.6, (1, 1): 0.8}
