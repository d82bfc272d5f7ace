"""The simple regret algorithm for costs per arm (Jamshidi, Etesami & Kiyavash 2024), where no arm has a hidden confounder.

Idea: gamma-NB-ALG without its question whether to act; what counts as seldom shown depends on what trying all such arms would cost.
Symbols: shown N_a, q_hat = shown / (number of observations), n(q) = min{tau : sum of c_a over {a : q_a < 1/tau} <= tau}, c_a in units of the
observation's cost, plan the pulls of each arm of A' = {a : q_hat_a <= 1/n(q_hat)}. Half of the budget goes to watching, the other half to A', each
arm of which gets floor(B / (2 sum of costs over A')) pulls.
Decisions: tau is any real number, for costs are. A' is never empty, for the arm at which n(q) is reached is in it. As in PB-ALG, an arm's own
pulls replace what watching said of it; an arm of A' that gets no whole pull keeps its estimate from watching.
Many values or several variables per arm: q_hat_a is the share of observations in which all that the arm sets held. An arm with a backdoor path
is never shown, and so always in A' (the paper estimates some such arms from observations by the formula that identifies them: not here).
Pending observations are waited for before A' is settled.
"""

from __future__ import annotations

from .gamma_nb import GammaNB
from .maths.indices import add_to
from .maths.phases import plan_rare_by_cost
from .registry import register


@register
class NBCosts(GammaNB):
    """Watch with half the budget, then try what watching shows seldom for what it costs."""

    kind = "nb-costs"
    paper = "Jamshidi, Etesami & Kiyavash 2024"

    def tell(self, view, state, arm, tally):
        if arm > 0:
            state.pulls[arm] += tally.rounds
            state.reward[arm] += tally.reward
            return
        before = state.shown[0]
        add_to(state.shown, tally.shown)
        add_to(state.shown_reward, tally.shown_reward)
        if before < state.observations <= state.shown[0]:
            plan_rare_by_cost(state.shown, view.costs, view.budget // 2, state.plan)
