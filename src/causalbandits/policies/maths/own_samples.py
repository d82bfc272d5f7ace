"""The own samples of every arm: its pulls, and observations that showed what it sets.

Arms that need the same rows of the same tables have the same mean, and so they share their samples. They are `alike`;
the first of them stands for all. All their pulls count. An observation may show several of them at once: only those
observations count that showed the arm that was shown most.
"""

from __future__ import annotations

from ...engine.bridge.cache import lean, shared


@shared
def learn(view, state, arm, tally):
    """Add what a block of rounds showed. Rounds of an intervention that is no arm count in the tables only."""
    for c in range(state.counts.size):
        state.counts[c] += tally.counts[c]
    for c in range(state.sums.size):
        state.sums[c] += tally.sums[c]
    if arm < 0:
        return
    state.rounds += tally.rounds
    state.reward += tally.reward
    state.pulls[arm] += tally.rounds
    if arm == 0 and view.observes:
        for a in range(view.arms):
            state.watched[a] += tally.shown[a]
            state.watched_sums[a] += tally.shown_reward[a]
    else:
        state.pulled_sums[arm] += tally.reward


@shared
def fill_own_samples(view, state):
    """Set the number of own samples of every arm, their sum, and those that were observations."""
    counts, sums, shown = state.scratch_own_counts, state.scratch_own_sums, state.scratch_shown
    for a in range(view.arms):
        counts[a], sums[a], shown[a] = 0, 0.0, 0
    for a in range(view.arms):
        first = view.alike[a]
        if state.watched[a] > shown[first]:
            shown[first], sums[first] = state.watched[a], state.watched_sums[a]
    for a in range(view.arms):
        if a > 0 or not view.observes:
            counts[view.alike[a]] += state.pulls[a]
            sums[view.alike[a]] += state.pulled_sums[a]
    for a in range(view.arms):
        first = view.alike[a]
        if a == first:
            counts[a] += shown[a]
        counts[a], sums[a], shown[a] = counts[first], sums[first], shown[first]


@lean
def fill_sums_of_alike(alike, numbers, sums):
    """Set the sum of a number over all arms that are alike, for each of them."""
    for a in range(numbers.size):
        sums[a] = 0
    for a in range(numbers.size):
        sums[alike[a]] += numbers[a]
    for a in range(numbers.size):
        sums[a] = sums[alike[a]]
