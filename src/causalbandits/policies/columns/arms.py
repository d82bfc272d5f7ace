"""What watching shows about every arm: the observations in which the arm's assignment held, and their rewards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.bridge.cache import shared
from ...engine.bridge.record import record
from ...problem import Problem
from .base import Columns


@record
class ArmsTally:
    """What a block of rounds of one arm showed. Only the observation fills the columns."""

    rounds: int
    reward: float  # the sum
    shown: NDArray[np.int64]  # (arms,) rounds in which the arm's assignment held
    shown_reward: NDArray[np.float64]  # (arms,) the sum of rewards in these rounds
    is_clear: bool  # whether the columns are all 0


class ArmsLayout(NamedTuple):
    """The arms that watching teaches about, and what each of them sets.

    Arm arms[i] sets the variables place[start[i]:start[i + 1]] to value[start[i]:start[i + 1]].
    """

    observes: bool
    arms: NDArray[np.int64]  # the arms that watching teaches about, the observation included
    start: NDArray[np.int64]  # (arms + 1,) offsets
    place: NDArray[np.int64]  # of the variables that the arms set
    value: NDArray[np.int64]  # the number of the value that each is set to


class Arms(Columns):
    """Counts an observation for every arm whose assignment held in it."""

    name = "arms"
    in_bulk = True
    counts_arms = True

    def needs(self, problem: Problem, arm: int) -> tuple[str, ...]:
        if arm > 0 or not problem.observes:
            return ()
        names = [
            name for other, teaches in zip(problem.arms, problem.teaches, strict=True) if teaches for name in other
        ]
        return tuple(dict.fromkeys(names))

    def tally(self, problem: Problem) -> ArmsTally:
        arms = len(problem.arms)
        return ArmsTally(0, 0.0, np.zeros(arms, np.int64), np.zeros(arms), True)

    def layout(self, problem: Problem, position: Mapping[str, int]) -> ArmsLayout:
        arms = [a for a in range(len(problem.arms)) if problem.teaches[a]]
        sets = [
            [(position[name], problem.graph[name].index(value)) for name, value in problem.arms[a].items()]
            for a in arms
        ]
        return ArmsLayout(
            observes=problem.observes,
            arms=np.array(arms, np.int64),
            start=np.cumsum([0, *map(len, sets)], dtype=np.int64),
            place=np.array([place for pairs in sets for place, _ in pairs], np.int64),
            value=np.array([value for pairs in sets for _, value in pairs], np.int64),
        )

    @staticmethod
    def clear(tally: Any) -> None:
        if not tally.is_clear:
            for a in range(tally.shown.size):
                tally.shown[a] = 0
                tally.shown_reward[a] = 0.0
        tally.is_clear = True

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        if arm == 0 and layout.observes:
            tally.is_clear = False
            for i in range(len(layout.arms)):
                if holds(layout, i, values):
                    tally.shown[layout.arms[i]] += 1
                    tally.shown_reward[layout.arms[i]] += reward


@shared
def holds(layout, i, values):
    """Whether the variables have the values that arm layout.arms[i] would set."""
    for j in range(layout.start[i], layout.start[i + 1]):  # noqa: SIM110 - Numba compiles no `all`
        if values[layout.place[j]] != layout.value[j]:
            return False
    return True


ARMS = Arms()
