"""The strengths of "causal-ucb-learned": little more regret than a policy that knows P(parents | do(a)).

It gets stuck in no world.
"""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.papers.nair2021.settings import TABLES, random_table

from ..contracts.cases import Case, Driver
from ..fixed import FixedByBoth
from .settings import TWO, kinds_of_worlds, regret

LEARNED = cb.CausalUCBLearned()


@pytest.mark.parametrize(("numbers", "runs"), [(TABLES[::10], 20), pytest.param(TABLES, 100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("observe", [False, True])
def test_learning_the_distribution_of_the_parents_costs_little(numbers: range, runs: int, observe: bool) -> None:
    """Learning the distribution costs more than knowing it.

    Still the regret is below half of that of UCB and of causal-kl.
    UCB ignores the graph, and causal-kl ignores the configurations.
    """
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
def test_it_finds_the_best_arm_in_every_kind_of_world_while_it_learns_the_distribution(name: str) -> None:
    world = kinds_of_worlds()[name]
    problem = world.problem(horizon=1500)
    result = cb.simulate(world, problem, LEARNED, runs=20, seed=1)
    means = world.means(problem)
    assert (result.left_over["causal-ucb-learned"] == 0).all()
    assert result.cumulative_regret["causal-ucb-learned"].mean() <= 0.12 * 1500 * np.ptp(means) + 1e-6
    assert np.mean(means.max() - means[result.recommended["causal-ucb-learned"]]) <= 0.05 * np.ptp(means) + 1e-9


def test_watching_teaches_the_distribution_only_under_arms_without_a_backdoor_path() -> None:
    """In the graph X1 -> X2, X1 -> W1 -> Y <- W2 <- X2 an observation with X1 = x counts for do(X1 = x).

    An observation with X2 = x does not count for do(X2 = x), because there is a backdoor path.
    """
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
        # below 1e-8 each
        assert np.abs(state.samples_by_configuration[a] / state.samples[a] - exact).max() < 6 * 0.5 / np.sqrt(
            state.samples[a]
        )
        assert state.expected_sums[a] / state.samples[a] == pytest.approx(world.mean(problem.arms[a]), abs=0.1)


def test_an_arm_is_learned_from_configurations_that_other_arms_showed() -> None:
    """W differs little between do(X=0) and do(X=1).

    So rounds of one arm tell nearly as much about the other. UCB must learn each arm separately.
    """
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


def test_it_refuses_a_problem_with_hidden_or_too_many_parents() -> None:
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
