"""A policy with a planted weakness: it watches a few rounds, and never tries an arm that these did not show."""

from __future__ import annotations

import numpy as np

import causalbandits as cb

WATCHED = 40


@cb.record
class State:
    rounds: np.ndarray
    reward: np.ndarray  # per cost


class Blinkered(cb.Policy):
    """Watch a little, then play the arm with the best mean for its cost among those that were shown."""

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
