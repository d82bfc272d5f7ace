"""OBS-ALG (Nair, Patil & Sinha 2021, section 3.1): watch for the whole budget.

Idea: one observation teaches about every arm whose assignment it shows. Recommend the best empirical mean.
Symbols: shown N_a, the observations in which arm a's assignment held; reward the sum of Y there.
Deviation: it refuses arms with a backdoor path, because watching cannot judge them.
See docs/policies/obs.md for costs and for arms that set several variables.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .checks import needs_budget, needs_observation
from .columns import ARMS
from .contract import Policy
from .maths.indices import add_to
from .maths.ties import best_mean
from .reference import NAIR_2021
from .registry import register


@record
class State:
    shown: np.ndarray  # (arms,) N_a, observations in which the assignment of arm a held
    reward: np.ndarray  # (arms,) the sum of rewards in them


@register
class Observe(Policy):
    """OBS-ALG: watch for the whole budget."""

    kind = "obs"
    reads = ARMS
    goal = "simple regret"
    reference = NAIR_2021.at("section 3.1")

    def check(self, problem: Problem) -> None:
        needs_observation(self, problem)
        problem.refuse_backdoors(self.kind)
        needs_budget(self, problem, problem.exact_costs[0], "to watch once")

    def init(self, view):
        return State(np.zeros(view.arms, np.int64), np.zeros(view.arms))

    def ask(self, view, state, pending, left, rng):
        return 0, left // view.costs[0]

    def tell(self, view, state, arm, tally):
        add_to(state.shown, tally.shown)
        add_to(state.reward, tally.shown_reward)

    def recommend(self, view, state, rng):
        return best_mean(state.reward, state.shown, rng)
