"""KL-UCB per cost (Garivier & Cappé 2011; index: Kaufmann 2018): the strongest plain index, and watching for free.

Idea: the arm with the largest upper bound by relative entropy, per unit of cost. No rule says when to watch: the
observation is an arm like any other. What it shows of other arms counts, unless `side_information` is False.
Symbols: counts n_a samples, means mu_hat_a, T the most rounds that the budget pays, exploration a factor of the level.
U_a = max{q : n_a KL(mu_hat_a, q) <= exploration log(T / n_a)}; the index is U_a / c_a.
A choice stands for 1 + `block` n_a rounds. The default 0 is the rule of the papers.
Pending rounds count in n_a, never in means. See docs/policies/kl-ucb.md.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks
from .maths.indices import add_to
from .maths.kl import bound_without_samples, upper_h_plus
from .maths.ties import best, best_mean
from .maths.watching import exclude_unavailable
from .reference import GARIVIER_2011, KAUFMANN_2018
from .registry import register


@record
class State:
    counts: np.ndarray  # (arms,) n_a, with the observations that showed arm a
    sums: np.ndarray  # (arms,) the sum of their rewards
    index: np.ndarray  # (arms,) U_a / c_a
    scratch: np.ndarray  # (arms,) working memory


@register
class KLUCB(InBlocks):
    """KL-UCB per cost: the largest upper bound by relative entropy; what watching shows counts, too."""

    kind = "kl-ucb"
    reads = ARMS
    goal = "cumulative regret"
    reference = GARIVIER_2011.at(also={"index": KAUFMANN_2018})

    block: float = 0.0
    exploration: float = 1.0
    side_information: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def init(self, view):
        arms = view.arms
        unknown = bound_without_samples(view.low, view.width, view.is_bounded)
        return State(
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            index=unknown * view.rates,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        values = state.scratch
        for a in range(view.arms):
            values[a] = state.index[a]
            if pending[a] > 0 and state.counts[a] > 0:
                n = state.counts[a] + pending[a]
                mean = state.sums[a] / state.counts[a]
                values[a] = upper_h_plus(mean * n, n, view, self.exploration) * view.rates[a]
        exclude_unavailable(values, state.counts, pending, view.costs, left)
        arm = best(values, rng)
        return max(arm, 0), (1 + np.int64(self.block * state.counts[arm]) if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        watched = arm == 0 and view.observes and self.side_information
        if watched:
            add_to(state.counts, tally.shown)
            add_to(state.sums, tally.shown_reward)
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward
        for a in range(view.arms):
            if a == arm or (watched and tally.shown[a] > 0):
                state.index[a] = upper_h_plus(state.sums[a], state.counts[a], view, self.exploration) * view.rates[a]

    def recommend(self, view, state, rng):
        return best_mean(state.sums, state.counts, rng)
