"""Many rounds of one arm at once: one bit per round, 1024 rounds in a chunk.

A value of a node is a plane of bits: the rounds in which the node has this value. Bernoulli(p) compares the bits of p
with random words, most significant bit first, until every round is decided. A node with causes does so for every
configuration of its causes. Counts are population counts.
"""

from __future__ import annotations

import numpy as np

from ..bridge.cache import helper, unallocating
from ..bridge.vectors import W, counts, every, load, rotate_left, shift_left, some, store, total
from ..streams import central_quantile, is_central, normal_at, unit, word_at
from .tables import ONE

CHUNK = 64 * W
LANES = 4 * W  # the state of W generators xoshiro256++ (Blackman & Vigna 2019)
TOP = np.uint64(1 << 62)
LOW63 = np.uint64(ONE - 1)
CERTAIN = np.uint64(ONE)
# After fewer words all 1024 rounds are decided only 2 % of the time. So the first check comes after these.
WORDS_BEFORE_CHECK = 8
POSITION_OF_FIRST_CHECK = np.uint64(63 - WORDS_BEFORE_CHECK)


@helper
def seed_lanes(key, lanes):
    """Start the generators from the words of a stream."""
    for i in range(LANES):
        lanes[i] = word_at(key, np.uint64(i))


@helper
def load_state(lanes):
    """The state of the generators: four vectors."""
    return load(lanes, 0), load(lanes, W), load(lanes, 2 * W), load(lanes, 3 * W)


@helper
def store_state(lanes, state):
    """Keep the state of the generators for the next call."""
    store(lanes, 0, state[0])
    store(lanes, W, state[1])
    store(lanes, 2 * W, state[2])
    store(lanes, 3 * W, state[3])


@helper
def next_words(state):
    """The next words of the generators, and their new state."""
    s0, s1, s2, s3 = state
    word = rotate_left(s0 + s3, 23) + s0
    shifted = shift_left(s1, 17)
    s2, s3 = s2 ^ s0, s3 ^ s1
    s1, s0 = s1 ^ s2, s0 ^ s3
    return word, (s0, s1, s2 ^ shifted, rotate_left(s3, 45))


@helper
def bernoulli(threshold, mask, state):
    """Draw Bernoulli(threshold / 2^63) for each round in the mask. Returns the successes and the generators' state."""
    if threshold == CERTAIN:
        return mask, state
    successes = every(False)
    bits = threshold
    step = 0
    while bits != 0:  # without a set bit of p no open round can succeed any more
        word, state = next_words(state)
        # Compare a random bit with the next bit of p. Smaller is a success, larger a failure, equal is not decided yet.
        bit = every(bits & TOP != 0)
        successes = successes | (mask & ~word & bit)
        mask = mask & ~(word ^ bit)
        bits = (bits << np.uint64(1)) & LOW63
        step += 1
        if step >= WORDS_BEFORE_CHECK and not some(mask):  # every round is decided
            break
    return successes, state


@helper
def bernoulli_by_row(conditional, at, step, rows, masks, planes, mask, state):
    """The same where the threshold of a round depends on its row: conditional[at + row * step].

    The rounds of a row are the plane `masks + row`. One random word serves all rows: bit by bit, p is put together from
    the planes of the rows.
    """
    successes = every(False)
    position = np.uint64(63)
    open_bits = np.uint64(0)
    for row in range(rows):
        open_bits |= conditional[at + row * step]
        if conditional[at + row * step] == CERTAIN:
            successes = successes | (mask & load(planes, (masks + row) * W))
    mask = mask & ~successes
    open_bits &= LOW63
    while open_bits != 0 and (position > POSITION_OF_FIRST_CHECK or some(mask)):
        position -= np.uint64(1)
        bit = every(False)
        for row in range(rows):
            is_set = (conditional[at + row * step] >> position) & np.uint64(1) != 0
            bit = bit | (
                load(planes, (masks + row) * W) & every(is_set)
            )  # without a branch, because the CPU could not predict it
        word, state = next_words(state)
        successes = successes | (mask & ~word & bit)
        mask = mask & ~(word ^ bit)
        open_bits &= (np.uint64(1) << position) - np.uint64(1)
    return successes, state


@helper
def fill_masks(tables, v, masks, planes):
    """Fill one plane per row of node v's table: the rounds in this row. The first plane is `masks`.

    Returns the number of rows.
    """
    cards, offsets, causes = tables.cards, tables.plane, tables.cause
    rows = np.int64(1)
    store(planes, masks * W, every(True))
    for c in range(tables.cause_start[v], tables.cause_start[v + 1]):
        values = cards[causes[c]]
        first = offsets[causes[c]]
        for row in range(rows - 1, -1, -1):  # from the end, because a row is replaced by several rows behind it
            here = load(planes, (masks + row) * W)
            for k in range(values):
                store(planes, (masks + row * values + k) * W, here & load(planes, (first + k) * W))
        rows *= values
    return rows


