"""Causal Thompson sampling (this library): cumulative regret with a budget and side observations.

Idea: causal-kl with a draw from the posterior of each arm in place of its index.
Symbols: counts n_a effective samples, sums of their rewards, S_a these rewards scaled to [0, 1].
Posterior: Beta(1 + S_a, 1 + n_a - S_a); for real rewards a normal with deviation width / 2 per sample.
`exploration` divides the counts of a posterior; it is 1 by default. A choice stands for 1 + `block` n_a rounds.
In each of them but the first, every arm with fewer samples has a chance:
min(1, CHANCE / ((arms - 1) (n_a + 1))) exp(-(n_a + 1) KL(S_a / (n_a + 1), c_a v) / (1 + 6 / (n_a + 1 + 2 arms))),
v the chosen arm's posterior mean per cost.
The observation has it without the first factor while there are few observations.
While it watches, an arm that is too rarely shown is pulled, if waiting for it would lose more than the pull.
The arm with the largest lower bound is recommended.
Pending rounds change no draw. An arm waits while as many rounds are pending as are known (and ten).
The rule and the conjecture are in docs/policies/causal-ts.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.cache import shared
from ..engine.bridge.record import record
from ..engine.streams import below, uniform
from .columns import ARMS
from .contract import InBlocks, added_later
from .maths.indices import add_to, must_wait
from .maths.kl import boost, bound_without_samples, log_plausibility, upper_h_plus
from .maths.posteriors import posterior_draw, posterior_mean
from .maths.surest import surest_arm
from .maths.ties import best
from .maths.watching import (
    exclude_unavailable,
    nothing_is_worth_its_price,
    starts_with_watching,
    too_rare_to_wait_for,
    watching_pays,
)
from .reference import LIBRARY
from .registry import register

FEW_OBSERVATIONS = 100  # with as many, a mean is 0.15 too low with a probability of 1 % (Hoeffding)
CHANCE = 5.0  # chosen among 1, 3, 5 and 10: see docs/policies/causal-ts.md


@shared
def chance_per_round(view, state, a, rate, exploration):
    """The chance of arm a in each round of another arm's block, whose mean per cost is `rate`."""
    count, n = state.counts[a], state.counts[a] + 1
    if view.is_bounded:  # one more sample, and no success: a bound of the tail of the Beta distribution (Chernoff)
        mean, count = (state.sums[a] + view.low) / n, n
    else:
        mean = state.sums[a] / max(count, 1)
    n_kl = -log_plausibility(mean, count, view.prices[a] * rate, view.low, view.width, view.is_bounded)
    chance = math.exp(-n_kl / (exploration * boost(n, view.arms)))
    if a == 0 and view.observes and state.counts[0] < FEW_OBSERVATIONS:
        return chance
    return min(CHANCE / ((view.arms - 1) * n), 1.0) * chance


@shared
def arm_with_luck(view, state, arm, rounds, draws, exploration, rng):
    """An arm with fewer samples whose chance came up in one of the rounds, the observation first; -1 if there is none.

    A draw of -inf marks an arm that may not be chosen.
    """
    rate, lucky, found = posterior_mean(state.sums[arm], state.counts[arm], view) * view.rates[arm], -1, 0
    for a in range(view.arms):
        if draws[a] > -np.inf and state.counts[a] < state.counts[arm]:
            chance = chance_per_round(view, state, a, rate, exploration)
            if chance > 0.0 and uniform(rng) < -math.expm1(rounds * math.log1p(-min(chance, 1.0 - 1e-9))):
                if a == 0 and view.observes:
                    return 0
                found += 1
                if found == 1 or below(rng, found) == 0:
                    lucky = a
    return lucky


@shared
def fill_indices(view, state, exploration):
    """Set the state's scratch to causal-kl's index of every arm."""
    for a in range(view.arms):
        bound = bound_without_samples(view.low, view.width, view.is_bounded)
        if state.counts[a] > 0:
            bound = upper_h_plus(state.sums[a], state.counts[a], view, exploration)
        state.scratch[a] = bound * view.rates[a]


@shared
def rare_arm(view, state, exploration, pending, left):
    """The arm to pull before watching on, by the rule of causal-kl with its index; -1 if there is none."""
    fill_indices(view, state, exploration)
    return too_rare_to_wait_for(
        view, state.scratch, state.counts, state.sums, state.watched, state.counts, pending, left
    )


@record
class State:
    counts: np.ndarray  # (arms,) n_a, effective samples: pulls and observations that showed arm a
    sums: np.ndarray  # (arms,) the sum of their rewards
    watched: np.ndarray  # (arms,) observations that showed arm a
    scratch: np.ndarray  # (arms,) working memory


@register
class CausalThompson(InBlocks):
    """Causal Thompson sampling: a posterior draw per cost; it watches while that is the cheaper way to learn."""

    kind = "causal-ts"
    reads = ARMS
    goal = "cumulative regret"
    reference = LIBRARY

    exploration: float = added_later(default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_zero("exploration")

    def init(self, view):
        arms = view.arms
        return State(
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            watched=np.zeros(arms, np.int64),
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if view.keeps_money:
            fill_indices(view, state, self.exploration)
            if nothing_is_worth_its_price(view, state.scratch, left):
                return 0, 0
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        if (
            view.observes
            and view.costs[0] <= left
            and starts_with_watching(state.counts, pending, view.costs, view.cheapest_intervention)
        ):
            return 0, 1
        draws = state.scratch
        for a in range(view.arms):
            n, total = state.counts[a] / self.exploration, state.sums[a] / self.exploration
            draws[a] = posterior_draw(total, n, view.low, view.width, view.is_bounded, rng) * view.rates[a]
        can_watch = (
            view.observes and view.costs[0] <= left and state.counts[0] > 0 and not must_wait(0, state.counts, pending)
        )
        if can_watch and watching_pays(view, draws, state.counts, state.sums, state.watched, left):
            rare = rare_arm(view, state, self.exploration, pending, left)
            return (rare, 1) if rare > 0 else (0, 1 + np.int64(self.block * state.counts[0]))
        exclude_unavailable(draws, state.counts, pending, view.costs, left)
        arm = best(draws, rng)
        if arm < 0:
            return 0, 0
        rounds = 1 + np.int64(self.block * state.counts[arm])
        if rounds > 1:
            lucky = arm_with_luck(view, state, arm, rounds - 1, draws, self.exploration, rng)
            if lucky >= 0:
                return lucky, 1
        if can_watch and arm == 0:
            rare = rare_arm(view, state, self.exploration, pending, left)
            if rare > 0:
                return rare, 1
        return arm, rounds

    def tell(self, view, state, arm, tally):
        if arm == 0 and view.observes:
            add_to(state.counts, tally.shown)
            add_to(state.watched, tally.shown)
            add_to(state.sums, tally.shown_reward)
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward

    def recommend(self, view, state, rng):
        return surest_arm(view, state.sums, state.counts, state.scratch, rng)
