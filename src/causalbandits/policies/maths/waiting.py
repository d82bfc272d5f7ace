"""Whether to watch, and when not to wait for an arm that watching seldom shows: for policies that read factors."""

from __future__ import annotations

import math

import numpy as np

from ...engine.bridge.cache import shared
from .factor_teaching import (
    fill_by_all,
    fill_gains,
    fill_masses,
    fill_watched,
    samples_by_all,
    samples_by_watching,
)
from .improvement import beta_improvement, normal_improvement
from .indices import must_wait
from .own_samples import fill_sums_of_alike
from .ties import TIE

EAGERNESS = 3.0  # how much the loss of waiting counts; chosen among 0.3, 1, 3 and 10: docs/policies/factor-ucb.md


@shared
def mean_of(view, state, a):
    """The estimated mean of an arm, in units of the reward."""
    return view.low + view.width * state.scratch_means[a]


@shared
def best_rate(view, state):
    """v*: the best mean per cost of the arms of which something is known, or that of keeping the money, 0."""
    rate = 0.0 if view.keeps_money else -np.inf
    for a in range(view.arms):
        if state.scratch_evidence[a] > 0.0:
            rate = max(rate, mean_of(view, state, a) * view.rates[a])
    return rate


@shared
def watching_saves(view, state, optimistic, rate, left):
    """Whether one more observation saves more than it costs.

    sum over the open arms of s_a / W_a (c_a v* - m_a)  >  c_0 v* - m_0

    An arm is open while its optimistic value per cost is above v*. s_a is what an observation teaches about it in
    samples, W_a what it would learn if every open arm were pulled once. See docs/policies/factor-ucb.md.
    """
    saved = mean_of(view, state, 0) - view.prices[0] * rate
    most = saved
    for a in range(view.arms):
        state.scratch_open[a] = a > 0 and optimistic[a] > rate and view.costs[a] <= left
        if state.scratch_open[a] and state.scratch_evidence[a] > 0.0:
            most += view.prices[a] * rate - mean_of(view, state, a)  # as s_a <= 1 <= W_a
    if most <= TIE * view.width:
        return False
    fill_masses(view, state)
    fill_watched(view, state)
    fill_by_all(view, state)
    fill_sums_of_alike(view.alike, state.scratch_open, state.scratch_other)
    for a in view.firsts:
        if state.scratch_other[a] > 0.0 and not view.whole[a]:
            fill_gains(view, state, a)
    for a in range(1, view.arms):
        if state.scratch_open[a] and state.scratch_evidence[a] > 0.0:
            if view.whole[a]:
                share = state.scratch_shown[a] / state.pulls[0]
            else:
                share = samples_by_watching(view, state, a) / samples_by_all(view, state, a)
            saved += share * (view.prices[a] * rate - mean_of(view, state, a))
    return saved > TIE * view.width


@shared
def fill_shares(view, state):
    """Set `scratch_shares` to s_a of every arm. It needs `watching_saves`."""
    for a in view.firsts:
        if state.scratch_other[a] == 0.0 and not view.whole[a]:
            fill_gains(view, state, a)
    for a in range(1, view.arms):
        state.scratch_shares[a] = samples_by_watching(view, state, a)


@shared
def arm_not_to_wait_for(view, state, rate, pending, left):
    """The intervention to pull although watching saves more, because waiting for it would lose more; -1 if none.

    EAGERNESS E max(theta_a - c_a v*, 0) / c_a  c_0 wait_a share_a  >  c_a v* - E theta_a

    Symbols: theta_a the posterior mean of the arm, wait_a = min(1 / s_a, rounds left) the rounds until watching has
    taught as much as one pull, share_a that of wait_a in the waits of all affordable interventions.
    An arm that has more pulls than there are observations is left out. The largest quotient of the two sides decides.
    It needs `watching_saves`. See docs/policies/factor-ucb.md.
    """
    fill_shares(view, state)
    chosen, most, waits = -1, 1.0, 0.0
    longest = float(left // view.costs[0])
    for a in range(1, view.arms):
        if view.costs[a] <= left:
            waits += wait_for(state, a, longest)
    for a in range(1, view.arms):
        if view.costs[a] <= left and state.pulls[a] < state.pulls[0] and not must_wait(a, state.pulls, pending):
            goal = view.prices[a] * rate
            mean, gain = posterior_gain(view, state, a, state.scratch_pending[a], goal)
            wait = wait_for(state, a, longest)
            lost = EAGERNESS * gain * view.rates[a] * view.prices[0] * wait * wait / waits
            if goal - mean > TIE * view.width and lost > most * (goal - mean):
                chosen, most = a, lost / (goal - mean)
    return chosen


@shared
def wait_for(state, a, longest):
    """How many observations teach as much about an arm as one pull."""
    return min(1.0 / max(state.scratch_shares[a], 1e-300), longest)


@shared
def posterior_gain(view, state, a, pending, goal):
    """E theta_a and E max(theta_a - goal, 0).

    The posterior is a Beta distribution with the mean and the evidence of the arm. An arm that is learned as a whole
    has no prior yet: one success and one failure are added. A real reward has a normal posterior; an arm of which
    nothing is known counts as one sample with the mean of the observation.
    """
    n, mean = state.scratch_evidence[a] + pending, state.scratch_means[a]
    if state.scratch_evidence[a] <= 0.0:
        mean = 0.5 if view.is_bounded else mean_of(view, state, 0) / view.width
    if not view.is_bounded:
        gain = normal_improvement(view.width * mean, view.width / (2.0 * math.sqrt(max(n, 1.0))), goal)
        return view.width * mean, gain
    added = 1.0 if view.whole[a] else 0.0
    successes, failures = mean * n + added, (1.0 - mean) * n + added
    gain = view.width * beta_improvement(successes, failures, (goal - view.low) / view.width)
    return view.low + view.width * successes / (successes + failures), gain
