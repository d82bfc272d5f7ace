"""Causal UCB: an upper confidence bound per arm from one joint confidence set for all configurations of the reward's parents, P(y | do(a)) known.

Idea: whatever arm shows configuration y teaches about y, and y tells about every arm. C-UCB adds up a bound per configuration, as if all were at
their worst at once; here they share one budget f of evidence: U_a = max{sum_y P(y | do(a)) q_y : sum_y N_y KL(mu_hat_y, q_y) <= f_a}. With the
normal's KL, for real rewards, this is mu_hat_a + sqrt(f_a s_a / 2), s_a = sum_y P(y | do(a))^2 / N_y; 1 / s_a are the arm's effective samples.
f_a = log(1 + t s_a), and no horizon. Where every arm has a configuration of its own, s_a = 1 / N_a, this is the level of KL-UCB+ (Garivier & Cappe
2011; Honda 2019) but for the 1. Where arms share their configurations t s_a = sum_y P(y | do(a))^2 / (N_y / t) stays bounded and f_a with it: it is
one more than the chi-square distance of the arm from what was played. docs/policies/causal-ucb.md has what is proved.
Symbols: counts N_y, sums and means mu_hat_y, rounds t, pulls of each arm. A choice stands for 1 + `block` pulls_a rounds.
What was never seen may be worth the highest reward: q_y = 1. Real rewards have none: there it counts as seen once, at the mean of all rewards.
Costs: the index is U_a / c_a. Watching is an arm like any other, with its own row P(y) and its own cost: what it shows of y is worth no more and no
less than what another arm shows. Pending rounds count in t and, as what they are expected to show, in N_y, never in means.
Rewards in [low, high] are scaled to [0, 1]; many values or several variables per arm are all in P(y | do(a)).
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from .columns import PARENTS
from .contract import InBlocks
from .maths.configurations import fill_expected_counts
from .maths.indices import total
from .maths.joint import fill_joint_bounds, invert_counts
from .maths.ties import best
from .registry import register


@record
class State:
    rounds: int
    pulls: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    means: np.ndarray  # scaled to [0, 1] but for real rewards; the mean of all rewards where nothing was seen
    scratch: np.ndarray  # (arms,) working memory
    scratch_inverses: np.ndarray  # (configurations,) working memory


@register
class CausalUCB(InBlocks):
    """Causal UCB: one joint confidence set for all configurations of the reward's parents, by relative entropy."""

    kind = "causal-ucb"
    reads = PARENTS
    paper = "this library"

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
        fill_joint_bounds(view, state.means, counts, rounds, left, state.scratch)
        arm = best(state.scratch, rng)
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
            state.means[y] = min(max(share, 0.0), 1.0) if view.is_bounded else mean

    def recommend(self, view, state, rng):
        for a in range(view.arms):
            state.scratch[a] = 0.0
            for y in range(state.means.size):
                state.scratch[a] += view.parents[a, y] * state.means[y]
        return best(state.scratch, rng)
