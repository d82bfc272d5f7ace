"""Readings of the paper's algorithms that fit its published figures better than the text does.

Nobody needs these policies except to understand the figures, so they are not in the registry. What was tried, and how
well it fits: docs/theory/published-figures.md.
"""

from __future__ import annotations

from ...policies.c_ucb_2 import CUCB2
from ...policies.columns import ARMS, PARENTS
from ...policies.gamma_nb import GammaNB
from ...policies.maths.configurations import add_seen
from ...policies.maths.indices import add_to
from ...policies.maths.phases import plan_rare


class GammaNBWithSetSize(GammaNB):
    """gamma-NB-ALG with |A| in the place of m(p_hat) in line 6.

    Line 14 is taken at its word: an arm of A without a whole pull has the estimate 0, an empty sum.
    """

    kind = "gamma-nb-set-size"
    reads = ARMS

    def tell(self, view, state, arm, tally):
        if arm > 0:  # line 13
            state.pulls[arm] += tally.rounds
            state.reward[arm] += tally.reward
            return
        before = state.shown[0]
        add_to(state.shown, tally.shown)
        add_to(state.shown_reward, tally.shown_reward)
        if before < state.observations <= state.shown[0]:
            m_hat, number, cost = plan_rare(
                state.shown, view.costs, view.budget // 2, state.scratch, state.plan
            )  # lines 11, 12
            least = state.shown[1]
            for a in range(2, view.arms):
                least = min(least, state.shown[a])
            # line 6: p_hat |A| >= 1 / gamma, with gamma = cost / number in units of the observation's cost
            state.only_watch = number == 0 or least * float(cost) >= float(state.shown[0]) * view.costs[0]
            if not state.only_watch:
                for a in range(1, view.arms):
                    if state.scratch[a] < 1.0 / m_hat:  # a is in A; plan_rare left p_hat there
                        state.shown_reward[a] = 0.0  # line 14, while the arm has no pull


class CUCB2WithLastRound(CUCB2):
    """C-UCB-2 with line 1 at its word: the estimates are updated at t = |A|, so only that round is counted."""

    kind = "c-ucb-2-last-round"
    reads = PARENTS

    def tell(self, view, state, arm, tally):
        if state.pulls[arm] == 0:
            state.untried -= 1
        state.pulls[arm] += tally.rounds
        state.rounds += tally.rounds
        if state.untried == 0:  # line 1 ends with this round, or has ended
            add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)
