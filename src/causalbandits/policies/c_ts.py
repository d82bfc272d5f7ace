"""C-TS (Lu, Meisami, Tewari & Yan 2020, Algorithm 2): Thompson sampling over the reward's parents, P(y | do(a)) known.

Idea: a round that shows configuration y teaches about y, whatever arm was played. Draw the mean reward at every y
from its posterior, and play the arm that is best for these draws.
Symbols: counts N_y, sums S_y of rewards, theta_y a draw from the posterior at y.
Posteriors: Beta(1 + S_y, 1 + N_y - S_y) for rewards in [0, 1]; N(S_y / (N_y + 1), 1 / (N_y + 1)) for real rewards.
Deviation: the best posterior mean is recommended, because the paper recommends nothing. See docs/policies/c-ts.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from .columns import PARENTS
from .contract import Policy
from .maths.configurations import add_seen, best_mixture
from .maths.posteriors import beta_variate, normal_variate
from .reference import LU_2020
from .registry import register


@record
class State:
    counts: np.ndarray  # (configurations,) N_y
    sums: np.ndarray  # (configurations,) S_y
    means: np.ndarray  # (configurations,) S_y / N_y, 0 while y was never seen
    scratch: np.ndarray  # (arms,) working memory
    scratch_theta: np.ndarray  # (configurations,) working memory


@register
class CTS(Policy):
    """C-TS: Thompson sampling over the configurations of the reward's parents."""

    kind = "c-ts"
    reads = PARENTS
    goal = "cumulative regret, P(parents) known"
    reference = LU_2020.at("Algorithm 2")

    def init(self, view):
        configurations = view.parents.shape[1]
        return State(
            counts=np.zeros(configurations, np.int64),
            sums=np.zeros(configurations),
            means=np.zeros(configurations),
            scratch=np.zeros(view.arms),
            scratch_theta=np.zeros(configurations),
        )

    def ask(self, view, state, pending, left, rng):
        theta = state.scratch_theta
        for y in range(theta.size):
            number = state.counts[y]
            if view.is_bounded:
                successes = (state.sums[y] - view.low * number) / view.width
                theta[y] = view.low + view.width * beta_variate(
                    1.0 + max(successes, 0.0), 1.0 + max(number - successes, 0.0), rng
                )
            else:
                theta[y] = state.sums[y] / (number + 1) + view.width * normal_variate(rng) / math.sqrt(number + 1)
        arm = best_mixture(view, theta, left, state.scratch, rng)
        return max(arm, 0), (1 if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)

    def recommend(self, view, state, rng):
        for y in range(state.counts.size):
            if view.is_bounded:
                prior, weight = 2.0 * view.low + view.width, 2  # one success and one failure
            else:
                prior, weight = 0.0, 1
            state.scratch_theta[y] = (prior + state.sums[y]) / (weight + state.counts[y])
        return best_mixture(view, state.scratch_theta, view.highest_cost, state.scratch, rng)
