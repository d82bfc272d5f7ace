"""Counts per factor: simulations in bulk and round by round, and the oracle, count the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.policies.columns import FACTORS, factors
from causalbandits.policies.columns.factors import factor_tables

from .slow import cells_of, counted
from .worlds import COUNTS, REWARDS, Recording, RecordingArms, State, all_arms, recorded, world_of

CASES = [(hidden, seed, "binary") for hidden in range(4) for seed in range(3)]
CASES += [(seed % 3, seed, reward) for seed, reward in enumerate(REWARDS[1:] * 2, 10)]


def assert_same(problem: cb.Problem, did: Any, tally: Any, rounds: Any) -> int:
    """The cells of a tally are those of the oracle. Returns the number of rounds in the cells."""
    cells, shown, shown_reward = counted(problem, did, rounds)
    found = cells_of(problem, tally)
    assert found.keys() == cells.keys()
    for key, cell in found.items():
        assert cell == pytest.approx(cells[key][: len(cell)], rel=1e-12, abs=1e-9)
    assert tally.shown.tolist() == shown.tolist()
    np.testing.assert_allclose(tally.shown_reward, shown_reward, rtol=1e-12, atol=1e-9)
    return int(tally.counts.sum())


def rounds_of(trace: cb.Trace, first: int, count: int) -> list[tuple[dict[str, str], float]]:
    return [
        ({name: str(values[r]) for name, values in trace.shown.items()}, float(trace.rewards[r]))
        for r in range(first, first + count)
    ]


def blocks_of(trace: cb.Trace) -> list[tuple[int, list[tuple[dict[str, str], float]]]]:
    """The arm and the rounds of every block."""
    ends = np.cumsum(trace.blocks[:, 1])
    return [
        (int(arm), rounds_of(trace, int(end - count), int(count)))
        for (arm, count), end in zip(trace.blocks, ends, strict=True)
    ]


@pytest.mark.parametrize(("hidden", "seed", "reward"), CASES)
def test_a_simulation_counts_what_its_trace_shows(hidden: int, seed: int, reward: str) -> None:
    world = world_of(hidden, seed, reward)
    problem = world.problem(horizon=20_000, arms=all_arms(world), observe=seed % 4 != 1)
    trace, tallies = recorded(world, problem, Recording())
    blocks = blocks_of(trace)
    assert {len(rounds) for _, rounds in blocks} >= set(COUNTS)
    taught = [
        assert_same(problem, problem.arms[arm], tally, rounds)
        for (arm, rounds), tally in zip(blocks, tallies, strict=True)
    ]
    assert sum(taught) > len(trace)


def test_the_cases_have_factors_that_only_some_rounds_teach() -> None:
    problems = [world_of(hidden, seed).problem(horizon=20) for hidden, seed, _ in CASES]
    tables = [factor_tables(problem) for problem in problems]
    taught = [len(taught) / len(table.factors) for table in tables for taught in table.taught if table.factors]
    assert 0 < min(taught) < max(taught) == 1


@pytest.mark.parametrize(
    ("hidden", "most", "reward"),
    [(0, 30, "binary"), (2, 30, "binary"), (3, 6, "binary"), (0, 30, "bounded"), (0, 30, "real"), (1, 1, "binary")],
)
def test_an_arm_whose_tables_are_too_large_is_counted_as_a_whole(
    hidden: int, most: int, reward: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factors, "MOST_ROWS", most)
    world = world_of(hidden, 0, reward)
    problem = world.problem(horizon=20_000, arms=all_arms(world))
    tables = factor_tables(problem)
    assert tables.whole.any()
    assert tables.whole.all() == (most == 1)
    assert max(tables.rows, default=1) <= most
    trace, tallies = recorded(world, problem, Recording())
    for (arm, rounds), tally in zip(blocks_of(trace), tallies, strict=True):
        assert_same(problem, problem.arms[arm], tally, rounds)
    assert sum(tally.shown[tables.whole].sum() for tally in tallies) > 0


def test_the_world_of_fifty_parents_has_no_tables_and_counts_as_the_arms_column_does() -> None:
    world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    problem = world.problem(horizon=4000)
    assert factor_tables(problem).cells == 0
    trace, tallies = recorded(world, problem, Recording())
    (arm, rounds) = blocks_of(trace)[0]
    assert arm == 0
    _, by_arms = recorded(world, problem, RecordingArms())
    assert tallies[0].shown.tolist() == by_arms[0].shown.tolist()
    assert sum(tally.shown.sum() for tally in tallies) > 50
    for (arm, rounds), tally in zip(blocks_of(trace), tallies, strict=True):
        assert_same(problem, problem.arms[arm], tally, rounds)


def test_a_parent_on_which_no_table_depends_is_counted_too() -> None:
    world = cb.worlds.parallel(p=[0.3] * 6, epsilon=0.3)  # Y depends on X1 alone
    problem = world.problem(horizon=6000)
    assert max(factor_tables(problem).rows) == 64
    trace, tallies = recorded(world, problem, Recording())
    for (arm, rounds), tally in zip(blocks_of(trace), tallies, strict=True):
        assert_same(problem, problem.arms[arm], tally, rounds)


def test_a_small_budget_changes_no_table() -> None:
    world = world_of(0, 0)
    rich, poor = (factor_tables(world.problem(budget=budget)) for budget in (10**6, 1))
    assert max(poor.rows) > 1
    assert (poor.rows, poor.needed) == (rich.rows, rich.needed)
    assert not poor.whole.any()


def test_where_the_parents_are_revealed_only_the_rewards_own_factor_is_counted() -> None:
    world = cb.worlds.random_world(np.random.default_rng(3), variables=6)
    problem = world.problem(horizon=5000, reveal_parents=True)
    tables = factor_tables(problem)
    assert tables.uses_parents
    assert [factor.variable for factor in tables.factors] == ["Y"]
    assert set(tables.needed) == {(0,)}
    trace, tallies = recorded(world, problem, Recording())
    for (arm, rounds), tally in zip(blocks_of(trace), tallies, strict=True):
        assert_same(problem, problem.arms[arm], tally, rounds)


class Hashing(Recording):
    """Recommends an arm that depends on every cell of every tally."""

    kind = "hashing"

    def init(self, view):
        return State(0)

    def tell(self, view, state, arm, tally):
        for i in range(tally.counts.size):
            state.asked += (i + 1) * tally.counts[i] * view.arms
        state.asked += 1

    def recommend(self, view, state, rng):
        return (state.asked // view.arms) % view.arms


def test_compiled_and_plain_runs_count_the_same() -> None:
    world = world_of(1, 0)
    problem = world.problem(horizon=3000)
    plain, compiled = (
        cb.simulate(world, problem, Hashing(), runs=20, seed=3, compiled=how).recommended["hashing"]
        for how in (False, True)
    )
    assert plain.tolist() == compiled.tolist()
    assert len(set(plain.tolist())) > 3


def test_the_variables_of_every_factor_that_a_round_teaches_are_needed() -> None:
    problem = cb.worlds.marketing().problem(budget=100)
    tables = factor_tables(problem)
    for a in range(len(problem.arms)):
        names = {name for f in tables.taught[a] for name in tables.factors[f].variables}
        assert set(FACTORS.needs(problem, a)) == names - {"Purchase"}
