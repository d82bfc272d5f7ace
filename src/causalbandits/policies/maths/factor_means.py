"""The mean of every arm from the tables of its factors and from its own samples, and how sure it is.

Rewards are scaled to [0, 1]. For an arm a, a row r of a factor, and p_r the estimates in the row's cells:
    N_r, kappa_r  the row's rounds, and the samples of its prior;  k_r = N_r + kappa_r + 1
    P_a, g_a      the mean that the tables give, and its derivatives in all cells
    v_ar          the variance of g_a over the values of the row, drawn from p_r
    E_a           = sum_r v_ar / k_r: the variance that chance in the rounds causes (delta method)
    C_a           = COMMON * sum over factors of (sum over rows of q_r sqrt(v_ar))^2, with
                  q_r = kappa_r / (N_r + kappa_r) / sqrt(kappa_r + 1):
                  the variance that a wrong prior causes, if its errors in all rows of a factor go together
    D_a, n_a      the mean of the arm's own samples, and their number (maths/own_samples.py)
    b_a           = P_a (1 - P_a), the variance of one reward; of a real one 1/4 and the variance between its rows
    w_a           = C_a / (C_a + b_a / n_a - E_a), 0 without own samples, and 1 if b_a / n_a <= E_a
    m_a           = (1 - w_a) P_a + w_a D_a, the best mixture of the two
    V_a           = E_a + (1 - w_a) C_a, its variance, or b_a / n_a if that is less than E_a
    evidence      = P_a (1 - P_a) / V_a, or 1/4 / V_a for real rewards: so many samples of the arm would tell as much
Arms with the same tables and rows have the same mean. What is the same is kept for the first of them, `view.alike`.
An arm that is learned as a whole has only its own samples. A real reward's row has the variance 1/4 and no + 1 in k_r.
The derivation is in docs/theory/factors.md.
"""

from __future__ import annotations

import math

from ...engine.bridge.cache import lean, shared
from .circuit import fill_gradient, fill_means
from .own_samples import fill_own_samples

PRIOR = 1.0  # kappa_r is so many samples for each value
PRIOR_BOUNDED = 2.0  # kappa_r of a reward with bounds; its prior has the mean of all rewards
PRIOR_REAL = 0.25  # kappa_r of a real reward: the prior has twice the deviation of a reward
COMMON = 0.3  # chosen among 0, 0.1, 0.3 and 1: see docs/theory/factors.md
MOST_UNKNOWN = 0.1  # a real mean is unknown without own samples if the prior has a larger share in it
SMALLEST = 1e-12  # variance


@shared
def update_means(view, state):
    """Update the means, their variances and the evidence of all arms."""
    fill_own_samples(view, state)
    fill_cells(view, state)
    if not view.is_bounded:
        fill_second_moments(view, state)
    fill_means(view.circuit, state.scratch_cells, state.scratch_values, state.scratch_means)
    fill_with_zeros(state.scratch_adjoints)
    for a in range(view.arms):
        if view.alike[a] == a and not view.whole[a]:
            fill_derivatives(view, state, a, state.scratch_gradients)
            fill_spread(view, state, a, view.met[view.met_start[a] : view.met_start[a + 1]])
    for a in range(view.arms):
        n = state.scratch_own_counts[a]
        own = (state.scratch_own_sums[a] / n - view.low) / view.width if n > 0 else 0.0
        if view.whole[a]:
            state.scratch_means[a], state.scratch_evidence[a] = own, float(n)
            continue
        between = state.scratch_table_variance[a] - state.scratch_means[a] ** 2
        one = variance_of_one(view.is_bounded, state.scratch_means[a])
        state.scratch_table_variance[a] = one if view.is_bounded else one + max(between, 0.0)
        fill_variance(view, state, a)
        state.scratch_means[a] += state.scratch_own_share[a] * (own - state.scratch_means[a])
        known = view.is_bounded or n > 0 or share_of_prior(view, state, a) <= MOST_UNKNOWN
        state.scratch_evidence[a] = one / state.scratch_variances[a] if known else 0.0


@shared
def fill_second_moments(view, state):
    """Set `scratch_table_variance` to the mean of the squared mean of the row, of every arm, for real rewards."""
    cells, start = state.scratch_cells, view.row_start
    for r in range(view.reward_row, start.size - 1):
        state.scratch_worth[r] = cells[start[r]]
        cells[start[r]] *= cells[start[r]]
    fill_means(view.circuit, cells, state.scratch_values, state.scratch_table_variance)
    for r in range(view.reward_row, start.size - 1):
        cells[start[r]] = state.scratch_worth[r]


@shared
def fill_derivatives(view, state, a, gradients):
    """Set gradients[a] to the derivatives of an arm's mean in all cells, from the circuit's values."""
    fill_with_zeros(gradients[a])
    fill_gradient(view.circuit, state.scratch_values, state.scratch_adjoints, a, gradients)


@lean
def fill_with_zeros(numbers):
    for i in range(numbers.size):
        numbers[i] = 0.0


