"""The loop: ask, draw, tell, until the money is used up. One source, compiled for each policy or run as it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..streams import ASKS, RECOMMENDATION, RNG, start_run, start_stream
from .whole import whole

NEEDS_BLOCK = -(1 << 62)  # returned by a loop that must draw a block, but has no function for it
STOPPED = NEEDS_BLOCK + 1  # returned by a loop that was stopped
BAD_ANSWER = NEEDS_BLOCK + 2  # returned after an arm that does not exist, or a count that is no number of rounds
UNPLAYED = -1  # in `left_over`: a run that is not finished


class Nature(NamedTuple):
    """Where rounds come from: the world and the sampler."""

    tables: Any  # the world
    workspace: Any  # working memory of the sampler
    tally: Any  # the tally that the sampler fills; the policy's own tally shares its columns
    layout: Any  # where the columns of the tally are
    block: Any  # draws a whole block


class Runs(NamedTuple):
    """Which runs to play."""

    keys: NDArray[np.uint64]  # the names of the random streams, shared with the workspace
    first: int
    last: int  # the first run that is not played
    checkpoints: NDArray[np.int64]  # money at which pulls are recorded
    stop: NDArray[np.int64]  # (1,) set to 1 by another thread to stop the runs


class Found(NamedTuple):
    """The arrays that take the results of the runs."""

    pulls: NDArray[np.int64]  # (runs, checkpoints, arms)
    recommended: NDArray[np.int64]  # (runs,)
    left_over: NDArray[np.int64]  # (runs,) millionths
    log: NDArray[np.int64]  # (blocks, 2) arm and rounds of the first blocks of a single run


def _unbound(*arguments):
    """Stands for a policy's four functions and for `draw`. engine/compile.py replaces it."""
    raise AssertionError("the loop runs only with a policy's functions in place")


init = ask = tell = recommend = draw = _unbound


def run_policy(policy, view, tally, nature, runs, found):
    """Play the runs and fill `found`.

    A round counts at a checkpoint if the money paid up to and including this round is at most the checkpoint.
    Checkpoints never split a block. Returns 0, NEEDS_BLOCK, STOPPED or BAD_ANSWER.
    """
    tables, workspace, drawn, layout, block = nature
    keys, first, last, checkpoints, stop = runs
    pulls, recommended, left_over, log = found
    arms, costs, budget = view.arms, view.costs, view.budget
    pending = np.zeros(arms, np.int64)
    so_far = np.zeros(arms, np.int64)
    rng = np.zeros(RNG, np.uint64)
    for run in range(first, last):
        start_run(keys, run)
        state = init(policy, view)
        for a in range(arms):
            so_far[a] = 0
        left = budget
        rounds = np.int64(0)
        asks = np.int64(0)
        checkpoint = 0
        while True:
            start_stream(rng, keys, ASKS, asks)
            chosen, settled = ask(policy, view, state, pending, left, rng)
            arm = whole(chosen)  # without this, a literal 0 would compile everything below a second time
            if arm < 0 or arm >= arms:
                return BAD_ANSWER
            cost = costs[arm]
            count = whole(settled)
            if count != 1 or cost > left:  # most rounds need no division
                count = min(count, left // cost)
            if count <= 0:
                if count < 0:
                    return BAD_ANSWER
                break
            tally.rounds = count
            tally.reward = draw(tables, workspace, drawn, layout, arm, count, rounds, block)
            if np.isnan(tally.reward):
                return NEEDS_BLOCK
            if stop[0] != 0:
                return STOPPED
            tell(policy, view, state, arm, tally)
            spent = budget - left
            left -= count * cost
            while checkpoint < checkpoints.size and checkpoints[checkpoint] < budget - left:
                for a in range(arms):
                    pulls[run - first, checkpoint, a] = so_far[a]
                pulls[run - first, checkpoint, arm] += (checkpoints[checkpoint] - spent) // cost
                checkpoint += 1
            if asks < log.shape[0]:
                log[asks, 0] = arm
                log[asks, 1] = count
            so_far[arm] += count
            rounds += count
            asks += 1
        for c in range(checkpoint, checkpoints.size):
            for a in range(arms):
                pulls[run - first, c, a] = so_far[a]
        start_stream(rng, keys, RECOMMENDATION, np.int64(0))
        answer = whole(recommend(policy, view, state, rng))
        if answer < 0 or answer >= arms:
            return BAD_ANSWER
        recommended[run - first] = answer
        left_over[run - first] = left
    return 0
