"""Counts by configuration of the reward's parents, for policies that know P(parents | do(a))."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.bridge.cache import shared
from ...engine.bridge.record import record
from ...errors import InputError
from ...problem import Problem
from .base import Columns


@record
class ParentsTally:
    """What a block of rounds of one arm showed. Every arm fills the columns."""

    rounds: int
    reward: float  # the sum
    seen: NDArray[np.int64]  # (configurations,) rounds with this configuration of the reward's parents
    seen_reward: NDArray[np.float64]  # (configurations,) the sum of rewards in these rounds


class ParentsLayout(NamedTuple):
    """How the values of the reward's parents give the number of their configuration."""

    parent: NDArray[np.int64]  # the places of the parents
    stride: NDArray[np.int64]  # what the next value of that parent adds to the number


class Parents(Columns):
    """Counts rounds by configuration of the reward's parents."""

    name = "parents"
    by_parents = True

    def check(self, problem: Problem, policy: str) -> None:
        if problem.parents is None:
            raise InputError(
                f"{policy} must know P(parents of {problem.reward.variable} | do(a)); "
                "make the problem with reveal_parents=True, or give [reward_parents] in its file."
            )

    def needs(self, problem: Problem, arm: int) -> tuple[str, ...]:
        return problem.graph[problem.reward.variable].parents

    def tally(self, problem: Problem) -> ParentsTally:
        return ParentsTally(0, 0.0, np.zeros(problem.configurations, np.int64), np.zeros(problem.configurations))

    def layout(self, problem: Problem, position: Mapping[str, int]) -> ParentsLayout:
        parents = problem.graph[problem.reward.variable].parents
        sizes = [len(problem.graph[name].values) for name in parents]
        strides = [math.prod(sizes[i + 1 :]) for i in range(len(parents))]
        return ParentsLayout(np.array([position[name] for name in parents], np.int64), np.array(strides, np.int64))

    @staticmethod
    def clear(tally: Any) -> None:
        for y in range(tally.seen.size):
            tally.seen[y] = 0
            tally.seen_reward[y] = 0.0

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        y = configuration_of(layout, values)
        tally.seen[y] += 1
        tally.seen_reward[y] += reward


@shared
def configuration_of(layout, values):
    """The number of the configuration of the reward's parents."""
    y = 0
    for i in range(len(layout.parent)):
        y += values[layout.parent[i]] * layout.stride[i]
    return y


PARENTS = Parents()
