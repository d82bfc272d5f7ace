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
from .contract import Policy
from .maths.configurations import add_radii, add_seen, best_mixture
from .registry import register


@record
class State:
    counts: np.ndarray
    sums: np.ndarray
    means: np.ndarray
    nothing: np.ndarray  # no bonus of any arm


@register
class CUCB(Policy):
    """C-UCB: an upper confidence bound per configuration of the reward's parents."""

    kind = "c-ucb"
    reads = "parents"
    paper = "Lu, Meisami, Tewari & Yan 2020"

    def init(self, problem):
        configurations = problem.parents.shape[1]
        return State(
            np.zeros(configurations, np.int64),
            np.zeros(configurations),
            np.zeros(configurations),
            np.zeros(problem.arms),
        )

    def ask(self, problem, state, pending, left, rng):
        log_inverse_delta = 2 * math.log(problem.rounds)
        width = problem.width * math.sqrt(2 * log_inverse_delta)
        add_radii(state.means, state.counts, problem.parents, pending, width, problem.by_configuration)  # UCB_y
        arm = best_mixture(
            problem.by_configuration, problem.parents, state.nothing, 0.0, problem.costs, left, problem.by_arm, rng
        )
        return max(arm, 0), (1 if arm >= 0 else 0)

    def tell(self, problem, state, arm, tally):
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)

    def recommend(self, problem, state, rng):
        return best_mixture(
            state.means, problem.parents, state.nothing, 0.0, problem.costs, problem.dearest, problem.by_arm, rng
        )
