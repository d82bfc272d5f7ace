"""A policy for tests: it pulls one arm for the whole budget, `count` rounds at a time."""

from __future__ import annotations

import causalbandits as cb


@cb.record
class State:
    rounds: int


class Fixed(cb.Policy):
    """Pulls `arm` until the money is gone; count 0 settles all that is left in one block."""

    kind = "fixed"
    reads = "rewards"

    arm: int = 0
    count: int = 0

    def init(self, problem):
        return State(0)

    def ask(self, problem, state, pending, left, rng):
        return self.arm, (self.count if self.count > 0 else left // problem.costs[self.arm])

    def tell(self, problem, state, arm, tally):
        state.rounds += tally.rounds

    def recommend(self, problem, state, rng):
        return self.arm
