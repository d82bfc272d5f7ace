"""Policies with planted weaknesses, and a rival that wins by luck alone."""

from __future__ import annotations

import numpy as np

import causalbandits as cb

WATCHED = 40


@cb.record
class State:
    rounds: np.ndarray
    reward: np.ndarray  # per cost


class Blinkered(cb.Policy):
    """It never tries an arm that its first observations did not show.

    Watch a little, then play the arm with the best mean for its cost among those that were shown."""

    kind = "blinkered"
    reads = "arms"
    goal = "cumulative regret"
    paper = "a test"

    def check(self, problem: cb.Problem) -> None:
        if not problem.observes or problem.reward.kind != "binary":
            raise cb.InputError("blinkered plays what it watches, with binary rewards; leave observe=True.")

    def init(self, view):  # type: ignore[no-untyped-def]
        return State(np.zeros(view.arms), np.zeros(view.arms))

    def ask(self, view, state, pending, left, rng):  # type: ignore[no-untyped-def]
        if state.rounds[0] < WATCHED:
            return 0, 1
        return cb.best_mean(state.reward, state.rounds, rng), 1

    def tell(self, view, state, arm, tally):  # type: ignore[no-untyped-def]
        if arm == 0 and state.rounds[0] < WATCHED:
            for other in range(1, view.arms):
                state.rounds[other] += tally.shown[other]
                state.reward[other] += tally.shown_reward[other] / view.costs[other]
        state.rounds[arm] += tally.rounds
        state.reward[arm] += tally.reward / view.costs[arm]

    def recommend(self, view, state, rng):  # type: ignore[no-untyped-def]
        return cb.best_mean(state.reward, state.rounds, rng)


class Patient(Blinkered):
    """It watches until every arm was shown, however rare it is, and then plays as Blinkered does."""

    kind = "patient"

    def ask(self, view, state, pending, left, rng):  # type: ignore[no-untyped-def]
        for a in range(view.arms):
            if state.rounds[a] == 0:
                return 0, 1
        return cb.best_mean(state.reward, state.rounds, rng), 1

    def tell(self, view, state, arm, tally):  # type: ignore[no-untyped-def]
        for a in range(view.arms):
            if arm == 0:
                state.rounds[a] += tally.shown[a]
                state.reward[a] += tally.shown_reward[a] / view.costs[a]
        if arm > 0:
            state.rounds[arm] += tally.rounds
            state.reward[arm] += tally.reward / view.costs[arm]


class Rotating(cb.Policy):
    """It learns nothing: it plays one arm after the other."""

    kind = "rotating"
    reads = "rewards"
    goal = "cumulative regret"
    paper = "a test"

    def init(self, view):  # type: ignore[no-untyped-def]
        return State(np.zeros(view.arms), np.zeros(view.arms))

    def ask(self, view, state, pending, left, rng):  # type: ignore[no-untyped-def]
        return int(np.argmin(state.rounds + pending)), 1

    def tell(self, view, state, arm, tally):  # type: ignore[no-untyped-def]
        state.rounds[arm] += tally.rounds

    def recommend(self, view, state, rng):  # type: ignore[no-untyped-def]
        return 0


class Cheapest(Rotating):
    """It always plays the cheapest arm, and recommends it."""

    kind = "cheapest"

    number: int = 0  # two of them with different numbers are two rivals

    def ask(self, view, state, pending, left, rng):  # type: ignore[no-untyped-def]
        return int(np.argmin(view.costs)), 1

    def recommend(self, view, state, rng):  # type: ignore[no-untyped-def]
        return int(np.argmin(view.costs))
