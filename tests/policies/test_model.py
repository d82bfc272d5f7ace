"""The circuit of a problem: exact means and gradients, held to plain enumeration of all values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.bridge.cache import compiled
from causalbandits.policies.columns import factors
from causalbandits.policies.columns.factors import factor_tables
from causalbandits.policies.maths import circuit as circuit_module
from causalbandits.policies.maths.circuit import NO_ROOT, Circuit, fill_gradients, fill_means
from causalbandits.policies.model import model_of
from causalbandits.policies.view import View, view_of

from ..identify.exact import by_definition, mean
from .columns.worlds import REWARDS, all_arms, world_of

CASES = [(hidden, seed, "binary") for hidden in range(4) for seed in range(4)]
CASES += [(seed % 3, seed, reward) for seed, reward in enumerate(REWARDS[1:], 20)]


def random_cells(problem: cb.Problem, seed: int) -> np.ndarray:
    """Any distribution in every row, and any mean of a reward that is not binary."""
    tables, rng = factor_tables(problem), np.random.default_rng(seed)
    parts = [rng.dirichlet(np.ones(card), rows).ravel() for rows, card in zip(tables.rows, tables.cards, strict=True)]
    cells = np.concatenate(parts)
    cells[tables.sums_from :] = rng.normal(size=tables.cells - tables.sums_from)
    return cells


def evaluated(circuit: Circuit, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means and gradients of all arms."""
    values, adjoints = np.full(circuit.size, np.nan), np.zeros(circuit.size)
    means, gradients = np.full(circuit.root.size, np.nan), np.zeros((circuit.root.size, circuit.cells))
    fill_means(circuit, cells, values, means)
    fill_gradients(circuit, values, adjoints, gradients)
    assert not adjoints.any()
    return means, gradients


