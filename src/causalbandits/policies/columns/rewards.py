"""The sum of rewards and nothing else: for bandits without side information."""

from __future__ import annotations

from typing import Any

from ...engine.bridge.record import record
from ...problem import Problem
from .base import Columns


@record
class RewardsTally:
    """What a block of rounds of one arm showed."""

    rounds: int
    reward: float  # the sum


class Rewards(Columns):
    """Counts only the rounds and rewards of the arm that was played."""

    name = "rewards"
    in_bulk = True

    def tally(self, problem: Problem) -> RewardsTally:
        return RewardsTally(0, 0.0)

    @staticmethod
    def clear(tally: Any) -> None:
        pass

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        pass


REWARDS = Rewards()
