"""The simple regret algorithm for costs per arm (Jamshidi, Etesami & Kiyavash 2024), without hidden confounders.

Idea: gamma-NB-ALG, but it always acts. Which arms count as rarely shown depends on what trying all of them costs.
Symbols: shown N_a, q_hat = shown / observations, A' = {a : q_hat_a <= 1/n(q_hat)}, plan the pulls of its arms,
n(q) = min{tau : sum of c_a over {a : q_a < 1/tau} <= tau}, with c_a in units of the observation's cost.
Deviation: an arm with a backdoor path is always in A'. The paper estimates some of them from observations.
See docs/policies/nb-costs.md.
"""

from __future__ import annotations

import numpy as np

from .gamma_nb import GammaNB
from .maths.indices import add_to
from .maths.phases import plan_rare_by_cost
from .reference import JAMSHIDI_2024
from .registry import register


@register
class NBCosts(GammaNB):
    """Watch with half the budget, then try the arms that watching shows too rarely for their cost."""

    kind = "nb-costs"
    goal = "simple regret, costs per arm"
    reference = JAMSHIDI_2024

    def tell(self, view, state, arm, tally):
        if arm > 0:
            state.pulls[arm] += tally.rounds
            state.reward[arm] += tally.reward
            return
        before = state.shown[0]
        add_to(state.shown, tally.shown)
        add_to(state.shown_reward, tally.shown_reward)
        if before < state.observations <= state.shown[0]:
            money = np.int64(view.budget * (1.0 - self.share))
            plan_rare_by_cost(state.shown, view.costs, money, state.plan)
