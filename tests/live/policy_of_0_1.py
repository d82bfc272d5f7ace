"""A policy as a user wrote it for version 0.1. Version 0.1 gave it the hash in test_sources.py: do not edit it."""

import numpy as np

import causalbandits as cb
from causalbandits import best_mean, uniform

SCALE = np.array([1.0, 2.0])


@cb.record
class State:
    pulls: np.ndarray
    reward: np.ndarray


class Mine(cb.Policy):
    """Mine."""

    kind = "mine"
    reads = "rewards"
    epsilon: float = 0.1

    def init(self, problem):
        """With a docstring."""
        return State(np.zeros(problem.arms, np.int64), np.zeros(problem.arms))

    def ask(self, problem, state, pending, left, rng):
        if uniform(rng) < self.epsilon * SCALE[0] or state.pulls.sum() == 0:
            return cb.below(rng, problem.arms), 1
        return best_mean(state.reward, state.pulls, rng), 1

    def tell(self, problem, state, arm, tally):
        state.pulls[arm] += tally.rounds
        state.reward[arm] += tally.reward

    def recommend(self, problem, state, rng):
        return best_mean(state.reward, state.pulls, rng)