def enumerated(problem: cb.Problem, arm: int, cells: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean of an arm and its gradient, term by term: each is a product of one cell of every factor."""
    tables, graph, sets = factor_tables(problem), problem.graph, problem.arms[arm]
    needed = tables.needed[arm]
    names = sorted({name for i in needed for name in tables.factors[i].variables} - set(sets) - {"Y"})
    total, gradient = 0.0, np.zeros(cells.size)
    for values in itertools.product(*(range(len(graph[name].values)) for name in names)):
        at = dict(zip(names, values, strict=True)) | {name: graph[name].index(value) for name, value in sets.items()}
        places = []
        for i in needed:
            factor, row = tables.factors[i], 0
            for name in factor.conditions:
                row = row * len(graph[name].values) + at[name]
            last = tables.cards[i] - 1  # success, or the mean
            places.append(tables.offsets[i] + row * tables.cards[i] + at.get(factor.variable, last))
        total += math.prod(cells[place] for place in places)
        for place in places:
            gradient[place] += math.prod(cells[other] for other in places if other != place)
    return total, gradient


def problem_of_case(hidden: int, seed: int, reward: str) -> tuple[cb.World, cb.Problem]:
    world = world_of(hidden, seed, reward)
    return world, world.problem(horizon=20_000, arms=all_arms(world), observe=seed % 4 != 1)


@pytest.mark.parametrize("cheap", [10**9, 0])
@pytest.mark.parametrize(("hidden", "seed", "reward"), CASES)
def test_means_and_gradients_are_those_of_enumeration(
    hidden: int, seed: int, reward: str, cheap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_module, "CHEAP", cheap)
    _, problem = problem_of_case(hidden, seed, reward)
    cells = random_cells(problem, seed)
    means, gradients = evaluated(model_of(problem), cells)
    for arm in range(len(problem.arms)):
        total, gradient = enumerated(problem, arm, cells)
        assert means[arm] == pytest.approx(total, abs=1e-12)
        np.testing.assert_allclose(gradients[arm], gradient, atol=1e-12)


@pytest.mark.parametrize(("hidden", "seed", "reward"), [case for case in CASES if case[2] != "real"])
def test_with_the_true_tables_the_means_are_those_of_the_world(hidden: int, seed: int, reward: str) -> None:
    """The oracle enumerates named values, so no reward is real here."""
    world, problem = problem_of_case(hidden, seed, reward)
    tables, cells = factor_tables(problem), np.zeros(factor_tables(problem).cells)
    for factor, offset, rows, card in zip(tables.factors, tables.offsets, tables.rows, tables.cards, strict=True):
        truth = by_definition(world, factor).reshape(rows, -1)
        if factor.variable == "Y":
            right = truth @ world.reward_values
            truth = np.stack([1 - right, right], axis=1) if card == 2 else right[:, None]
        cells[offset : offset + rows * card] = truth.ravel()
    means, _ = evaluated(model_of(problem), cells)
    for arm, found in zip(problem.arms, means, strict=True):
        assert found == pytest.approx(mean(world, arm), abs=1e-12)


def test_an_arm_that_is_learned_as_a_whole_has_no_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "MOST_ROWS", 30)
    _, problem = problem_of_case(0, 0, "binary")
    tables, circuit = factor_tables(problem), model_of(problem)
    assert ((circuit.root == NO_ROOT) == tables.whole).all()
    assert tables.whole.any()
    assert not tables.whole.all()
    means, gradients = evaluated(circuit, random_cells(problem, 1))
    assert (np.isnan(means) == tables.whole).all()
    assert not gradients[tables.whole].any()


def test_an_arm_whose_mean_takes_too_much_work_is_learned_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    _, problem = problem_of_case(0, 2, "binary")
    assert not factor_tables(problem).whole.any()
    assert model_of(problem).out.size > 40
    monkeypatch.setattr(factors, "MOST_PRODUCTS", 40)
    _, problem = problem_of_case(0, 2, "binary")
    whole = factor_tables(problem).whole
    assert whole.any()
    assert not whole.all()
    circuit = model_of(problem)
    for a in np.flatnonzero(~whole):
        steps = circuit.arm_step[circuit.arm_step_start[a] : circuit.arm_step_start[a + 1]]
        assert sum(circuit.step_start[step + 1] - circuit.step_start[step] for step in steps) <= 40
    monkeypatch.setattr(factors, "MOST_IN_ALL", 40)
    assert factor_tables(problem_of_case(0, 2, "binary")[1]).whole.sum() > whole.sum()


def test_the_cells_of_an_arm_are_those_with_a_derivative() -> None:
    _, problem = problem_of_case(2, 1, "binary")
    circuit = model_of(problem)
    _, gradients = evaluated(circuit, random_cells(problem, 3))
    for a in range(len(problem.arms)):
        cells = circuit.arm_cell[circuit.arm_cell_start[a] : circuit.arm_cell_start[a + 1]]
        assert np.flatnonzero(gradients[a]).tolist() == cells.tolist()


def test_compiled_code_computes_the_same() -> None:
    @compiled
    def ask(circuit, cells, values, means, adjoints, gradients):
        fill_means(circuit, cells, values, means)
        fill_gradients(circuit, values, adjoints, gradients)

    _, problem = problem_of_case(1, 2, "binary")
    circuit, cells = model_of(problem), random_cells(problem, 2)
    means, gradients = np.zeros(len(problem.arms)), np.zeros((len(problem.arms), circuit.cells))
    ask(circuit, cells, np.zeros(circuit.size), means, np.zeros(circuit.size), gradients)
    expected = evaluated(circuit, cells)
    assert means.tolist() == expected[0].tolist()
    assert gradients.tolist() == expected[1].tolist()


def test_arms_share_the_steps_that_they_have_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_module, "CHEAP", 0)  # looks for the best order
    chain = [cb.node("V0", {0: 0.5, 1: 0.5})]
    for i in range(1, 12):
        chain.append(cb.node(f"V{i}", [0, 1], given=f"V{i - 1}", table=[[0.6, 0.4], [0.2, 0.8]]))
    world = cb.World([*chain, cb.node("Y", [0, 1], given="V11", table=[[0.6, 0.4], [0.2, 0.8]])], reward="Y")
    circuit = model_of(world.problem(budget=100))
    alone = sum(circuit.step_start[step + 1] - circuit.step_start[step] for step in circuit.arm_step)
    assert circuit.out.size < alone / 2


@cb.record
class ModelView(View):
    """A view with the model."""

    circuit: Circuit
    row_start: np.ndarray


@cb.record
class ModelState:
    counts: np.ndarray
    cells: np.ndarray
    gradients: np.ndarray
    scratch_values: np.ndarray
    scratch_adjoints: np.ndarray
    scratch_means: np.ndarray


class Pooled(cb.Policy):
    """Plays the arm with the best mean in the model; a row that was never seen is uniform."""

    kind = "pooled"
    reads = "factors"

    def view(self, problem):
        row_start = factor_tables(problem).row_start
        return ModelView(**vars(view_of(problem)), circuit=model_of(problem), row_start=row_start)

    def init(self, view):
        circuit = view.circuit
        return ModelState(
            np.zeros(circuit.cells),
            np.zeros(circuit.cells),
            np.zeros((view.arms, circuit.cells)),
            np.zeros(circuit.size),
            np.zeros(circuit.size),
            np.zeros(view.arms),
        )

    def ask(self, view, state, pending, left, rng):
        for row in range(view.row_start.size - 1):
            total = 0.0
            for cell in range(view.row_start[row], view.row_start[row + 1]):
                total += state.counts[cell] + 1.0
            for cell in range(view.row_start[row], view.row_start[row + 1]):
                state.cells[cell] = (state.counts[cell] + 1.0) / total
        fill_means(view.circuit, state.cells, state.scratch_values, state.scratch_means)
        fill_gradients(view.circuit, state.scratch_values, state.scratch_adjoints, state.gradients)
        best = 0
        for a in range(view.arms):
            if state.scratch_means[a] > state.scratch_means[best]:
                best = a
        return best, 1 + np.int64(100 * abs(state.gradients[best, 0]))

    def tell(self, view, state, arm, tally):
        for cell in range(tally.counts.size):
            state.counts[cell] += tally.counts[cell]

    def recommend(self, view, state, rng):
        return np.argmax(state.scratch_means)


def test_a_policy_can_use_the_model_compiled_and_as_plain_python() -> None:
    world, problem = problem_of_case(1, 0, "binary")
    problem = world.problem(horizon=500)
    plain, compiled_run = (cb.trace(world, problem, Pooled(), seed=2, compiled=how) for how in (False, True))
    assert plain.arms.tolist() == compiled_run.arms.tolist()
    assert plain.recommended == compiled_run.recommended
    assert len(set(plain.arms.tolist())) > 1


def test_rows_lie_one_behind_the_other() -> None:
    _, problem = problem_of_case(2, 21, "real")
    tables = factor_tables(problem)
    starts = tables.row_start
    assert starts[-1] == tables.cells == model_of(problem).cells
    assert len(starts) - 1 == sum(tables.rows)
    for offset, rows, card in zip(tables.offsets, tables.rows, tables.cards, strict=True):
        assert set(range(offset, offset + rows * card, card)) <= set(starts.tolist())
