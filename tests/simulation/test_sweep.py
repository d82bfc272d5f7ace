"""A sweep: the simulations that one would run by hand, kept cell by cell."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.simulation import jobs

from ..fixed import Fixed

WORLDS = {"shop": cb.worlds.marketing(), "even": cb.worlds.parallel(p=[0.3, 0.5], epsilon=0.2)}
POLICIES = [cb.FKube(), cb.UCB()]


class Counting(Executor):
    """Runs at once and counts; breaks down after some cells."""

    def __init__(self, last: int = 10**9) -> None:
        self.done, self.last = 0, last

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.done >= self.last:
            future.set_exception(KeyboardInterrupt())
        else:
            self.done += 1
            future.set_result(function(*arguments, **named))
        return future


def swept(**options: Any) -> cb.Sweep:
    return cb.sweep(WORLDS, POLICIES, **{"costs": [1, 2.5], "budgets": [100, 200], "runs": 20, "seed": 3, **options})


def test_a_cell_is_the_simulation_of_its_world_cost_and_budget() -> None:
    cells = swept()
    assert [(cell.world, cell.cost, cell.size) for cell in cells] == [
        (w, c, b) for w in WORLDS for c in (1, 2.5) for b in (100, 200)
    ]
    world = WORLDS["even"]
    alone = cb.simulate(world, world.problem(budget=200, cost=2.5), POLICIES, runs=20, seed=3)
    np.testing.assert_array_equal(list(cells)[-1].result.pulls["ucb"], alone.pulls["ucb"])
    assert repr(cells) == "Sweep(8 cells)"


def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        swept(folder=tmp_path, executor=Counting(last=3))
    assert len(list(tmp_path.iterdir())) == 3
    rest = Counting()
    cells = swept(folder=tmp_path, executor=rest)
    assert rest.done == 5
    again = Counting()
    same = swept(folder=tmp_path, executor=again)
    assert again.done == 0
    for one, other in zip(cells, same, strict=True):
        np.testing.assert_array_equal(one.result.pulls["f-kube"], other.result.pulls["f-kube"])


@pytest.mark.parametrize(
    "change", [{"runs": 21}, {"seed": 4}, {"budgets": [100, 201]}, {"costs": [1, 3]}, {"observe": False}]
)
def test_a_changed_option_runs_the_cells_that_it_changes(tmp_path: Path, change: dict[str, Any]) -> None:
    swept(folder=tmp_path, executor=Counting())
    changed = Counting()
    swept(folder=tmp_path, executor=changed, **change)
    assert changed.done == (4 if set(change) <= {"budgets", "costs"} else 8)


def test_a_policy_with_another_parameter_is_run_again(tmp_path: Path) -> None:
    cb.sweep(WORLDS["even"], cb.FKube(), budgets=[100], runs=5, folder=tmp_path, executor=Counting())
    other = Counting()
    cb.sweep(WORLDS["even"], cb.FKube(exploration=8), budgets=[100], runs=5, folder=tmp_path, executor=other)
    assert other.done == 1


@pytest.mark.slow
def test_a_policy_whose_source_has_changed_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(Fixed):
        kind = "mine"

    monkeypatch.setitem(cb.policies.REGISTRY, "mine", Mine)
    ran = [Counting() for _ in range(3)]
    cb.sweep(WORLDS["even"], Mine(), budgets=[100], runs=5, folder=tmp_path, executor=ran[0])
    cb.sweep(WORLDS["even"], Mine(), budgets=[100], runs=5, folder=tmp_path, executor=ran[1])
    Mine.recommend = lambda self, problem, state, rng: 1  # type: ignore[method-assign]
    cb.sweep(WORLDS["even"], Mine(), budgets=[100], runs=5, folder=tmp_path, executor=ran[2])
    assert [count.done for count in ran] == [1, 0, 1]


def test_a_damaged_cell_is_named_with_the_remedy_and_run_again_after_it_is_deleted(tmp_path: Path) -> None:
    swept(folder=tmp_path, executor=Counting())
    damaged = sorted(tmp_path.iterdir())[3]
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(
        cb.InputError, match=rf"^The cell in '[^\n]*{damaged.name}' is damaged; delete that file, [^\n]*\.$"
    ):
        swept(folder=tmp_path, executor=Counting())
    damaged.unlink()
    again = Counting()
    swept(folder=tmp_path, executor=again)
    assert again.done == 1


def test_cells_can_be_run_in_other_processes() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        away = swept(executor=pool)
    for one, other in zip(swept(), away, strict=True):
        np.testing.assert_array_equal(one.result.pulls["ucb"], other.result.pulls["ucb"])


def test_a_sweep_over_horizons_becomes_a_table() -> None:
    pytest.importorskip("pandas", reason="the extra [pandas] is not installed")
    world = cb.worlds.confounded_chain()
    table = cb.sweep(
        world, [cb.CUCB2(), cb.Greedy()], horizons=[10, 50], runs=10, observe=False, reveal_parents=True
    ).to_pandas()
    assert list(table["size"]) == [10, 10, 50, 50]
    assert set(table["policy"]) == {"c-ucb-2", "greedy"}
    assert (table["cumulative_regret_low"] <= table["cumulative_regret"]).all()


def test_mistakes_are_found_before_anything_is_run(tmp_path: Path) -> None:
    world = WORLDS["even"]
    ran = Counting()
    for options, sentence in (
        ({}, "either budgets or horizons"),
        ({"budgets": [10], "horizons": [10]}, "either budgets or horizons"),
        ({"budgets": []}, "nothing to sweep over"),
        ({"budgets": [100, 3]}, "f-kube"),
        ({"budgets": [100], "costs": [-1]}, "cost"),
    ):
        with pytest.raises(cb.InputError, match=sentence):
            cb.sweep(world, "f-kube", executor=ran, **options)  # type: ignore[arg-type]
    assert ran.done == 0
    (tmp_path / "file").write_text("")
    with pytest.raises(cb.InputError, match="cannot be written"):
        cb.sweep(world, "ucb", budgets=[100], runs=2, folder=tmp_path / "file")


class Fussy(Fixed):
    """It refuses small budgets, and fails with large ones."""

    kind = "fussy"

    def check(self, problem: cb.Problem) -> None:
        if problem.exact_budget < 50 * 10**6:
            raise cb.InputError("fussy needs a budget of at least 50.")

    def recommend(self, view: Any, state: Any, rng: Any) -> Any:
        return 0 if view.budget < 150 * 10**6 else 99


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(1)])
def test_what_is_refused_is_skipped_and_listed(executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_PLAIN", {Fussy, Fixed})  # nothing is compiled

    def run(**options: Any) -> cb.Sweep:
        chosen: dict[str, Any] = {"costs": [1], "budgets": [0.5, 20, 100, 200], "runs": 2, **options}
        return cb.sweep(WORLDS["even"], [Fussy(), Fixed(arm=1)], executor=executor, **chosen)

    with pytest.raises(cb.InputError, match="below the cheapest arm"):
        run()
    with pytest.raises(cb.InputError, match="fussy needs a budget of at least 50"):
        run(budgets=[20, 100])
    with pytest.raises(cb.InputError, match="fussy chose arm 99"):
        run(budgets=[100, 200])
    found = run(on_error="skip")
    assert [(cell.size, list(cell.result.pulls)) for cell in found] == [
        (20, ["fixed(arm=1)"]),
        (100, ["fussy", "fixed(arm=1)"]),
    ]
    assert [(cell.size, cell.policy) for cell in found.skipped] == [(0.5, ""), (20, "fussy"), (200, "")]
    assert "below the cheapest arm" in found.skipped[0].reason
    assert "at least 50" in found.skipped[1].reason
    assert "chose arm 99" in found.skipped[2].reason
    assert repr(found) == "Sweep(2 cells, 3 skipped)"
    assert set(found.to_pandas()["size"]) == {20, 100}


def test_a_mistake_in_an_argument_is_not_skipped() -> None:
    for mistake in ({"policies": "ucbb"}, {"runs": 0}, {"executor": 3}):
        with pytest.raises(cb.InputError):
            cb.sweep(WORLDS["even"], **{"budgets": [20], "on_error": "skip", **mistake})
