"""A policy that keeps the contract, and policies that break one clause of it each."""

from __future__ import annotations

import itertools

import numpy as np

import causalbandits as cb


@cb.record
class State:
    pulls: np.ndarray
    reward: np.ndarray
    changes: int  # what a broken policy counts
    scratch: np.ndarray  # (arms,) working memory


class Fine(cb.Policy):
    """Any arm, three rounds at a time."""

    kind = "fine"
    reads = "rewards"

    def init(self, view):
        return State(np.zeros(view.arms, np.int64), np.zeros(view.arms), 0, np.zeros(view.arms))

    def ask(self, view, state, pending, left, rng):
        return cb.below(rng, view.arms), 3

    def tell(self, view, state, arm, tally):
        state.pulls[arm] += tally.rounds
        state.reward[arm] += tally.reward

    def recommend(self, view, state, rng):
        return cb.best_mean(state.reward, state.pulls, rng)


class BeyondTheLastArm(Fine):
    kind = "beyond-the-last-arm"

    def ask(self, view, state, pending, left, rng):
        return view.arms, 1


class RecommendsNoArm(Fine):
    kind = "recommends-no-arm"

    def recommend(self, view, state, rng):
        return -1


CALLS = itertools.count()


class Remembers(Fine):
    """It counts its calls outside of the state."""

    kind = "remembers"

    def ask(self, view, state, pending, left, rng):
        return next(CALLS) // 7 % view.arms, 1


class CountsTells(Fine):
    """Its choice depends on how often it was told, not on how many rounds."""

    kind = "counts-tells"

    def ask(self, view, state, pending, left, rng):
        return state.changes % view.arms, 3

    def tell(self, view, state, arm, tally):
        state.changes += 1


class LearnsInAsk(Fine):
    kind = "learns-in-ask"

    def ask(self, view, state, pending, left, rng):
        state.changes += 1
        return 0, 3


class LearnsInRecommend(Fine):
    kind = "learns-in-recommend"

    def recommend(self, view, state, rng):
        state.changes += 1
        return 0


class KeepsItsScratch(Fine):
    """It relies on what its last call left in the working memory."""

    kind = "keeps-its-scratch"

    def ask(self, view, state, pending, left, rng):
        state.scratch[0] += 1.0
        return int(state.scratch[0]) % view.arms, 3


class ReadsItsScratch(Fine):
    """It relies on working memory that is still empty."""

    kind = "reads-its-scratch"

    def ask(self, view, state, pending, left, rng):
        return (0 if state.scratch[0] == 0.0 else 1), 3


class ChangesTheView(Fine):
    kind = "changes-the-view"

    def ask(self, view, state, pending, left, rng):
        view.prices[0] += 1.0
        return 0, 3


class Overflows(Fine):
    """Whole numbers of Python grow without end, those of compiled code do not."""

    kind = "overflows"

    def ask(self, view, state, pending, left, rng):
        large = 9_000_000_000_000_000_001 * (int(state.pulls.sum()) + 3)
        return large % view.arms, 1


class Hashes(Fine):
    """The hash of a text differs between processes."""

    kind = "hashes"

    def ask(self, view, state, pending, left, rng):
        return hash(f"round {state.pulls.sum()}") % view.arms, 1


PLACE_IN_MEMORY = object()


class UsesAnObject(Fine):
    kind = "uses-an-object"

    def ask(self, view, state, pending, left, rng):
        return (0 if PLACE_IN_MEMORY else 1), 3


class Crashes(Fine):
    kind = "crashes"

    def tell(self, view, state, arm, tally):
        raise RuntimeError("the policy's own words")
