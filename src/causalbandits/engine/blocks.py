"""Many rounds of one arm at once, bit-sliced: one bit per round, 1024 rounds in a chunk.

A value of a node is a plane of bits. Bernoulli(p) compares the bits of p with random words, the most significant first, until every
round is decided; a node with causes does so under the mask of each configuration. Counts are population counts.
"""

from __future__ import annotations

import numpy as np

from .cache import helper, unallocating
from .streams import normal_at, word_at
from .tables import ARMS, ONE
from .words import W, count, every, load, rotate_left, shift_left, some, store

CHUNK = 64 * W
LANES = 4 * W  # the state of W generators xoshiro256++ (Blackman & Vigna 2019)
TOP = np.uint64(1 << 62)
LOW63 = np.uint64(ONE - 1)
CERTAIN = np.uint64(ONE)


@helper
def seed_lanes(key, lanes):
    """Start the generators from the words of a stream."""
    for i in range(LANES):
        lanes[i] = word_at(key, np.uint64(i))


@helper
def bernoulli(threshold, mask, s0, s1, s2, s3):
    """For each round in the mask a draw of Bernoulli(threshold / 2^63): the successes, and the generators' state."""
    if threshold == CERTAIN:
        return mask, s0, s1, s2, s3
    successes = every(False)
    bits = threshold
    while bits != 0 and some(mask):  # until no bit of p is left to be below, or every round is decided
        word = rotate_left(s0 + s3, 23) + s0
        shifted = shift_left(s1, 17)
        s2, s3 = s2 ^ s0, s3 ^ s1
        s1, s0 = s1 ^ s2, s0 ^ s3
        s2, s3 = s2 ^ shifted, rotate_left(s3, 45)
        bit = every(bits & TOP != 0)  # of p, for all rounds; below it is a success, above it a failure, equal stays open
        successes = successes | (mask & ~word & bit)
        mask = mask & ~(word ^ bit)
        bits = (bits << np.uint64(1)) & LOW63
    return successes, s0, s1, s2, s3


@helper
def draw_planes(tables, first, last, nodes, lanes, planes):
    """Draw nodes[first:last] of a chunk, causes first."""
    cards, offsets, starts, causes, strides = tables.cards, tables.plane, tables.cause_start, tables.cause, tables.stride
    table_rows, conditional = tables.row, tables.conditional
    s0, s1, s2, s3 = load(lanes, 0), load(lanes, W), load(lanes, 2 * W), load(lanes, 3 * W)
    for i in range(first, last):
        v = nodes[i]
        card = cards[v]
        base = offsets[v] * W
        rows = 1
        for c in range(starts[v], starts[v + 1]):
            rows *= cards[causes[c]]
        if rows > 1:
            for k in range(card):
                store(planes, base + k * W, every(False))
        for row in range(rows):
            mask = every(True)
            for c in range(starts[v], starts[v + 1]):  # the rounds whose causes are in this row's configuration
                value = row * card // strides[c] % cards[causes[c]]
                mask = mask & load(planes, (offsets[causes[c]] + value) * W)
            for k in range(card):  # the last value is certain for what no other took
                threshold = conditional[table_rows[v] + row * card + k]
                taken, s0, s1, s2, s3 = bernoulli(threshold, mask, s0, s1, s2, s3)
                mask = mask & ~taken
                if rows > 1:
                    taken = taken | load(planes, base + k * W)
                store(planes, base + k * W, taken)
    store(lanes, 0, s0)
    store(lanes, W, s1)
    store(lanes, 2 * W, s2)
    store(lanes, 3 * W, s3)


@helper
def set_planes(tables, arm, planes):
    """The planes of what an arm sets: all rounds have that value."""
    for i in range(tables.set_start[arm], tables.set_start[arm + 1]):
        v = tables.set_node[i]
        for k in range(tables.cards[v]):
            store(planes, (tables.plane[v] + k) * W, every(k == tables.set_value[i]))


@helper
def fill_rewards(tables, key, done, planes, rewards):
    """The reward of every round of a chunk that starts `done` rounds into its block."""
    term_node, term_start, term, offsets = tables.term_node, tables.term_start, tables.term, tables.plane
    for r in range(CHUNK):
        reward = tables.intercept
        if tables.noise > 0.0:
            reward += tables.noise * normal_at(key, np.uint64(done + r))
        for i in range(term_node.size):
            plane = offsets[term_node[i]] * W + r // 64
            for k in range(term_start[i], term_start[i + 1]):
                if (planes[plane] >> np.uint64(r % 64)) & np.uint64(1):
                    reward += term[k]
                plane += W
        rewards[r] = reward


