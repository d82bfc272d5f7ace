"""A new kind of tally is one class: it is counted in simulation and live, and no file of the library changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import causalbandits as cb
from causalbandits.policies.columns import Columns


@cb.record
class FirstTally:
    rounds: int
    reward: float
    by_value: np.ndarray  # (values,) rounds in which the first variable of the graph had this value
    reward_by_value: np.ndarray


class FirstLayout(NamedTuple):
    place: int


class FirstVariable(Columns):
    """Counts every round, watched or acted, by the value of the graph's first visible variable."""

    name = "first-variable"

    def _variable(self, problem: cb.Problem) -> Any:
        return next(v for v in problem.graph.variables if not v.hidden and v.name != problem.reward.variable)

    def needs(self, problem: cb.Problem, arm: int) -> tuple[str, ...]:
        return (self._variable(problem).name,)

    def tally(self, problem: cb.Problem) -> FirstTally:
        number = len(self._variable(problem).values)
        return FirstTally(0, 0.0, np.zeros(number, np.int64), np.zeros(number))

    def layout(self, problem: cb.Problem, position: Any) -> FirstLayout:
        return FirstLayout(position[self._variable(problem).name])

    @staticmethod
    def clear(tally: Any) -> None:
        for k in range(tally.by_value.size):
            tally.by_value[k] = 0
            tally.reward_by_value[k] = 0.0

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        tally.by_value[values[layout.place]] += 1
        tally.reward_by_value[values[layout.place]] += reward


FIRST_VARIABLE = FirstVariable()


@cb.record
class State:
    counts: np.ndarray
    rewards: np.ndarray
    rounds: int


class Counting(cb.Policy):
    """Plays the arms in turn; recommends the arm whose number is the number of rounds with the first value."""

    kind = "counting"
    reads = FIRST_VARIABLE

    def init(self, view):
        return State(np.zeros(2, np.int64), np.zeros(2), 0)

    def ask(self, view, state, pending, left, rng):
        return state.rounds % view.arms, 3

    def tell(self, view, state, arm, tally):
        state.rounds += tally.rounds
        for k in range(2):
            state.counts[k] += tally.by_value[k]
            state.rewards[k] += tally.reward_by_value[k]

    def recommend(self, view, state, rng):
        return state.counts[0] % view.arms


def test_the_columns_of_a_new_kind_count_what_a_trace_shows() -> None:
    world = cb.worlds.marketing()
    problem = world.problem(budget=100, cost=2)
    for compiled in (True, False):
        trace = cb.trace(world, problem, Counting(), seed=4, compiled=compiled)
        small = int((trace.shown["Image"] == "small").sum())
        assert 0 < small < len(trace)
        assert trace.recommended == small % len(problem.arms)


def test_a_live_experiment_counts_a_new_kind_as_a_simulation_does(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(cb.policies.REGISTRY, "counting", Counting)
    world = cb.worlds.marketing()
    problem = world.problem(budget=60, cost=2)
    trace = cb.trace(world, problem, Counting(), seed=4)
    live = cb.Experiment.create(f"sqlite:///{tmp_path}/live.db", "kind", problem, Counting(), seed=4)
    for r in range(len(trace)):
        trial = live.ask()
        assert problem.arm(trial.intervention) == trace.arms[r]
        shown = {name: str(values[r]) for name, values in trace.shown.items()}
        live.tell(trial.number, values=shown)
    assert problem.arm(live.recommend().intervention) == trace.recommended
