"""PB-ALG, the parallel bandit (Lattimore, Lattimore & Reid 2016, Algorithm 1; budget: Nair et al. 2021, section 3).

Idea: spend half the rounds on watching, then try the arms that watching seldom shows.
Symbols: shown N_a, p_hat = shown / n, m_hat m(p_hat), plan the pulls of each arm of A = {a : p_hat_a < 1/m_hat}.
Costs per arm: gamma is the mean cost of the interventions in n = floor(B / (c_0 + gamma)).
Deviations: an empty A goes on watching. An arm of A that gets no whole pull keeps its estimate from watching.
See docs/policies/pb.md.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .checks import needs_budget, needs_observation
from .columns import ARMS
from .contract import Policy
from .maths.indices import add_to
from .maths.phases import best_estimate, floor_product, next_planned, plan_rare
from .reference import LATTIMORE_2016, NAIR_2021
from .registry import register


@record
class State:
    observations: int  # n, the observations of the first phase
    money: int  # what the interventions may cost together, millionths
    shown: np.ndarray  # (arms,) N_a, observations in which the assignment of arm a held
    shown_reward: np.ndarray  # (arms,) the sum of rewards in them
    plan: np.ndarray  # (arms,) planned pulls
    pulls: np.ndarray  # (arms,) pulls so far
    reward: np.ndarray  # (arms,) the sum of rewards of these pulls
    only_watch: bool  # whether A is empty
    scratch: np.ndarray  # (arms,) working memory


@register
class ParallelBandit(Policy):
    """PB-ALG: watch half the rounds, then try the arms that watching seldom shows."""

    kind = "pb"
    reads = ARMS
    goal = "simple regret"
    reference = LATTIMORE_2016.at("Algorithm 1", also={"budget": NAIR_2021.at("section 3")})

    def check(self, problem: Problem) -> None:
        needs_observation(self, problem)
        arms = len(problem.arms) - 1
        mean_cost = -(-sum(problem.exact_costs[1:]) // arms)
        needs_budget(self, problem, problem.exact_costs[0] + mean_cost, "to watch once and act once")

    def init(self, view):
        arms = view.arms
        interventions = np.int64(0)
        for a in range(1, arms):
            interventions += view.costs[a]
        both = view.costs[0] * (arms - 1) + interventions  # (c_0 + gamma) (arms - 1), gamma the mean cost
        observations = floor_product(view.budget, arms - 1, both)
        money = floor_product(view.budget, interventions, both)
        return State(
            observations=observations,
            money=money,
            shown=np.zeros(arms, np.int64),
            shown_reward=np.zeros(arms),
            plan=np.zeros(arms, np.int64),
            pulls=np.zeros(arms, np.int64),
            reward=np.zeros(arms),
            only_watch=False,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if state.only_watch:
            return 0, left // view.costs[0]
        if state.shown[0] < state.observations:  # count 0: A waits for the pending observations
            return 0, state.observations - state.shown[0] - pending[0]
        return next_planned(state.plan, state.pulls, pending, view.costs, left)

    def tell(self, view, state, arm, tally):
        if arm > 0:
            state.pulls[arm] += tally.rounds
            state.reward[arm] += tally.reward
            return
        before = state.shown[0]
        add_to(state.shown, tally.shown)
        add_to(state.shown_reward, tally.shown_reward)
        if before < state.observations <= state.shown[0]:
            _, number, _ = plan_rare(state.shown, view.costs, state.money, state.scratch, state.plan)
            state.only_watch = number == 0

    def recommend(self, view, state, rng):
        return best_estimate(state, rng)
