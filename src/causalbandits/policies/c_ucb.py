"""C-UCB (Lu, Meisami, Tewari & Yan 2020): an upper confidence bound per configuration of the reward's parents, P(y | do(a)) known.

Idea: whatever arm shows configuration y teaches about y, and y tells about every arm.
Symbols: counts N_y, means mu_hat_y (0 while y was never seen), T the horizon, delta = 1/T^2.
With a budget T is the most rounds that it can pay; costs only decide which arms are affordable. Many values or several variables per arm
are all in P(y | do(a)). Rewards in [low, high]: the radius is scaled by high - low. Pending rounds count in the radii as expected N_y.
No round robin, and it is run anew for every horizon.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from .columns import PARENTS
from .contract import Policy
from .maths.configurations import add_radii, add_seen, best_mixture
from .reference import LU_2020
from .registry import register


@record
class State:
    counts: np.ndarray
    sums: np.ndarray
    means: np.ndarray
    scratch: np.ndarray  # (arms,) working memory
    scratch_bounds: np.ndarray  # (configurations,) working memory


@register
class CUCB(Policy):
    """C-UCB: an upper confidence bound per configuration of the reward's parents."""

    kind = "c-ucb"
    reads = PARENTS
    goal = "cumulative regret, P(parents) known"
    reference = LU_2020

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
        log_inverse_delta = 2 * math.log(view.rounds)
        width = view.width * math.sqrt(2 * log_inverse_delta)
        add_radii(state.means, state.counts, view.parents, pending, width, state.scratch_bounds)  # UCB_y
        arm = best_mixture(view, state.scratch_bounds, left, state.scratch, rng)
        return max(arm, 0), (1 if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)

    def recommend(self, view, state, rng):
        return best_mixture(view, state.means, view.highest_cost, state.scratch, rng)
