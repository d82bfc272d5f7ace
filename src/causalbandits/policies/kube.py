"""KUBE, knapsack-based upper confidence bound exploration (Tran-Thanh, Chapman, Rogers & Jennings 2012): the budgeted baseline in full.

Idea: what the money left would best buy, if the upper bounds were true, is an unbounded knapsack; fill it greedily by density and pull one of
its items at random. F-KUBE is the fractional knapsack, in which the densest arm takes all.
Symbols: counts n_a own pulls, means mu_hat, rounds t - 1; density (mu_hat_a + sqrt(2 log(t-1) / n_a)) / c_a, of which `exploration` is the 2.
Costs per arm: floor(B_t / c) items of the densest arm, of the rest of the money as many of the next that it pays, and so on. With equal costs
the densest arm takes all, and KUBE is F-KUBE. Many values or several variables per arm change nothing. Rewards in [low, high]: the radius is
scaled by high - low. Pending rounds count in t and in the radii, and their money is not in B_t.
"""

from __future__ import annotations

import math

from .f_kube import FKube
from .maths.indices import SKIP, fill_indices, first_untried, log_from_table, random_knapsack_item, total
from .registry import register


@register
class Kube(FKube):
    """KUBE: an item of the knapsack that the money left would fill, own pulls only."""

    kind = "kube"
    paper = "Tran-Thanh, Chapman, Rogers & Jennings 2012, Algorithm 1"

    def ask(self, view, state, pending, left, rng):
        if state.untried > 0:  # initial phase: every arm once; count 0 while the last of them are pending
            arm = first_untried(state.counts, pending, view.costs, left)
            if arm != SKIP:
                return max(arm, 0), (1 if arm >= 0 else 0)
        waiting = total(pending)
        width = view.width * math.sqrt(self.exploration * log_from_table(view.log_of, state.rounds + waiting))
        fill_indices(state, state.rates, width, pending, waiting)
        arm = random_knapsack_item(state.scratch, view.costs, view.highest_cost, left, rng)  # P(i) = m_i / sum of m_k
        return max(arm, 0), (1 if arm >= 0 else 0)
