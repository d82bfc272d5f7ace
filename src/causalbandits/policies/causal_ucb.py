"""Causal UCB (this library): one joint confidence set for all configurations y of the reward's parents.

Idea: a round that shows y teaches about y, whatever arm was played. P(y | do(a)) is known, so y tells about every arm.
All configurations share one budget f_a of evidence:
U_a = max{sum_y P(y | do(a)) q_y : sum_y N_y KL(mu_hat_y, q_y) <= f_a}; the index is U_a / c_a.
Symbols: counts N_y, sums and means mu_hat_y, rounds t, pulls of each arm, s_a = sum_y P(y | do(a))^2 / N_y
(1 / s_a are the effective samples), f_a = exploration log(1 + t s_a), with exploration 1 by default.
A choice stands for 1 + `block` pulls_a rounds.
A configuration that was never seen counts as the highest reward. Real rewards have none: it counts as seen once.
The arm with the largest lower bound is recommended. To find the best arm, whatever it costs, set `per_cost` to False.
Pending rounds count in t, and in N_y as what they are expected to show. They never count in means.
Proofs, conjecture and measurements are in docs/policies/causal-ucb.md.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .columns import PARENTS
from .contract import InBlocks, added_later
from .maths.configurations import fill_expected_counts
from .maths.indices import total
from .maths.joint import fill_joint_bounds, invert_counts
from .maths.surest import quadratic_lower
from .maths.ties import best
from .maths.watching import nothing_is_worth_its_price
from .reference import LIBRARY
from .registry import register
from .view import View, without_prices


@record
class State:
    rounds: int  # t
    pulls: np.ndarray  # (arms,) pulls of each arm
    counts: np.ndarray  # (configurations,) N_y
    sums: np.ndarray  # (configurations,) the sum of rewards at y
    means: np.ndarray  # (configurations,) (mu_hat_y - low) / width, mu_hat_y the mean of all rewards if y is unseen
    scratch: np.ndarray  # (arms,) working memory
    scratch_inverses: np.ndarray  # (configurations,) working memory


@register
class CausalUCB(InBlocks):
    """Causal UCB: one joint confidence set for all configurations of the reward's parents, by relative entropy."""

    kind = "causal-ucb"
    reads = PARENTS
    goal = "cumulative regret, P(parents) known"
    reference = LIBRARY

    per_cost: bool = added_later(default=True)
    exploration: float = added_later(default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def view(self, problem: Problem) -> View:
        return super().view(problem) if self.per_cost else without_prices(super().view(problem))

    def init(self, view):
        arms, configurations = view.parents.shape
        return State(
            rounds=0,
            pulls=np.zeros(arms, np.int64),
            counts=np.zeros(configurations, np.int64),
            sums=np.zeros(configurations),
            means=np.zeros(configurations),
            scratch=np.zeros(arms),
            scratch_inverses=np.zeros(configurations),
        )

    def ask(self, view, state, pending, left, rng):
        counts = state.scratch_inverses
        fill_expected_counts(state.counts, view.parents, pending, counts)
        if not view.is_bounded:
            for y in range(counts.size):
                counts[y] = max(counts[y], 1.0)
        invert_counts(counts)
        rounds = state.rounds + total(pending)
        fill_joint_bounds(view, state.means, counts, rounds, left, self.exploration, state.scratch)
        arm = -1 if nothing_is_worth_its_price(view, state.scratch, left) else best(state.scratch, rng)
        return max(arm, 0), (1 + np.int64(self.block * state.pulls[arm]) if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        state.rounds += tally.rounds
        state.pulls[arm] += tally.rounds
        reward = 0.0
        for y in range(state.counts.size):
            state.counts[y] += tally.seen[y]
            state.sums[y] += tally.seen_reward[y]
            reward += state.sums[y]
        for y in range(state.counts.size):
            mean = state.sums[y] / state.counts[y] if state.counts[y] > 0 else reward / state.rounds
            share = (mean - view.low) / view.width
            state.means[y] = min(max(share, 0.0), 1.0) if view.is_bounded else share

    def recommend(self, view, state, rng):
        for a in range(view.arms):
            mean, s = 0.0, 0.0
            for y in range(state.means.size):
                mean += view.parents[a, y] * state.means[y]
                s += view.parents[a, y] * view.parents[a, y] / max(state.counts[y], 1)
            state.scratch[a] = quadratic_lower(mean, s, 1.0)
        return best(state.scratch, rng)