@helper
def tally_plane(tables, planes, plane, rewards):
    """The rounds in a plane, and the sum of their rewards."""
    here = load(planes, plane)
    if tables.is_binary:
        return count(here), np.float64(count(here & load(planes, tables.success * W)))
    reward = 0.0
    for r in range(CHUNK):
        if (planes[plane + r // 64] >> np.uint64(r % 64)) & np.uint64(1):
            reward += rewards[r]
    return count(here), reward


@helper
def watch(tables, rounds, reward, rewards, planes, shown, shown_reward):
    """Add what a chunk of observations shows about every arm that it teaches about."""
    cards, offsets, arm_of = tables.cards, tables.plane, tables.arm_of
    shown[0] += rounds
    shown_reward[0] += reward
    for i in range(tables.watched.size):
        v = tables.watched[i]
        left, left_reward = rounds, reward
        for k in range(cards[v]):
            here, here_reward = left, left_reward  # the last value holds in the rounds that no other took
            if k < cards[v] - 1:
                here, here_reward = tally_plane(tables, planes, (offsets[v] + k) * W, rewards)
                left -= here
                left_reward -= here_reward
            a = arm_of[offsets[v] + k]
            if a >= 0:
                shown[a] += here
                shown_reward[a] += here_reward
    start, nodes, values = tables.set_start, tables.set_node, tables.set_value
    for i in range(tables.joint.size):
        a = tables.joint[i]
        spare = planes.size - W
        holds = every(True)
        for s in range(start[a], start[a + 1]):
            holds = holds & load(planes, (offsets[nodes[s]] + values[s]) * W)
        store(planes, spare, holds)
        here, here_reward = tally_plane(tables, planes, spare, rewards)
        shown[a] += here
        shown_reward[a] += here_reward


@unallocating
def draw_block(tables, arm, rounds, key, scratch):
    """Draw a block, add what it shows to the columns of the arms, and return the sum of its rewards."""
    lanes, planes, rewards = scratch.lanes, scratch.planes, scratch.rewards
    seed_lanes(key, lanes)
    noise_key = word_at(key, np.uint64(LANES))
    set_planes(tables, arm, planes)
    watches = tables.reads == ARMS and tables.observes and arm == 0
    total = 0.0
    done = np.int64(0)
    while done < rounds:
        here = min(rounds - done, CHUNK)
        draw_planes(tables, tables.draw_start[arm], tables.draw_start[arm + 1], tables.draw, lanes, planes)
        if here < CHUNK:  # clear the rounds beyond the last
            for j in range(W):
                kept = min(max(here - 64 * j, 0), 64)
                if kept < 64:
                    for p in range(j, planes.size, W):
                        planes[p] &= (np.uint64(1) << np.uint64(kept)) - np.uint64(1)
        if tables.is_binary:
            reward = tally_plane(tables, planes, tables.success * W, rewards)[1]
        else:
            fill_rewards(tables, noise_key, done, planes, rewards)
            reward = 0.0
            for r in range(here):
                reward += rewards[r]
        if watches:
            watch(tables, here, reward, rewards, planes, scratch.shown, scratch.shown_reward)
        total += reward
        done += here
    return total


@helper
def unpack_block(tables, arm, rounds, key, scratch, values, rewards):
    """The rounds of a block one by one: the same draws as `draw_block`, and the rest of the nodes from a stream of their own."""
    lanes, rest_lanes, planes = scratch.lanes, scratch.rest_lanes, scratch.planes
    seed_lanes(key, lanes)
    seed_lanes(word_at(key, np.uint64(LANES + 1)), rest_lanes)
    noise_key = word_at(key, np.uint64(LANES))
    set_planes(tables, arm, planes)
    done = np.int64(0)
    while done < rounds:
        here = min(rounds - done, CHUNK)
        draw_planes(tables, tables.draw_start[arm], tables.draw_start[arm + 1], tables.draw, lanes, planes)
        draw_planes(tables, tables.rest_start[arm], tables.rest_start[arm + 1], tables.rest, rest_lanes, planes)
        fill_rewards(tables, noise_key, done, planes, scratch.rewards)
        for r in range(here):
            rewards[done + r] = scratch.rewards[r]
            for v in range(tables.cards.size):
                for k in range(tables.cards[v]):
                    if (planes[(tables.plane[v] + k) * W + r // 64] >> np.uint64(r % 64)) & np.uint64(1):
                        values[done + r, v] = k
        done += here
