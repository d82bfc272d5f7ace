"""KUBE, knapsack-based upper confidence bound exploration (Tran-Thanh, Chapman, Rogers & Jennings 2012, Algorithm 1).

Idea: fill a knapsack with the money left, greedily by upper bound per cost, and pull one of its items at random.
Symbols: counts n_a own pulls, means mu_hat_a, rounds t - 1, exploration the constant 2 of the paper.
The density of arm a is (mu_hat_a + sqrt(2 log(t - 1) / n_a)) / c_a.
Pending rounds count in t and in the radii, and their money is not in the knapsack. See docs/policies/kube.md.
"""

from __future__ import annotations

import math

from .f_kube import FKube
from .maths.indices import SKIP, fill_indices, first_untried, log_from_table, random_knapsack_item, total
from .reference import TRAN_THANH_2012
from .registry import register


@register
class Kube(FKube):
    """KUBE: a random item of the knapsack that the money left can fill."""

    kind = "kube"
    goal = "cumulative regret"
    reference = TRAN_THANH_2012.at("Algorithm 1")

    def ask(self, view, state, pending, left, rng):
        if state.untried > 0:  # initial phase: every arm once; count 0 while the last arms are pending
            arm = first_untried(state.counts, pending, view.costs, left)
            if arm != SKIP:
                return max(arm, 0), (1 if arm >= 0 else 0)
        waiting = total(pending)
        width = view.width * math.sqrt(self.exploration * log_from_table(view.log_of, state.rounds + waiting))
        fill_indices(state, state.rates, width, pending, waiting)
        arm = random_knapsack_item(state.scratch, view.costs, view.highest_cost, left, rng)  # P(i) = m_i / sum of m_k
        return max(arm, 0), (1 if arm >= 0 else 0)
