"""What a round of an arm teaches about every arm: which rows it shows how often, and what they are worth.

How often a round shows a row comes from the circuit of the means. If every reward is 1, the derivative of the mean in
a cell is the probability that the cell's row is met. The cells of the reward are overwritten for that. So
`update_means` comes first.
"""

from __future__ import annotations

from ...engine.bridge.cache import shared
from .circuit import fill_means
from .factor_means import fill_derivatives, fill_with_zeros, gain, gain_of_chance, gain_of_prior


@shared
def fill_masses(view, state):
    """Run the circuit with all rewards 1. This must come before the functions that say how often a row is shown."""
    for r in range(view.reward_row, view.row_start.size - 1):
        state.scratch_cells[view.row_start[r + 1] - 1] = 1.0
    fill_means(view.circuit, state.scratch_cells, state.scratch_values, state.scratch_other)


@shared
def fill_watched(view, state):
    """Set `scratch_watched` to how often an observation shows and teaches each row."""
    for i in range(view.homes_start[0], view.homes_start[1]):
        fill_derivatives(view, state, view.homes[i], state.scratch_reach)
    for r in view.rows:
        home = view.home[0, view.factor_of[r]]
        state.scratch_watched[r] = state.scratch_reach[home, view.row_start[r + 1] - 1] if home >= 0 else 0.0


@shared
def fill_reach_of_all(view, state):
    """Set `scratch_reach` to how often a round of each arm shows each row."""
    for a in range(view.arms):
        if view.alike[a] == a:
            fill_derivatives(view, state, a, state.scratch_reach)


@shared
def fill_by_all(view, state):
    """Set `scratch_by_all` to how often each row is shown if every open arm is pulled once."""
    circuit, values, adjoints = view.circuit, state.scratch_values, state.scratch_adjoints
    for a in range(view.arms):
        if state.scratch_open[a] and circuit.root[a] >= 0:
            adjoints[circuit.root[a]] += 1.0
    for i in range(circuit.out.size - 1, -1, -1):
        adjoint = adjoints[circuit.out[i]]
        if adjoint != 0.0:
            adjoints[circuit.left[i]] += adjoint * values[circuit.right[i]]
            adjoints[circuit.right[i]] += adjoint * values[circuit.left[i]]
    for r in view.rows:
        state.scratch_by_all[r] = adjoints[view.row_start[r + 1] - 1]
    fill_with_zeros(adjoints)


@shared
def sum_over_shown_rows(view, state, arm, worth):
    """sum over rows of P(a round of this arm shows and teaches the row) worth[row]."""
    total = 0.0
    for f in range(view.home.shape[1]):
        home = view.home[arm, f]
        if home >= 0:
            for r in range(view.factor_start[f], view.factor_start[f + 1]):
                if worth[r] != 0.0:
                    total += state.scratch_reach[home, view.row_start[r + 1] - 1] * worth[r]
    return total


@shared
def share_watched(state, a):
    """How often an observation shows what arm a sets. It is never 0, because an arm may yet be shown."""
    return (state.scratch_shown[a] + 1.0) / (state.pulls[0] + 1.0)


@shared
def in_samples(state, a, lower):
    """A decrease of V_a, as the number of own samples that decrease the variance of a plain mean as much."""
    return lower / state.scratch_variances[a] * (state.scratch_evidence[a] + 1.0)


@shared
def fill_gains(view, state, a):
    """Set what one observation, and one pull of every open arm, take from E_a and C_a.

    It needs `fill_watched` and `fill_by_all`.
    """
    watched, by_all = state.scratch_watched, state.scratch_by_all
    watch_chance, watch_prior, all_chance, all_prior = 0.0, 0.0, 0.0, 0.0
    for i in range(view.met_start[a], view.met_start[a + 1]):
        r = view.met[i]
        of_chance, of_prior = gain_of_chance(state, a, r), gain_of_prior(view, state, a, r)
        watch_chance += watched[r] * of_chance
        watch_prior += watched[r] * of_prior
        all_chance += by_all[r] * of_chance
        all_prior += by_all[r] * of_prior
    state.scratch_gains[a, 0], state.scratch_gains[a, 1] = watch_chance, watch_prior
    state.scratch_gains[a, 2], state.scratch_gains[a, 3] = all_chance, all_prior


@shared
def samples_by_watching(view, state, a):
    """s_a: by how many samples an observation raises the evidence about arm a. It needs `fill_gains`."""
    if view.whole[a]:
        return share_watched(state, a)
    first = view.alike[a]
    lower = gain(state, a, state.scratch_gains[first, 0], state.scratch_gains[first, 1])
    lower += state.scratch_own_gains[a] * state.scratch_shown[a] / max(state.pulls[0], 1)
    return min(in_samples(state, a, lower), 1.0)


@shared
def samples_by_all(view, state, a):
    """W_a: by how many samples the evidence about arm a is raised if every open arm is pulled once, at least 1.

    It needs `fill_gains`, and in `scratch_other` the number of open arms that are alike.
    """
    if view.whole[a]:
        return 1.0
    first = view.alike[a]
    lower = gain(state, a, state.scratch_gains[first, 2], state.scratch_gains[first, 3])
    return max(in_samples(state, a, lower + state.scratch_other[a] * state.scratch_own_gains[a]), 1.0)
