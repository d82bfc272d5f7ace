"""One round of a world at a time, for policies that decide anew after every round."""

from __future__ import annotations

import numpy as np

from ..bridge.cache import helper
from ..bridge.vectors import D, is_bit, load_eight, load_rest, store_eight, store_rest, times
from ..streams import normal_at, normal_quantile, unit, word_at


@helper
def value_of(tables, v, at, word):
    """The value of node v for a random word, by the row of probabilities at `at`.

    There is no branch on the word, because the CPU could not predict it.
    """
    value = np.int64(word >> np.uint64(1) >= tables.cumulative[at])
    for k in range(1, tables.cards[v] - 1):
        value += np.int64(word >> np.uint64(1) >= tables.cumulative[at + k])
    return value


@helper
def draw_nodes(tables, first, last, nodes, key, values):
    """Draw nodes[first:last], causes first, into `values`.

    The random word of a node depends on its number, not on which other nodes are drawn.
    """
    rows, starts, causes, strides = tables.row, tables.cause_start, tables.cause, tables.stride
    for i in range(first, last):
        v = nodes[i]
        at = rows[v]
        for j in range(starts[v], starts[v + 1]):
            at += values[causes[j]] * strides[j]
        values[v] = value_of(tables, v, at, word_at(key, np.uint64(v)))


@helper
def draw_round(tables, arm, key, values):
    """Draw one round of an arm. Fills `values` for the nodes that its tally needs and returns the reward."""
    for i in range(tables.set_start[arm], tables.set_start[arm + 1]):
        values[tables.set_node[i]] = tables.set_value[i]
    coins, coin = tables.coins[arm], tables.coin
    for v in range(coins):
        values[v] = np.int64(word_at(key, np.uint64(v)) >> np.uint64(1) >= coin[v])
    draw_nodes(tables, tables.draw_start[arm] + coins, tables.draw_start[arm + 1], tables.draw, key, values)
    reward = tables.intercept
    if tables.noise > 0.0:
        reward += tables.noise * normal_at(key, np.uint64(values.size))
    for i in range(tables.term_node.size):
        reward += tables.term[tables.term_start[i] + values[tables.term_node[i]]]
    return reward


@helper
def tally_round(tables, values, tally, reward, adds):
    """Put what one observation showed into the columns of the arms. If `adds`, add it to what is there."""
    shown, shown_reward = tally.shown, tally.shown_reward
    node, value = tables.arm_node, tables.arm_value
    if tables.few_coins and not adds:
        bits = np.int64(0)
        for v in range(tables.coin.size):
            bits |= values[v] << v
        whole = node.size // D * D
        for a in range(0, whole, D):
            here = is_bit(bits, load_eight(node, a), load_eight(value, a))
            store_eight(shown, a, here)
            store_eight(shown_reward, a, times(here, reward))
        here = is_bit(bits, load_rest(node, whole, 0), load_rest(value, whole, 0))
        store_rest(shown, whole, here)
        store_rest(shown_reward, whole, times(here, reward))
    else:
        for a in range(node.size):
            here = values[node[a]] == value[a]
            shown[a] = here + (shown[a] if adds else 0)
            shown_reward[a] = (reward if here else 0.0) + (shown_reward[a] if adds else 0.0)
    shown[0] += 1  # the observation itself: the code above does not match it
    shown_reward[0] += reward
    for i in range(tables.joint.size):
        a = tables.joint[i]
        if all_hold(tables, a, values):
            shown[a] += 1
            shown_reward[a] += reward


@helper
def all_hold(tables, a, values):
    """Whether the nodes have all values that an arm of several variables would set."""
    result = True
    for j in range(tables.set_start[a], tables.set_start[a + 1]):
        result = result and values[tables.set_node[j]] == tables.set_value[j]
    return result


@helper
def draw_given_parents(tables, arm, key):
    """Draw the configuration y of the reward's parents under an arm, then the reward given y.

    Nothing else is drawn; `unpack` draws the rest of the round given y. The distribution is the same as node by node,
    and it is several times faster. Returns y, the value of a reward with named values, and the reward.
    """
    column, keep_word, word = words_given_parents(tables.keep.shape[1], key)
    noise = tables.noise * normal_quantile(unit(word)) if tables.noise > 0.0 else 0.0
    return given_parents(tables, arm, column, keep_word, word, noise)


@helper
def words_given_parents(columns, key):
    """The random part of a round: a column of the alias tables, the word that may keep it, the word of the reward."""
    column = np.int64(unit(word_at(key, np.uint64(0))) * columns)
    return column, word_at(key, np.uint64(1)) >> np.uint64(1), word_at(key, np.uint64(2))


@helper
def given_parents(tables, arm, column, keep_word, word, noise):
    """The round of an arm that follows from these random words: y, the reward's value, and the reward."""
    other = tables.other[arm, column]
    y = column if keep_word < tables.keep[arm, column] else other
    if tables.reward_node < 0:
        return y, -1, tables.reward_mean[y] + noise
    value = value_of(tables, tables.reward_node, tables.reward_row[y], word)
    return y, value, tables.term[value]


@helper
def configuration(tables, values):
    """The number of the configuration of the reward's parents."""
    y = np.int64(0)
    for i in range(tables.parent.size):
        y += values[tables.parent[i]] * tables.parent_stride[i]
    return y
