"""The rounds of a run one by one and complete, for a trace: drawn again from the same streams."""

from __future__ import annotations

import numpy as np

from ..bridge.cache import compiled, helper
from ..streams import WORLD, start_run, word_at
from .blocks import unpack_block
from .rounds import configuration, draw_given_parents, draw_nodes, draw_round


@compiled
def unpack_run(tables, workspace, blocks, run, values, rewards):
    """Fill the values and rewards of all rounds of a run. `blocks` has the arm and the rounds of each block."""
    start_run(workspace.keys, run)
    start = np.int64(0)
    for b in range(blocks.shape[0]):
        arm, rounds = blocks[b, 0], blocks[b, 1]
        stop = start + rounds
        unpack(tables, workspace, arm, rounds, start, values[start:stop], rewards[start:stop])
        start = stop


@helper
def unpack(tables, workspace, arm, rounds, start, values, rewards):
    """Fill `values` (rounds, nodes) and `rewards` (rounds,) of one block."""
    if rounds >= tables.bulk:
        unpack_block(tables, arm, rounds, word_at(workspace.keys[WORLD], np.uint64(start)), workspace, values, rewards)
        return
    for r in range(rounds):
        key = word_at(workspace.keys[WORLD], np.uint64(start + r))
        if tables.by_parents:
            rewards[r], key = unpack_by_parents(tables, arm, key, workspace.values)
        else:
            rewards[r] = draw_round(tables, arm, key, workspace.values)
        draw_nodes(tables, tables.rest_start[arm], tables.rest_start[arm + 1], tables.rest, key, workspace.values)
        for v in range(workspace.values.size):
            values[r, v] = workspace.values[v]


@helper
def unpack_by_parents(tables, arm, key, values):
    """Draw the nodes of a round whose configuration y and reward are known.

    They are drawn again until they show y, which is exact (rejection). Returns the reward, and the stream of the
    attempt that succeeded, for the rest of the nodes.
    """
    y, value, reward = draw_given_parents(tables, arm, key)
    attempt = np.uint64(3)  # after the words of `draw_given_parents`
    draw_round(tables, arm, word_at(key, attempt), values)
    while configuration(tables, values) != y:
        attempt += np.uint64(1)
        draw_round(tables, arm, word_at(key, attempt), values)
    if tables.reward_node >= 0:
        values[tables.reward_node] = value
    return reward, word_at(key, attempt)
