"""Policies of a user with one mistake each, in a module that a new process can import."""

from __future__ import annotations

import math
import random

import numpy as np
from numba import njit
from numpy.random import default_rng, randint

import causalbandits as cb

RNG = default_rng(1)


@cb.record
class State:
    pulls: np.ndarray
    reward: np.ndarray


class Right(cb.Policy):
    """Any arm."""

    kind = "right"
    reads = "rewards"

    def init(self, view):
        return State(np.zeros(view.arms, np.int64), np.zeros(view.arms))

    def ask(self, view, state, pending, left, rng):
        return cb.below(rng, view.arms), 1

    def tell(self, view, state, arm, tally):
        state.pulls[arm] += tally.rounds
        state.reward[arm] += tally.reward

    def recommend(self, view, state, rng):
        return cb.best_mean(state.reward, state.pulls, rng)


class FarIndex(Right):
    kind = "far-index"

    def tell(self, view, state, arm, tally):
        state.pulls[10**7] += 1  # the mistake


class DividesByZero(Right):
    kind = "divides-by-zero"

    def ask(self, view, state, pending, left, rng):
        return 1 / 0, 1  # the mistake


class DividesForNothing(Right):
    """The result is not used, so compiled code goes on."""

    kind = "divides-for-nothing"

    def ask(self, view, state, pending, left, rng):
        share = 1 / 0  # the mistake
        return 0, (1 if share > 0 else 2)


class LateIndex(Right):
    """Wrong only at the end, and only in some runs."""

    kind = "late-index"

    def recommend(self, view, state, rng):
        return 0 if state.pulls[0] != 20 else state.pulls[10**7]  # the mistake


class Answers(Right):
    """It answers what its parameters say."""

    kind = "answers"

    arm: float = 0.0
    count: float = 1.0
    recommended: float = 0.0
    huge: bool = False

    def ask(self, view, state, pending, left, rng):
        return (math.inf if self.huge else self.arm), (math.nan if self.count == 99 else self.count)

    def recommend(self, view, state, rng):
        return self.recommended


class OneNumber(Right):
    kind = "one-number"

    def ask(self, view, state, pending, left, rng):
        return 3


class NumpyRandom(Right):
    kind = "numpy-random"

    def ask(self, view, state, pending, left, rng):
        return np.random.randint(0, 2), 1  # the mistake


class ImportedRandom(Right):
    kind = "imported-random"

    def ask(self, view, state, pending, left, rng):
        return randint(0, 2), 1  # the mistake


class PythonRandom(Right):
    kind = "python-random"

    def recommend(self, view, state, rng):
        return random.randrange(2)  # the mistake


class Generator(Right):
    kind = "generator"

    def ask(self, view, state, pending, left, rng):
        return RNG.integers(2), 1  # the mistake


def helper():
    return int(np.random.random() * 2)  # the mistake


class HelpersRandom(Right):
    kind = "helpers-random"

    def ask(self, view, state, pending, left, rng):
        return helper(), 1


class OtherRandom(Right):
    """`random` as a name of one's own is no mistake."""

    kind = "other-random"

    def ask(self, view, state, pending, left, rng):
        random = np.int64(cb.uniform(rng) * view.arms)
        return random, 1


class FewArguments(Right):
    kind = "few-arguments"

    def ask(self, view, state, rng):
        return 0, 1


@njit
def deeper(values, i):
    return values[i]  # the mistake


@njit
def far(values):
    return deeper(values, 10**8)


class HelpersIndex(Right):
    kind = "helpers-index"

    def ask(self, view, state, pending, left, rng):
        return far(state.pulls), 1
