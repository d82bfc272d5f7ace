"""Upper confidence indices, shared by UCB, F-KUBE, KUBE and CRM-NB-ALG.

The index of an arm is (mean + sqrt(c log t / n)) / cost. The mean and 1 / sqrt(n) are kept for every arm.
So an index takes one multiplication and one addition, and a pull changes the entries of one arm only.
"""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import lean, shared
from ...engine.bridge.vectors import D, add, load_eight, load_rest, look_up, mean_of, store_eight, store_rest
from ...engine.streams import below
from .ties import best, largest


@shared
def add_pulls(state, arm, tally):
    """Count the rounds of one arm in the state's counts, sums, means and roots."""
    count = state.counts[arm] + tally.rounds
    total_reward = state.sums[arm] + tally.reward
    state.counts[arm] = count
    state.sums[arm] = total_reward
    state.means[arm] = total_reward / count
    state.roots[arm] = 1.0 / math.sqrt(count)


@shared
def add_shown(view, state, tally):
    """Count, for every arm, the observations that showed its assignment: in the state's counts, sums, means and roots.

    `view.root_of` is a table of 1 / sqrt(n): a look-up is faster than a root. No count is larger than `state.rounds`.
    """
    shown, rounds = (tally.shown, tally.shown_reward), state.rounds
    _count_shown(shown, rounds, view.root_of, state.counts, state.sums, state.means, state.roots)


@lean
def _count_shown(shown_and_reward, rounds, root_of, counts, sums, means, roots):
    """`add_shown` over arrays: eight arms at a time, while the table of roots has all counts."""
    shown, shown_reward = shown_and_reward
    if rounds >= root_of.size:
        for a in range(counts.size):
            counts[a] += shown[a]
            sums[a] += shown_reward[a]
            means[a] = sums[a] / max(counts[a], 1)
            roots[a] = 1.0 / math.sqrt(max(counts[a], 1))
        return
    whole = counts.size // D * D
    for a in range(0, whole, D):
        number, reward = (
            add(load_eight(counts, a), load_eight(shown, a)),
            add(load_eight(sums, a), load_eight(shown_reward, a)),
        )
        store_eight(counts, a, number)
        store_eight(sums, a, reward)
        store_eight(means, a, mean_of(reward, number))
        store_eight(roots, a, look_up(root_of, number))
    number, reward = load_rest(shown, whole, 0), load_rest(shown_reward, whole, 0.0)
    number, reward = add(load_rest(counts, whole, 0), number), add(load_rest(sums, whole, 0.0), reward)
    store_rest(counts, whole, number)
    store_rest(sums, whole, reward)
    store_rest(means, whole, mean_of(reward, number))
    store_rest(roots, whole, look_up(root_of, number))


@lean
def log_from_table(table, n):
    """log(n), from the table if n is in it. This saves a sixth of the time of a round of F-KUBE."""
    return table[n] if n < table.size else math.log(n)


WAIT = -1  # an untried arm is still pending
SKIP = -2  # every untried arm costs more than the money left


@lean
def first_untried(pulls, pending, costs, left):
    """The first affordable arm that was neither pulled nor handed out; WAIT or SKIP if there is none."""
    none = SKIP
    for a in range(pulls.size):
        if pulls[a] == 0:
            if pending[a] > 0:
                none = WAIT
            elif costs[a] <= left:
                return a
    return none


PATIENCE = 10  # so many rounds of an arm may be pending even if the arm has no samples


@lean
def must_wait(a, counts, pending):
    """Whether an arm must wait, because as many of its rounds are pending as are known."""
    return pending[a] >= max(counts[a], PATIENCE)


@lean
def total(counts):
    """The sum of an array of whole numbers."""
    result = np.int64(0)
    for a in range(counts.size):
        result += counts[a]
    return result


@shared
def fill_indices(state, rates, width, pending, waiting):
    """Set the state's scratch to (mean + width / sqrt(n)) * rate for every arm.

    n counts the pending pulls as well. `waiting` is the number of all pending pulls.
    """
    means, roots, counts, values = state.means, state.roots, state.counts, state.scratch
    if waiting == 0:
        for a in range(means.size):
            values[a] = (means[a] + width * roots[a]) * rates[a]
    else:
        for a in range(means.size):
            values[a] = (means[a] + width / math.sqrt(max(counts[a] + pending[a], 1))) * rates[a]


@shared
def best_index(view, state, rates, width, pending, waiting, left, rng):
    """The affordable arm with the largest index of `fill_indices`; -1 if no arm is affordable."""
    fill_indices(state, rates, width, pending, waiting)
    values, costs = state.scratch, view.costs
    if left < view.highest_cost:
        for a in range(costs.size):
            if costs[a] > left:
                values[a] = -np.inf
    return best(values, rng)


@lean
def random_knapsack_item(densities, costs, highest_cost, left, rng):
    """The arm of a random item of the greedy unbounded knapsack, or -1 if no arm is affordable.

    The knapsack takes as many items of the densest arm as the money pays, then of the next arm, and so on. Each arm
    replaces the arm drawn before with probability (its items / all items so far). So every item is equally likely.
    Overwrites `densities`.
    """
    drawn = np.int64(-1)
    items = np.int64(0)
    while True:
        if left < highest_cost:
            for a in range(costs.size):
                if costs[a] > left:
                    densities[a] = -np.inf
        arm = best(densities, rng)
        if arm < 0:
            return drawn
        number = left // costs[arm]
        left -= number * costs[arm]
        items += number
        if drawn < 0 or below(rng, items) < number:
            drawn = np.int64(arm)


@lean
def largest_rate(means, counts, rates, values):
    """The largest mean per cost of the interventions that have a sample."""
    for a in range(means.size):
        values[a] = means[a] * rates[a] if counts[a] > 0 else -np.inf
    values[0] = -np.inf
    return largest(values)


@lean
def add_to(sums, amounts):
    """Add `amounts` to `sums`, element by element."""
    for i in range(sums.size):
        sums[i] += amounts[i]
