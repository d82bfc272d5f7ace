"""Thompson sampling per cost (Thompson 1933; per cost Xia et al. 2015), with the side information of watching for free.

Idea: draw the mean of every arm from its posterior, and play the arm with the best draw per unit of cost. No rule says
when to watch. What the observation shows of other arms counts, unless `side_information` is False.
Symbols: counts n_a samples, S_a the sum of their rewards, scaled to [0, 1].
Posterior: Beta(1 + S_a / e, 1 + (n_a - S_a) / e), e = exploration (1 is Thompson's). For real rewards it is a normal.
Deviation: Xia et al. also draw the costs, which are known here. Pending rounds change no draw.
A choice stands for 1 + `block` n_a rounds; the default 0 is Thompson's rule. See docs/policies/thompson.md.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from .columns import ARMS
from .contract import InBlocks
from .maths.indices import add_to
from .maths.posteriors import posterior_draw
from .maths.ties import best, best_mean
from .maths.watching import exclude_unavailable
from .reference import THOMPSON_1933, XIA_2015
from .registry import register


@record
class State:
    counts: np.ndarray  # (arms,) n_a, with the observations that showed arm a
    sums: np.ndarray  # (arms,) the sum of their rewards
    scratch: np.ndarray  # (arms,) working memory


@register
class ThompsonSampling(InBlocks):
    """Thompson sampling per cost: the best posterior draw; what watching shows counts, too."""

    kind = "thompson"
    reads = ARMS
    goal = "cumulative regret"
    reference = THOMPSON_1933.at(also={"per cost": XIA_2015})

    block: float = 0.0
    exploration: float = 1.0
    side_information: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_zero("exploration")

    def init(self, view):
        arms = view.arms
        return State(counts=np.zeros(arms, np.int64), sums=np.zeros(arms), scratch=np.zeros(arms))

    def ask(self, view, state, pending, left, rng):
        draws, unit = state.scratch, self.exploration
        for a in range(view.arms):
            n, total = state.counts[a] / unit, state.sums[a] / unit
            draws[a] = posterior_draw(total, n, view.low, view.width, view.is_bounded, rng) * view.rates[a]
        exclude_unavailable(draws, state.counts, pending, view.costs, left)
        arm = best(draws, rng)
        return max(arm, 0), (1 + np.int64(self.block * state.counts[arm]) if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        if arm == 0 and view.observes and self.side_information:
            add_to(state.counts, tally.shown)
            add_to(state.sums, tally.shown_reward)
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward

    def recommend(self, view, state, rng):
        return best_mean(state.sums, state.counts, rng)