@helper
def draw_planes(tables, first, last, nodes, lanes, planes):
    """Draw nodes[first:last] of a chunk, causes first."""
    cards, offsets, starts = tables.cards, tables.plane, tables.cause_start
    table_rows, conditional = tables.row, tables.conditional
    masks = tables.arm_of.size * 3 + 1  # after the planes of values, one spare plane and two planes of counts per value
    state = load_state(lanes)
    for i in range(first, last):
        v = nodes[i]
        card, base, at = cards[v], offsets[v] * W, table_rows[v]
        mask = every(True)
        if starts[v] == starts[v + 1]:
            for k in range(card - 1):  # the last value takes all rounds that are left
                taken, state = bernoulli(conditional[at + k], mask, state)
                mask = mask & ~taken
                store(planes, base + k * W, taken)
        else:
            rows = fill_masks(tables, v, masks, planes)
            for k in range(card - 1):
                taken, state = bernoulli_by_row(conditional, at + k, card, rows, masks, planes, mask, state)
                mask = mask & ~taken
                store(planes, base + k * W, taken)
        store(planes, base + (card - 1) * W, mask)
    store_state(lanes, state)


@helper
def count_leaves(tables, valid, is_first, lanes, planes):
    """Draw the leaves of a chunk. Count, word by word, the rounds with their first value and their successes."""
    leaves, offsets, rows, conditional = tables.leaves, tables.plane, tables.row, tables.conditional
    size = tables.arm_of.size
    success = load(planes, tables.success * W)
    state = load_state(lanes)
    for i in range(leaves.size):
        taken, state = bernoulli(conditional[rows[leaves[i]]], every(True), state)
        here = (size + 1 + offsets[leaves[i]]) * W
        number, number_reward = counts(taken & valid), counts(taken & success)
        if not is_first:
            number, number_reward = number + load(planes, here), number_reward + load(planes, here + size * W)
        store(planes, here, number)
        store(planes, here + size * W, number_reward)
    store_state(lanes, state)


@helper
def watch_leaves(tables, rounds, reward, planes, shown, shown_reward):
    """Add what the leaves of a block show about their arms."""
    offsets, arm_of, size = tables.plane, tables.arm_of, tables.arm_of.size
    for i in range(tables.leaves.size):
        offset = offsets[tables.leaves[i]]
        here = (size + 1 + offset) * W
        first, first_reward = total(load(planes, here)), np.float64(total(load(planes, here + size * W)))
        a, b = arm_of[offset], arm_of[offset + 1]
        if a >= 0:
            shown[a] += first
            shown_reward[a] += first_reward
        if b >= 0:
            shown[b] += rounds - first
            shown_reward[b] += reward - first_reward


@helper
def set_planes(tables, arm, planes):
    """Fill the planes of the nodes that an arm sets: all rounds have the value that it sets."""
    for i in range(tables.set_start[arm], tables.set_start[arm + 1]):
        v = tables.set_node[i]
        for k in range(tables.cards[v]):
            store(planes, (tables.plane[v] + k) * W, every(k == tables.set_value[i]))


@helper
def fill_rewards(tables, key, done, here, workspace):
    """Fill the rewards of the first `here` rounds of a chunk. `done` rounds of its block came before it."""
    term_node, term_start, term, offsets = tables.term_node, tables.term_start, tables.term, tables.plane
    planes, rewards = workspace.planes, workspace.rewards
    if tables.noise > 0.0:
        fill_noise(tables.noise, tables.intercept, key, done, here, workspace)
    else:
        for r in range(here):
            rewards[r] = tables.intercept
    for i in range(term_node.size):
        plane = offsets[term_node[i]] * W
        for k in range(term_start[i], term_start[i + 1]):
            if term[k] != 0.0:
                add_where(term[k], planes, plane, here, rewards)
            plane += W


