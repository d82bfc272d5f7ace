"""Many rounds of one arm at once, counted in the tables of factors: the rounds of a cell are planes of bits too."""

from __future__ import annotations

import numpy as np

from ..bridge.cache import helper, unallocating
from ..bridge.vectors import W, counts, every, load, store, total
from ..streams import word_at
from .blocks import CHUNK, LANES, add_where, draw_chunk, seed_lanes, set_planes, watch_chunk, watch_leaves, watches_arms


@unallocating
def draw_factor_block(tables, arm, rounds, key, workspace, layout, tally):
    """`draw_block`, and what it shows is counted in the tables of the factors too."""
    seed_lanes(key, workspace.lanes)
    noise_key = word_at(key, np.uint64(LANES))
    set_planes(tables, arm, workspace.planes)
    mark_set(tables, arm, workspace.values)
    watches = watches_arms(tables, arm)
    total_reward = 0.0
    done = np.int64(0)
    while done < rounds and workspace.stop[0] == 0:
        here = min(rounds - done, CHUNK)
        reward = draw_chunk(tables, arm, here, done, noise_key, workspace)
        if watches:
            watch_chunk(tables, here, done, reward, workspace)
        for i in range(layout.taught_start[arm], layout.taught_start[arm + 1]):
            factor = layout.taught[i]
            if layout.variable[factor] >= 0:
                count_values(tables, factor, workspace, layout, tally)
            elif tables.is_binary:
                count_successes(tables, factor, workspace, layout, tally)
            else:
                count_rewards(tables, factor, here, workspace, layout, tally)
        total_reward += reward
        done += here
    if watches:
        watch_leaves(tables, rounds, total_reward, workspace.planes, workspace.shown, workspace.shown_reward)
    return total_reward


@helper
def mark_set(tables, arm, values):
    """Fill the values of the nodes that an arm sets, and -1 for all others."""
    for v in range(values.size):
        values[v] = -1
    for i in range(tables.set_start[arm], tables.set_start[arm + 1]):
        values[tables.set_node[i]] = tables.set_value[i]


@helper
def fill_row_masks(tables, factor, workspace, layout):
    """Fill one plane per row of a factor that the arm can show: the rounds in this row. Returns their number.

    `numbers` takes the first cell of each row.
    """
    planes, numbers, values = workspace.planes, workspace.numbers, workspace.values
    masks = first_mask(tables)
    store(planes, masks * W, every(True))
    numbers[0] = layout.offset[factor]
    rows = np.int64(1)
    for j in range(layout.condition_start[factor], layout.condition_start[factor + 1]):
        node, size, stride = layout.condition[j], layout.size[j], layout.stride[j]
        if values[node] >= 0:
            for row in range(rows):
                numbers[row] += values[node] * stride
        else:
            first = tables.plane[node]
            for row in range(rows - 1, -1, -1):  # from the end, because a row is replaced by several rows behind it
                here, number = load(planes, (masks + row) * W), numbers[row]
                for k in range(size):
                    store(planes, (masks + row * size + k) * W, here & load(planes, (first + k) * W))
                    numbers[row * size + k] = number + k * stride
            rows *= size
    return rows


@helper
def first_mask(tables):
    """The plane after the values, one spare plane and two planes of counts per value."""
    return tables.arm_of.size * 3 + 1


@helper
def count_values(tables, factor, workspace, layout, tally):
    """Count a chunk in the cells of a factor."""
    planes, numbers, cells = workspace.planes, workspace.numbers, tally.counts
    masks, first = first_mask(tables), tables.plane[layout.variable[factor]]
    rows = fill_row_masks(tables, factor, workspace, layout)
    for row in range(rows):
        here, cell = load(planes, (masks + row) * W), numbers[row]
        for k in range(layout.card[factor]):
            cells[cell + k] += total(counts(here & load(planes, (first + k) * W)))


@helper
def count_successes(tables, factor, workspace, layout, tally):
    """The same for a reward that is 0 or 1."""
    planes, numbers, cells = workspace.planes, workspace.numbers, tally.counts
    masks, success = first_mask(tables), load(planes, tables.success * W)
    failure = load(planes, (2 * tables.plane[tables.reward_node] + 1 - tables.success) * W)
    rows = fill_row_masks(tables, factor, workspace, layout)
    for row in range(rows):
        here, cell = load(planes, (masks + row) * W), numbers[row]
        ones, zeros = total(counts(here & success)), total(counts(here & failure))
        if layout.is_binary:
            cells[cell] += zeros
            cells[cell + 1] += ones
        else:
            cells[cell] += ones + zeros
            tally.sums[cell - layout.sums_from] += ones
            tally.squares[cell - layout.sums_from] += ones


@helper
def count_rewards(tables, factor, here, workspace, layout, tally):
    """The same for any other reward: one round after the other."""
    planes, numbers, values, rewards = workspace.planes, workspace.numbers, workspace.values, workspace.rewards
    for r in range(here):
        numbers[r] = layout.offset[factor]
    for j in range(layout.condition_start[factor], layout.condition_start[factor + 1]):
        node, stride = layout.condition[j], layout.stride[j]
        if values[node] >= 0:
            for r in range(here):
                numbers[r] += values[node] * stride
        else:
            for k in range(1, layout.size[j]):
                add_where(k * stride, planes, (tables.plane[node] + k) * W, here, numbers)
    for r in range(here):
        cell, reward = numbers[r], rewards[r]
        if layout.is_binary:
            tally.counts[cell + (reward > 0.5)] += 1
        else:
            tally.counts[cell] += 1
            tally.sums[cell - layout.sums_from] += reward
            tally.squares[cell - layout.sums_from] += reward * reward
