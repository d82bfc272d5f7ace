"""C-UCB (Lu, Meisami, Tewari & Yan 2020): an upper confidence bound per configuration y, P(y | do(a)) known.

Idea: a round that shows configuration y of the reward's parents teaches about y, and y tells about every arm.
Symbols: counts N_y, means mu_hat_y (0 while y was never seen), T the horizon, exploration the constant under the root.
The bound at y is mu_hat_y + sqrt(exploration log T / max(1, N_y)). The paper has sqrt(2 log(1 / delta) / max(1, N_y))
with delta = 1 / T^2, which is 4 log T.
With a budget, T is the largest number of rounds that it can pay for. Pending rounds count in N_y as expected.
See docs/policies/c-ucb.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from .columns import PARENTS
from .contract import Policy, added_later
from .maths.configurations import add_radii, add_seen, best_mixture
from .reference import LU_2020
from .registry import register


@record
class State:
    counts: np.ndarray  # (configurations,) N_y
    sums: np.ndarray  # (configurations,) the sum of rewards at y
    means: np.ndarray  # (configurations,) mu_hat_y
    scratch: np.ndarray  # (arms,) working memory
    scratch_bounds: np.ndarray  # (configurations,) working memory


@register
class CUCB(Policy):
    """C-UCB: an upper confidence bound per configuration of the reward's parents."""

    kind = "c-ucb"
    reads = PARENTS
    goal = "cumulative regret, P(parents) known"
    reference = LU_2020

    exploration: float = added_later(default=4.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def init(self, view):
        configurations = view.parents.shape[1]
        return State(
            counts=np.zeros(configurations, np.int64),
            sums=np.zeros(configurations),
            means=np.zeros(configurations),
            scratch=np.zeros(view.arms),
            scratch_bounds=np.zeros(configurations),
        )

    def ask(self, view, state, pending, left, rng):
        width = view.width * math.sqrt(self.exploration * math.log(view.rounds))
        add_radii(state.means, state.counts, view.parents, pending, width, state.scratch_bounds)  # UCB_y
        arm = best_mixture(view, state.scratch_bounds, left, state.scratch, rng)
        return max(arm, 0), (1 if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)

    def recommend(self, view, state, rng):
        return best_mixture(view, state.means, view.highest_cost, state.scratch, rng)
