"""gamma-NB-ALG (Nair, Patil & Sinha 2021, Algorithm 1): watch with half the budget, then decide whether to act.

Idea: if the price gamma of an intervention is at least 1 / (p m(p)), it is better to go on watching.
Otherwise try the arms that watching seldom shows. Both p and m(p) are estimated.
The first phase gets the `share` of the budget, 1/2 in the paper.
Symbols: shown N_a, p_hat = shown / floor(B/2), m_hat m(p_hat), A = {a : p_hat_a < 1/m_hat}, plan the pulls of its arms.
Costs per arm: gamma is the mean cost over A in line 6, in units of the observation's cost.
Deviations: an empty A goes on watching. An arm of A that gets no whole pull keeps its estimate from watching.
See docs/policies/gamma-nb.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from ..errors import InputError
from ..problem import Problem
from .checks import needs_budget, needs_observation
from .columns import ARMS
from .contract import Policy, added_later
from .maths.indices import add_to
from .maths.phases import best_estimate, next_planned, plan_rare
from .reference import NAIR_2021
from .registry import register


@record
class State:
    observations: int  # floor(B/2), the observations of the first phase
    shown: np.ndarray  # (arms,) N_a, observations in which the assignment of arm a held
    shown_reward: np.ndarray  # (arms,) the sum of rewards in them
    plan: np.ndarray  # (arms,) planned pulls
    pulls: np.ndarray  # (arms,) pulls so far
    reward: np.ndarray  # (arms,) the sum of rewards of these pulls
    only_watch: bool  # whether line 6 was true, or A is empty
    scratch: np.ndarray  # (arms,) working memory


@register
class GammaNB(Policy):
    """gamma-NB-ALG: watch with half the budget, then act only if acting is worth its price."""

    kind = "gamma-nb"
    reads = ARMS
    goal = "simple regret"
    reference = NAIR_2021.at("Algorithm 1")

    share: float = added_later(default=0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share < 1:
            raise InputError(f"The parameter share of gamma-nb must be between 0 and 1, not {self.share:g}.")

    def check(self, problem: Problem) -> None:
        needs_observation(self, problem)
        least = math.ceil(problem.exact_costs[0] / self.share)
        needs_budget(self, problem, least, "to watch once with the first half of it")

    def init(self, view):
        arms = view.arms
        return State(
            observations=np.int64(view.budget * self.share) // view.costs[0],
            shown=np.zeros(arms, np.int64),
            shown_reward=np.zeros(arms),
            plan=np.zeros(arms, np.int64),
            pulls=np.zeros(arms, np.int64),
            reward=np.zeros(arms),
            only_watch=False,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if state.shown[0] < state.observations:  # line 1; count 0: line 6 waits for the pending observations
            return 0, state.observations - state.shown[0] - pending[0]
        if state.only_watch:  # line 7
            return 0, left // view.costs[0]
        return next_planned(state.plan, state.pulls, pending, view.costs, left)  # line 12

    def tell(self, view, state, arm, tally):
        if arm > 0:  # line 13
            state.pulls[arm] += tally.rounds
            state.reward[arm] += tally.reward
            return
        before = state.shown[0]
        add_to(state.shown, tally.shown)  # lines 2 to 5, and 8 to 9
        add_to(state.shown_reward, tally.shown_reward)
        if before < state.observations <= state.shown[0]:
            money = np.int64(view.budget * (1.0 - self.share))
            m_hat, number, cost = plan_rare(state.shown, view.costs, money, state.scratch, state.plan)  # lines 11, 12
            least = state.shown[1]
            for a in range(2, view.arms):
                least = min(least, state.shown[a])
            # line 6: p_hat m_hat >= 1 / gamma, with p_hat = least / n and gamma = cost / (number * c_0).
            # Both sides are multiplied out, so that only whole numbers are compared (as floats).
            unit = view.costs[0]
            state.only_watch = number == 0 or least * m_hat * float(cost) >= float(state.shown[0] * number) * unit

    def recommend(self, view, state, rng):
        return best_estimate(state, rng)  # line 16, with line 14's estimates
