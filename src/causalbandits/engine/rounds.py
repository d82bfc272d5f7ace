"""One round of a world at a time: for policies that decide anew after every round."""

from __future__ import annotations

import numpy as np

from .cache import helper
from .streams import normal_at, word_at
from .tables import ARMS, PARENTS


@helper
def draw_nodes(tables, first, last, nodes, key, values):
    """Draw nodes[first:last], causes first, into `values`. A node's word depends on its number, not on what else is drawn."""
    for i in range(first, last):
        v = nodes[i]
        at = tables.row[v]
        for j in range(tables.cause_start[v], tables.cause_start[v + 1]):
            at += values[tables.cause[j]] * tables.stride[j]
        word = word_at(key, np.uint64(v)) >> np.uint64(1)
        value = 0
        while word >= tables.cumulative[at + value]:
            value += 1
        values[v] = value


@helper
def draw_round(tables, arm, key, values):
    """One round of an arm: fills `values` for the nodes that its tally needs and returns the reward."""
    for i in range(tables.set_start[arm], tables.set_start[arm + 1]):
        values[tables.set_node[i]] = tables.set_value[i]
    draw_nodes(tables, tables.draw_start[arm], tables.draw_start[arm + 1], tables.draw, key, values)
    reward = tables.intercept
    if tables.noise > 0.0:
        reward += tables.noise * normal_at(key, np.uint64(values.size))
    for i in range(tables.term_node.size):
        reward += tables.term[tables.term_start[i] + values[tables.term_node[i]]]
    return reward


@helper
def tally_round(tables, arm, values, reward, shown, shown_reward, seen, seen_reward):
    """Add what one round showed to the columns that the policy reads."""
    if tables.reads == ARMS and tables.observes and arm == 0:
        shown[0] += 1
        shown_reward[0] += reward
        for i in range(tables.watched.size):
            v = tables.watched[i]
            a = tables.arm_of[tables.plane[v] + values[v]]
            if a >= 0:
                shown[a] += 1
                shown_reward[a] += reward
        for i in range(tables.joint.size):
            a = tables.joint[i]
            holds = True
            for j in range(tables.set_start[a], tables.set_start[a + 1]):
                holds = holds and values[tables.set_node[j]] == tables.set_value[j]
            if holds:
                shown[a] += 1
                shown_reward[a] += reward
    elif tables.reads == PARENTS:
        y = configuration(tables, values)
        seen[y] += 1
        seen_reward[y] += reward


@helper
def configuration(tables, values):
    """The number of the configuration of the reward's parents."""
    y = 0
    for i in range(tables.parent.size):
        y += values[tables.parent[i]] * tables.parent_stride[i]
    return y