@helper
def add_where(amount, planes, plane, here, numbers):
    """Add an amount to the numbers of the rounds in a plane, of the first `here` rounds."""
    for start in range(0, here, 64):
        bits = planes[plane + start // 64]
        for r in range(min(64, here - start)):
            numbers[start + r] += amount if (bits >> np.uint64(r)) & np.uint64(1) != 0 else amount - amount


@helper
def fill_noise(scale, intercept, key, done, here, workspace):
    """Fill the rewards with the intercept and normal noise: most of it in vectors, the tails one by one."""
    rewards, central = workspace.rewards, workspace.numbers
    for r in range(here):
        p = unit(word_at(key, np.uint64(done + r)))
        central[r] = np.int64(is_central(p))
        rewards[r] = intercept + scale * central_quantile(p)
    r = 0
    while r < here:
        # an inner loop, because LLVM would compute the logarithm for all of them otherwise
        while r < here and central[r] != 0:
            r += 1
        if r < here:
            rewards[r] = intercept + scale * normal_at(key, np.uint64(done + r))
            r += 1


@helper
def tally_plane(tables, planes, plane, rewards):
    """The number of rounds in a plane, and the sum of their rewards."""
    here = load(planes, plane)
    if tables.is_binary:
        return total(counts(here)), np.float64(total(counts(here & load(planes, tables.success * W))))
    reward = 0.0
    for r in range(CHUNK):
        if (planes[plane + r // 64] >> np.uint64(r % 64)) & np.uint64(1):
            reward += rewards[r]
    return total(counts(here)), reward


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
            here, here_reward = left, left_reward  # the last value has the rounds that are left
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
        spare = tables.arm_of.size * W
        holds = every(True)
        for s in range(start[a], start[a + 1]):
            holds = holds & load(planes, (offsets[nodes[s]] + values[s]) * W)
        store(planes, spare, holds)
        here, here_reward = tally_plane(tables, planes, spare, rewards)
        shown[a] += here
        shown_reward[a] += here_reward


@helper
def fill_valid(here, planes, valid):
    """Fill the plane `valid` with the first `here` rounds of a chunk."""
    for j in range(W):
        kept = min(max(here - 64 * j, 0), 64)
        planes[valid * W + j] = (np.uint64(1) << np.uint64(kept)) - np.uint64(1) if kept < 64 else np.uint64(2**64 - 1)


@helper
def draw_chunk(tables, arm, here, done, noise_key, workspace):
    """Draw a chunk with `here` rounds of an arm, after `done` rounds of its block. Returns the sum of its rewards."""
    lanes, planes, rewards = workspace.lanes, workspace.planes, workspace.rewards
    spare = tables.arm_of.size
    if watches_arms(tables, arm):
        draw_planes(tables, 0, tables.inner.size, tables.inner, lanes, planes)
    else:
        draw_planes(tables, tables.draw_start[arm], tables.draw_start[arm + 1], tables.draw, lanes, planes)
    if here < CHUNK:  # clear the rounds after the last one
        fill_valid(here, planes, spare)
        valid = load(planes, spare * W)
        for p in range(0, spare * W, W):
            store(planes, p, load(planes, p) & valid)
    if tables.is_binary:
        return tally_plane(tables, planes, tables.success * W, rewards)[1]
    fill_rewards(tables, noise_key, done, here, workspace)
    reward = 0.0
    for r in range(here):
        reward += rewards[r]
    return reward


@helper
def watches_arms(tables, arm):
    """Whether the rounds of an arm are observations that are counted for every arm."""
    return tables.counts_arms and tables.observes and arm == 0


@helper
def watch_chunk(tables, here, done, reward, workspace):
    """Count a chunk of observations for every arm. Draws the leaves."""
    planes = workspace.planes
    if here < CHUNK:
        fill_valid(here, planes, tables.arm_of.size)
        valid = load(planes, tables.arm_of.size * W)
    else:
        valid = every(True)
    count_leaves(tables, valid, done == 0, workspace.lanes, planes)
    watch(tables, here, reward, workspace.rewards, planes, workspace.shown, workspace.shown_reward)


@unallocating
def draw_block(tables, arm, rounds, key, workspace):
    """Draw a block. Add what it shows to the columns of the arms and return the sum of its rewards."""
    seed_lanes(key, workspace.lanes)
    noise_key = word_at(key, np.uint64(LANES))
    set_planes(tables, arm, workspace.planes)
    watches = watches_arms(tables, arm)
    total_reward = 0.0
    done = np.int64(0)
    while done < rounds and workspace.stop[0] == 0:
        here = min(rounds - done, CHUNK)
        reward = draw_chunk(tables, arm, here, done, noise_key, workspace)
        if watches:
            watch_chunk(tables, here, done, reward, workspace)
        total_reward += reward
        done += here
    if watches:
        watch_leaves(tables, rounds, total_reward, workspace.planes, workspace.shown, workspace.shown_reward)
    return total_reward


@helper
def unpack_block(tables, arm, rounds, key, workspace, values, rewards):
    """The rounds of a block one by one, with the same draws as `draw_block`.

    The nodes that `draw_block` does not draw come from a stream of their own.
    """
    lanes, rest_lanes, planes = workspace.lanes, workspace.rest_lanes, workspace.planes
    seed_lanes(key, lanes)
    seed_lanes(word_at(key, np.uint64(LANES + 1)), rest_lanes)
    noise_key = word_at(key, np.uint64(LANES))
    set_planes(tables, arm, planes)
    done = np.int64(0)
    while done < rounds:
        here = min(rounds - done, CHUNK)
        if watches_arms(tables, arm):
            draw_planes(tables, 0, tables.inner.size, tables.inner, lanes, planes)
            draw_planes(tables, 0, tables.leaves.size, tables.leaves, lanes, planes)
        else:
            draw_planes(tables, tables.draw_start[arm], tables.draw_start[arm + 1], tables.draw, lanes, planes)
        draw_planes(tables, tables.rest_start[arm], tables.rest_start[arm + 1], tables.rest, rest_lanes, planes)
        fill_rewards(tables, noise_key, done, here, workspace)
        for r in range(here):
            rewards[done + r] = workspace.rewards[r]
            for v in range(tables.cards.size):
                for k in range(tables.cards[v]):
                    if (planes[(tables.plane[v] + k) * W + r // 64] >> np.uint64(r % 64)) & np.uint64(1):
                        values[done + r, v] = k
        done += here