@shared
def fill_cells(view, state):
    """Set the estimates in all cells, k_r, and the deviations of the prior's errors."""
    cells, start = state.scratch_cells, view.row_start
    middle = (state.reward - state.rounds * view.low) / view.width  # the mean of all rewards
    middle = (middle + 0.5) / (state.rounds + 1.0) if view.is_bounded else middle / max(state.rounds, 1)
    for r in range(start.size - 1):
        first, last = start[r], start[r + 1]
        n, one = 0, 1.0
        for c in range(first, last):
            n += state.counts[c]
        if r < view.reward_row:
            prior = PRIOR * (last - first)
            for c in range(first, last):
                cells[c] = (state.counts[c] + PRIOR) / (n + prior)
        else:
            prior = PRIOR_BOUNDED if view.is_bounded else PRIOR_REAL
            one = 1.0 if view.is_bounded else 0.0
            total = float(state.counts[last - 1])
            if first >= view.sums_from:
                total = (state.sums[first - view.sums_from] - n * view.low) / view.width
            cells[first] = 1.0 - (total + prior * middle) / (n + prior)  # of a binary reward: no success
            cells[last - 1] = (total + prior * middle) / (n + prior)
        k = n + prior + one
        state.scratch_samples[r] = k
        state.scratch_prior[r] = prior / (n + prior) / math.sqrt(prior + one)
        state.scratch_chance_gains[r] = 1.0 / (k * (k + 1.0))
        state.scratch_prior_gains[r] = 2.0 * COMMON * state.scratch_prior[r] / (n + prior + 1.0)
    for i in range(view.known.size):
        cells[start[-1] + i] = view.known[i]


@shared
def fill_spread(view, state, a, rows):
    """Set sqrt(v_ar) in these rows, E_a and C_a, from the numbers in `scratch_gradients`."""
    row_start, factor_of = view.row_start, view.factor_of
    cells, samples, prior = state.scratch_cells, state.scratch_samples, state.scratch_prior
    gradient, spread, together = state.scratch_gradients[a], state.scratch_spread[a], state.scratch_together[a]
    of_chance, of_prior = 0.0, 0.0
    fill_with_zeros(together)
    for r in rows:
        if r < view.reward_row:
            variance = variance_of_value(cells, gradient, row_start[r], row_start[r + 1])
        else:
            last = row_start[r + 1] - 1
            variance = gradient[last] * gradient[last] * variance_of_one(view.is_bounded, cells[last])
        spread[r] = math.sqrt(variance)
        of_chance += variance / samples[r]
        together[factor_of[r]] += prior[r] * spread[r]
    for f in range(together.size):
        of_prior += together[f] * together[f]
    state.scratch_of_chance[a], state.scratch_of_prior[a] = of_chance, COMMON * of_prior


@lean
def variance_of_value(cells, worth, first, last):
    """The variance of a number that depends on the value of a row, given the probabilities of the values."""
    mean, square = 0.0, 0.0
    for c in range(first, last):
        mean += cells[c] * worth[c]
        square += cells[c] * worth[c] * worth[c]
    return max(square - mean * mean, 0.0)


@lean
def variance_of_one(is_bounded, mean):
    """The variance of a reward with this mean: at most that of a coin. Real rewards have a deviation of 1/2."""
    if not is_bounded:
        return 0.25
    p = min(max(mean, SMALLEST), 1.0 - SMALLEST)
    return p * (1.0 - p)


@shared
def fill_variance(view, state, a):
    """Set w_a, V_a, and by how much one more own sample lowers V_a."""
    n = float(state.scratch_own_counts[a])
    state.scratch_own_share[a], variance = share_of_own(view, state, a, n)
    _, later = share_of_own(view, state, a, n + 1.0)
    state.scratch_variances[a] = max(variance, SMALLEST)
    state.scratch_own_gains[a] = max(variance - later, 0.0)


@shared
def share_of_own(view, state, a, n):
    """w_a and V_a with n own samples."""
    of_chance, of_prior = state.scratch_of_chance[view.alike[a]], state.scratch_of_prior[view.alike[a]]
    if n <= 0.0:
        return 0.0, of_chance + of_prior
    of_own = state.scratch_table_variance[a] / n
    if of_own <= of_chance:
        return 1.0, of_own
    share = of_prior / max(of_prior + of_own - of_chance, SMALLEST)
    return share, of_chance + (1.0 - share) * of_prior


@shared
def share_of_prior(view, state, a):
    """How much of the mean of an arm is the prior of the reward's rows."""
    share, prior = 0.0, PRIOR_BOUNDED if view.is_bounded else PRIOR_REAL
    one = 1.0 if view.is_bounded else 0.0
    for r in range(view.reward_row, view.row_start.size - 1):
        gradient = state.scratch_gradients[view.alike[a], view.row_start[r + 1] - 1]
        share += prior / (state.scratch_samples[r] - one) * gradient
    return share


@shared
def gain_of_chance(state, a, r):
    """By how much one more sample of row r lowers E_a."""
    return state.scratch_spread[a, r] * state.scratch_spread[a, r] * state.scratch_chance_gains[r]


@shared
def gain_of_prior(view, state, a, r):
    """By how much one more sample of row r lowers C_a."""
    return state.scratch_together[a, view.factor_of[r]] * state.scratch_spread[a, r] * state.scratch_prior_gains[r]


@shared
def gain(state, a, of_chance, of_prior):
    """By how much V_a falls if E_a and C_a fall by so much, with w_a held."""
    share = state.scratch_own_share[a]
    return (1.0 - share * share) * of_chance + (1.0 - share) * (1.0 - share) * of_prior
