"""Policies for tests: they pull one arm for the whole budget, `count` rounds at a time."""

from __future__ import annotations

import causalbandits as cb


@cb.record
class State:
    rounds: int


class Fixed(cb.Policy):
    """Pulls `arm` until the money is gone. With count 0 one block uses all the money that is left."""

    kind = "fixed"
    reads = "rewards"

    arm: int = 0
    count: int = 0

    def init(self, view):
        return State(0)

    def ask(self, view, state, pending, left, rng):
        return self.arm, (self.count if self.count > 0 else left // view.costs[self.arm])

    def tell(self, view, state, arm, tally):
        state.rounds += tally.rounds

    def recommend(self, view, state, rng):
        return self.arm


class FixedByArms(Fixed):
    """The same, but it reads what each observation shows about the arms: more variables must be drawn."""

    kind = "fixed-by-arms"
    reads = "arms"


class FixedByBoth(Fixed):
    """The same, but it reads both at once: what each observation shows about the arms, by configuration."""

    kind = "fixed-by-both"
    reads = "both"


class FixedByParents(Fixed):
    """The same, but it reads the configurations of the reward's parents: rounds are drawn in another way."""

    kind = "fixed-by-parents"
    reads = "parents"

    def check(self, problem):
        if problem.parents is None:
            raise cb.InputError("Reveal the parents.")
