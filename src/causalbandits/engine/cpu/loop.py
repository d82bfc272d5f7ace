"""The loop: ask, draw, tell, until the money is gone. One source, compiled for each policy or run as it is."""

from __future__ import annotations

import numpy as np

from ..streams import ASKS, RECOMMENDATION, RNG, start_run, start_stream

NEEDS_BLOCK = -(1 << 62)  # returned by a loop that was given nothing to draw blocks with, and needs it
STOPPED = NEEDS_BLOCK + 1  # returned by a loop whose runs are no longer wanted


def _unbound(*arguments):
    """A policy's own functions, and what draws for it, take the place of these five names; see `compile.loop_with`."""
    raise AssertionError("the loop runs only with a policy's functions in place")


init = ask = tell = recommend = draw = _unbound


def run_policy(
    policy,
    problem,
    tally,
    tables,
    scratch,
    block,
    keys,
    first,
    last,
    checkpoints,
    pulls,
    recommended,
    left_over,
    log,
    stop,
):
    """Play runs first .. last - 1 of a policy.

    Fills pulls (runs, checkpoints, arms), recommended (runs,) and left_over (runs,). `scratch` draws into the columns of `tally`, and `log`
    (blocks, 2) takes the blocks (arm, rounds) of a single run if it has rows. Checkpoints are money: a round counts at a checkpoint if all
    that was paid up to and with it is at most that much. They never split a block. `stop` (1,) ends it all when it is set from outside.
    Returns 0, NEEDS_BLOCK, STOPPED, or an arm that the policy named and the problem does not have.
    """
    arms, costs, budget = problem.arms, problem.costs, problem.budget
    pending = np.zeros(arms, np.int64)
    so_far = np.zeros(arms, np.int64)
    rng = np.zeros(RNG, np.uint64)
    for run in range(first, last):
        start_run(keys, run)
        state = init(policy, problem)
        for a in range(arms):
            so_far[a] = 0
        left = budget
        rounds = np.int64(0)
        asks = np.int64(0)
        checkpoint = 0
        while True:
            start_stream(rng, keys, ASKS, asks)
            chosen, settled = ask(policy, problem, state, pending, left, rng)
            arm = np.int64(chosen)  # a literal 0 would have everything below compiled once more
            if arm < 0 or arm >= arms:
                return arm
            cost = costs[arm]
            count = np.int64(settled)
            if count != 1 or cost > left:  # a division that most rounds do without
                count = min(count, left // cost)
            if count <= 0:
                break
            tally.rounds = count
            tally.reward = draw(tables, arm, count, keys, rounds, scratch, block)
            if np.isnan(tally.reward):
                return NEEDS_BLOCK
            if stop[0] != 0:
                return STOPPED
            tell(policy, problem, state, arm, tally)
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
        recommended[run - first] = recommend(policy, problem, state, rng)
        left_over[run - first] = left
        if recommended[run - first] < 0 or recommended[run - first] >= arms:
            return recommended[run - first]
    return 0
