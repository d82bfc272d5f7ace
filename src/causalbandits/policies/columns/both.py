"""Counts by configuration of the reward's parents and, for observations, by arm and configuration.

For policies that learn P(parents | do(a)) on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.bridge.record import record
from ...errors import InputError
from ...problem import LARGEST_PARENT_TABLE, Problem
from .arms import ARMS, holds
from .base import Columns
from .parents import PARENTS, configuration_of


@record
class BothTally:
    """What a block of rounds of one arm showed. Only the observation fills `shown_seen`."""

    rounds: int
    reward: float  # the sum
    seen: NDArray[np.int64]  # (configurations,) rounds with this configuration of the reward's parents
    seen_reward: NDArray[np.float64]  # (configurations,) the sum of rewards in these rounds
    shown_seen: NDArray[np.int64]  # (arms, configurations) rounds in which the arm's assignment held
    is_clear: bool  # whether `shown_seen` is all 0, because clearing it takes longer than a round


class BothLayout(NamedTuple):
    """The fields of `ArmsLayout` and of `ParentsLayout`."""

    observes: bool
    arms: NDArray[np.int64]
    start: NDArray[np.int64]
    place: NDArray[np.int64]
    value: NDArray[np.int64]
    parent: NDArray[np.int64]
    stride: NDArray[np.int64]


class Both(Columns):
    """Counts rounds by configuration, and observations by arm and configuration."""

    name = "both"

    def check(self, problem: Problem, policy: str) -> None:
        reward = problem.reward.variable
        for name in problem.graph[reward].parents:
            if problem.graph[name].hidden:
                raise InputError(
                    f"{policy} counts the configurations of the parents of {reward}, but {name} is hidden; "
                    "use another policy."
                )
        if problem.configurations * len(problem.arms) > LARGEST_PARENT_TABLE:
            raise InputError(
                f"{policy} counts {problem.configurations:.3g} configurations of the parents of {reward} for each of "
                f"{len(problem.arms)} arms, more than {LARGEST_PARENT_TABLE:,} numbers; use another policy."
            )

    def needs(self, problem: Problem, arm: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*ARMS.needs(problem, arm), *PARENTS.needs(problem, arm)]))

    def tally(self, problem: Problem) -> BothTally:
        number = problem.configurations
        shown_seen = np.zeros((len(problem.arms), number), np.int64)
        return BothTally(0, 0.0, np.zeros(number, np.int64), np.zeros(number), shown_seen, True)

    def layout(self, problem: Problem, position: Mapping[str, int]) -> BothLayout:
        return BothLayout(*ARMS.layout(problem, position), *PARENTS.layout(problem, position))

    @staticmethod
    def clear(tally: Any) -> None:
        for y in range(tally.seen.size):
            tally.seen[y] = 0
            tally.seen_reward[y] = 0.0
        if not tally.is_clear:
            for a in range(tally.shown_seen.shape[0]):
                for y in range(tally.seen.size):
                    tally.shown_seen[a, y] = 0
        tally.is_clear = True

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        y = configuration_of(layout, values)
        tally.seen[y] += 1
        tally.seen_reward[y] += reward
        if arm == 0 and layout.observes:
            tally.is_clear = False
            for i in range(len(layout.arms)):
                if holds(layout, i, values):
                    tally.shown_seen[layout.arms[i], y] += 1


BOTH = Both()
