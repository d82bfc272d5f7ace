"""Live rounds and logs are counted by factor: as a simulation counts them, whatever they leave out or set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.live.learner import Learner
from causalbandits.live.outcomes import Counter, Outcome
from causalbandits.policies.columns import FACTORS, NO_ARM, Columns
from causalbandits.policies.columns.factors import factor_tables

from ..identify.graphs import problem_of
from ..policies.columns.slow import cells_of, counted
from ..policies.columns.worlds import REWARDS, all_arms, world_of


@cb.record
class State:
    asked: int
    counts: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    shown: np.ndarray
    shown_reward: np.ndarray
    others: int


class Adding(cb.Policy):
    """Plays all arms in turn, and adds up all that it is told."""

    kind = "adding"
    reads = "factors"

    def init(self, view):
        return State(0, np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros(0, int), np.zeros(0), 0)

    def ask(self, view, state, pending, left, rng):
        return state.asked // 2 % view.arms, 2

    def tell(self, view, state, arm, tally):
        for name in ("counts", "sums", "squares", "shown", "shown_reward"):
            held = getattr(state, name)
            setattr(state, name, getattr(tally, name) + (held if held.size else 0))
        if arm == NO_ARM:
            state.others += tally.rounds
        else:
            state.asked += tally.rounds

    def recommend(self, view, state, rng):
        return 0


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> type[cb.Policy]:
    monkeypatch.setitem(cb.policies.REGISTRY, "adding", Adding)
    return Adding


def begun(problem: cb.Problem, tmp_path: Path) -> cb.Experiment:
    return cb.Experiment.create(f"sqlite:///{tmp_path}/live.db", "factors", problem, Adding(), seed=5)


def learned(experiment: cb.Experiment) -> State:
    """What the policy knows, read again from the journal."""
    again = cb.Experiment.open(experiment.storage, experiment.name)
    learner: Learner = again._learner
    return learner.state


def test_a_live_experiment_counts_what_a_simulation_counts(registered: Any, tmp_path: Path) -> None:
    for seed, reward in enumerate(REWARDS):
        world = world_of(seed % 3, seed, reward)
        problem = world.problem(horizon=60, arms=all_arms(world))
        trace = cb.trace(world, problem, Adding(), seed=5, compiled=False)
        (tmp_path / reward).mkdir()
        live = begun(problem, tmp_path / reward)
        parts: dict[int, list[Any]] = {}
        for r in range(len(trace)):
            trial = live.ask()
            arm = problem.arm(trial.intervention)
            assert arm == trace.arms[r]
            shown = {name: str(values[r]) for name, values in trace.shown.items()}
            live.tell(trial.number, reward=None if "Y" in shown else float(trace.rewards[r]), values=shown)
            parts.setdefault(arm, []).append((shown, float(trace.rewards[r])))
        state, expected = learned(live), {}
        for arm, rounds in parts.items():
            for key, cell in counted(problem, problem.arms[arm], rounds)[0].items():
                expected[key] = [a + b for a, b in zip(cell, expected.get(key, [0, 0.0, 0.0]), strict=True)]
        found = cells_of(problem, state)
        assert found.keys() == expected.keys()
        for key, cell in found.items():
            assert cell == pytest.approx(expected[key][: len(cell)], rel=1e-12, abs=1e-9)


FORK = problem_of("Z->X Z->Y X->Y W->Y")


def variables_taught(problem: cb.Problem, state: State) -> set[str]:
    return {key[0] for key in cells_of(problem, state)}


@pytest.mark.parametrize(
    ("values", "taught"),
    [
        ({"Z": 0, "X": 1, "W": 1}, {"P(Z)", "P(W)", "P(X | Z)", "P(Y | Z, X, W)"}),
        ({"Z": 0, "X": 1}, {"P(Z)", "P(X | Z)"}),
        ({"X": 1, "W": 1}, {"P(W)"}),
        ({"X": "", "W": 1, "Z": None}, {"P(W)"}),  # empty cells of a file
        ({}, set()),
    ],
)
def test_a_round_teaches_the_factors_whose_variables_it_shows(
    values: dict[str, int], taught: set[str], registered: Any, tmp_path: Path
) -> None:
    live = begun(FORK, tmp_path)
    trial = live.ask()
    assert trial.intervention == {}
    live.tell(trial.number, reward=1, values=values)
    assert variables_taught(FORK, learned(live)) == taught
    assert live.status().arms[0].mean == 1  # the reward is that of the arm all the same


def test_however_rounds_are_split_the_counts_are_the_same() -> None:
    for seed, reward in enumerate(REWARDS):
        world = world_of(seed % 3, seed, reward)
        problem = world.problem(horizon=300, arms=all_arms(world))
        counter, rng = Counter(problem, FACTORS), np.random.default_rng(seed)
        for arm in (0, 1, len(problem.arms) - 1):
            log = cb.sample(world, 40, problem.arms[arm], seed=seed)
            rewards = log.get("Y") if reward == "real" else rng.integers(0, 2, 40)
            outcomes = [
                Outcome(float(rewards[r]), {name: str(values[r]) for name, values in log.items() if name != "Y"})
                for r in range(40)
            ]
            whole = counter.count(arm, outcomes)
            parts = [counter.count(arm, outcomes[first:last]) for first, last in ((0, 1), (1, 17), (17, 40))]
            assert whole.counts.sum() > 40
            assert sum(part.counts for part in parts).tolist() == whole.counts.tolist()
            assert sum(part.shown for part in parts).tolist() == whole.shown.tolist()
            for name in ("sums", "squares", "shown_reward"):
                np.testing.assert_allclose(sum(getattr(part, name) for part in parts), getattr(whole, name), rtol=1e-12)


def test_what_an_arm_sets_counts_as_shown_and_teaches_no_factor_of_its_own(registered: Any, tmp_path: Path) -> None:
    problem = cb.Problem(FORK.graph, "Y", success="1", horizon=50, arms=["do(X=1)"], observe=False)
    live = begun(problem, tmp_path)
    live.tell(live.ask().number, reward=0, values={"Z": 1, "W": 0})
    assert cells_of(problem, learned(live)) == {
        ("P(Z)", (), "1"): [1],
        ("P(W)", (), "0"): [1],
        ("P(Y | Z, X, W)", ("1", "1", "0"), 0.0): [1],
    }


LOG = [
    {"Z": 0, "X": 1, "W": 1, "Y": 1},
    {"Z": 1, "X": 1, "W": 0, "Y": 0, "do": "do(X=1)"},  # an arm
    {"Z": 1, "X": 0, "W": 1, "Y": 1, "do": {"Z": 1, "X": 0}},  # no arm
    {"Z": 1, "X": 0, "W": 1, "Y": 1, "do": ""},
    {"Y": 1, "X": 0, "do": "do(Z=0, W=1)"},
]


@pytest.mark.parametrize("observe", [True, False])
def test_logged_rounds_count_as_rounds_of_what_was_set_in_them(observe: bool, registered: Any, tmp_path: Path) -> None:
    problem = cb.Problem(FORK.graph, "Y", success="1", horizon=50, observe=observe)
    live = begun(problem, tmp_path)
    assert live.import_observations(LOG) == len(LOG)
    state, expected = learned(live), {}
    for row in LOG:
        did = cb.Intervention.of(row.get("do") or {})
        shown = {**{k: str(v) for k, v in row.items() if k != "do"}, **did}
        for key, cell in counted(problem, did, [(shown, float(row["Y"]))])[0].items():
            expected[key] = [expected.get(key, [0])[0] + cell[0]]
    assert cells_of(problem, state) == expected
    assert sum(cell[0] for key, cell in expected.items() if key[0] == "P(X | Z)") == 3  # do(Z=0, W=1) teaches it too
    assert state.others == (2 if observe else 4)
    status = live.status()
    assert (status.spent, status.observations_imported) == (0, len(LOG))
    assert status.arms[problem.arm("do(X=1)")].effective_pulls == 1


def test_a_log_under_interventions_is_refused_where_it_cannot_be_counted(registered: Any, tmp_path: Path) -> None:
    live = begun(FORK, tmp_path)
    for did, sentence in [
        ({"Y": 1}, "which sets the reward"),
        ("do(X=7)", "no value of X '7'"),
        ("X=1", r"written \"do\(X=1\)\""),
        ({"X": 0}, r"The row was played under do\(X=0\), but X=1 was told"),
    ]:
        with pytest.raises(cb.InputError, match=sentence):
            live.import_observations([{"Z": 0, "X": 1, "W": 1, "Y": 1, "do": did}])
    watching = cb.Experiment.create(f"sqlite:///{tmp_path}/other.db", "other", FORK, cb.CausalKL())
    with pytest.raises(cb.InputError, match=r"learns from logged observations only, but the row was played under do"):
        watching.import_observations(LOG)
    assert watching.import_observations([LOG[0], LOG[3]]) == 2


class NeedsAll(Columns):
    """Needs every variable, hidden ones too."""

    name = "needs-all"

    def needs(self, problem: cb.Problem, arm: int) -> tuple[str, ...]:
        return tuple(v.name for v in problem.graph.variables if v.name != problem.reward.variable)


class NeedsHidden(Adding):
    kind = "needs-hidden"
    reads = NeedsAll()


def test_a_policy_that_needs_a_variable_which_is_not_shown_is_told_at_the_beginning(
    monkeypatch: pytest.MonkeyPatch, registered: Any, tmp_path: Path
) -> None:
    monkeypatch.setitem(cb.policies.REGISTRY, "needs-hidden", NeedsHidden)
    problem = problem_of("U->X U->Y X->Y", hidden="U")
    with pytest.raises(
        cb.InputError, match=r"needs-hidden needs the value of U in every round of do\(\), but U is hid"
    ):
        cb.Experiment.create(f"sqlite:///{tmp_path}/live.db", "hidden", problem, NeedsHidden())
    begun(problem, tmp_path)  # factors need no hidden variable
    assert factor_tables(problem).cells > 0
