"""CRM-NB-ALG (Nair, Patil & Sinha 2021, Algorithm 2): cumulative regret with a budget and side observations.

Idea: UCB per unit of cost on effective pulls. Watch at least beta^2 log t times, so that no rare best arm is missed.
Symbols: pulls N^a, counts E^a (own pulls, and observations that show the arm; N^0 for the observation), means mu_hat_a,
rounds t - 1, best_rate mu_hat*/gamma, exploration the constant under the root (2 as in the proof; the text has 8),
cap whether line 13 has its limit sqrt(log t) (as printed; the published figures were made without it).
Costs per arm, as in Jamshidi, Etesami & Kiyavash (2024): every index is divided by the arm's own cost.
Pending rounds count in t, in N^0 and in the radii. See docs/policies/crm-nb.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .checks import needs_budget, needs_observation, once_each
from .columns import ARMS
from .contract import Policy, added_later
from .maths.indices import SKIP, add_pulls, add_shown, best_index, first_untried, largest_rate, log_from_table, total
from .maths.ties import TIE, best_mean
from .reference import JAMSHIDI_2024, NAIR_2021
from .registry import register


@record
class State:
    untried: int  # arms that were never pulled
    rounds: int  # t - 1
    pulls: np.ndarray  # (arms,) N^a
    counts: np.ndarray  # (arms,) E^a
    sums: np.ndarray  # (arms,) the sum of rewards of the effective pulls
    means: np.ndarray  # (arms,) mu_hat_a
    roots: np.ndarray  # (arms,) 1 / sqrt(E^a)
    beta: float  # line 13
    best_rate: float  # mu_hat*/gamma: the largest mu_hat_a / c_a of the interventions
    scratch: np.ndarray  # (arms,) working memory


@register
class CRMNB(Policy):
    """CRM-NB-ALG: UCB per cost on effective pulls, with enough observations."""

    kind = "crm-nb"
    reads = ARMS
    goal = "cumulative regret"
    reference = NAIR_2021.at("Algorithm 2", also={"costs per arm": JAMSHIDI_2024})

    exploration: float = 2.0
    cap: bool = added_later(default=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def check(self, problem: Problem) -> None:
        needs_observation(self, problem)
        needs_budget(self, problem, once_each(problem), "to pull every arm once")

    def init(self, view):
        arms = view.arms
        return State(
            untried=arms,
            rounds=0,
            pulls=np.zeros(arms, np.int64),
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            means=np.zeros(arms),
            roots=np.zeros(arms),
            beta=1.0,  # line 2
            best_rate=-np.inf,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if state.untried > 0:  # line 1: each arm once, the observation first; count 0 while the last are pending
            arm = first_untried(state.pulls, pending, view.costs, left)
            if arm != SKIP:
                return max(arm, 0), (1 if arm >= 0 else 0)
        if left < view.cheapest_intervention:  # line 4: B_t < gamma; from now on only watching is affordable
            return 0, left // view.costs[0]
        waiting = total(pending)
        t = state.rounds + waiting + 1
        wanted = state.beta**2 * log_from_table(view.log_of, t)
        if state.counts[0] + pending[0] < wanted and view.costs[0] <= left:  # line 4
            return 0, 1  # line 5
        width = view.width * math.sqrt(self.exploration * log_from_table(view.log_of, t - 1))
        arm = best_index(view, state, view.rates, width, pending, waiting, left, rng)
        return arm, 1  # line 7

    def tell(self, view, state, arm, tally):
        if state.pulls[arm] == 0:
            state.untried -= 1
        before = state.means[arm] * view.rates[arm]
        state.pulls[arm] += tally.rounds  # line 9
        state.rounds += tally.rounds
        if arm == 0:  # line 10
            add_shown(view, state, tally)
        else:
            add_pulls(state, arm, tally)
        # line 11: search all arms only if the best arm may have become worse
        after = state.means[arm] * view.rates[arm]
        if arm == 0 or (before == state.best_rate and after < before):
            state.best_rate = largest_rate(state.means, state.counts, view.rates, state.scratch)
        else:
            state.best_rate = max(state.best_rate, after)
        lead = state.best_rate - state.means[0] * view.rates[0]
        if state.rounds > view.arms and lead > TIE:  # line 12; a difference by rounding alone does not count
            beta = 2 * math.sqrt(2) * view.width / lead  # line 13
            state.beta = min(beta, math.sqrt(log_from_table(view.log_of, state.rounds))) if self.cap else beta

    def recommend(self, view, state, rng):
        return best_mean(state.sums, state.counts, rng)
