"""Causal UCB (this library) where P(y | do(a)) is not known but learned; y is a configuration of the reward's parents.

Idea: a round of arm a shows a y drawn from P(y | do(a)). So does an observation in which the arm's assignment held, if
the graph allows it to count. The reward at y teaches about y, whatever arm showed it.
Symbols: samples m_a, samples_by_configuration M_ay, P_hat_a = M_a / m_a, watched the samples that were observations,
counts N_y, means mu_hat_y, v_a the variance of mu_hat_y under P_hat_a,
b_a and b_y the variances of coins with the means of a and y,
uncertainty e_a = (v_a / b_a + 1 / m_a) / m_a + sum_y P_hat_a(y)^2 b_y / (b_a N_y), f_a = exploration log(1 + t e_a).
U_a = max{q : KL(sum_y P_hat_a(y) mu_hat_y, q) <= e_a f_a}; the index is U_a / c_a. exploration is 1 by default.
It watches by the rules of causal-kl. A choice stands for 1 + `block` m_a rounds.
The arm with the largest lower bound is recommended. To find the best arm, whatever it costs, set `per_cost` to False.
Pending rounds count in t and in m_a, never in means. Derivation and conjecture: docs/policies/causal-ucb-learned.md.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .columns import BOTH
from .contract import InBlocks, added_later
from .maths.configurations import add_seen
from .maths.indices import must_wait, total
from .maths.learned import add_samples, fill_upper_bounds, update_estimates
from .maths.surest import best_or_any, entropy_lower
from .maths.ties import best
from .maths.watching import (
    exclude_unavailable,
    nothing_is_worth_its_price,
    starts_with_watching,
    too_rare_to_wait_for,
    watching_pays,
)
from .reference import LIBRARY
from .registry import register
from .view import View, without_prices


@record
class State:
    rounds: int  # t
    samples: np.ndarray  # (arms,) m_a
    watched: np.ndarray  # (arms,) samples that were observations
    samples_by_configuration: np.ndarray  # (arms, configurations) M_ay
    counts: np.ndarray  # (configurations,) N_y
    sums: np.ndarray  # (configurations,) the sum of rewards at y
    means: np.ndarray  # (configurations,) mu_hat_y
    expected_sums: np.ndarray  # (arms,) m_a times the estimated mean of arm a
    uncertainty: np.ndarray  # (arms,) e_a
    evidence: np.ndarray  # (arms,) 1 / e_a: as many samples of the arm would tell as much
    useful_observations: np.ndarray  # (arms,) watched_a times the share of P_hat_a in e_a
    scratch: np.ndarray  # (arms,) working memory


@register
class CausalUCBLearned(InBlocks):
    """Causal UCB that learns P(parents) on the way: from pulls, and from watching where the graph allows."""

    kind = "causal-ucb-learned"
    reads = BOTH
    goal = "cumulative regret, P(parents) learned"
    reference = LIBRARY

    per_cost: bool = added_later(default=True)
    exploration: float = added_later(default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("exploration")

    def view(self, problem: Problem) -> View:
        return super().view(problem) if self.per_cost else without_prices(super().view(problem))

    def init(self, view):
        arms, configurations = view.arms, view.configurations
        return State(
            rounds=0,
            samples=np.zeros(arms, np.int64),
            watched=np.zeros(arms, np.int64),
            samples_by_configuration=np.zeros((arms, configurations), np.int64),
            counts=np.zeros(configurations, np.int64),
            sums=np.zeros(configurations),
            means=np.zeros(configurations),
            expected_sums=np.zeros(arms),
            uncertainty=np.zeros(arms),
            evidence=np.zeros(arms),
            useful_observations=np.zeros(arms),
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        values, samples, waiting = state.scratch, state.samples, total(pending)
        fill_upper_bounds(view, state, pending, waiting, self.exploration)
        if nothing_is_worth_its_price(view, values, left):
            return 0, 0
        if view.observes and left < view.cheapest_intervention:  # from now on only watching is affordable
            return 0, left // view.costs[0]
        if view.observes and view.costs[0] <= left and not must_wait(0, samples, pending):
            if starts_with_watching(samples, pending, view.costs, view.cheapest_intervention):
                return 0, 1
            if samples[0] > 0 and watching_pays(
                view, values, samples, state.expected_sums, state.useful_observations, left
            ):
                rare = too_rare_to_wait_for(
                    view, values, samples, state.expected_sums, state.watched, state.evidence, pending, left
                )
                arm = max(rare, 0)
                return arm, 1 + np.int64(self.block * samples[arm])
        exclude_unavailable(values, samples, pending, view.costs, left)
        arm = best(values, rng)
        return max(arm, 0), (1 + np.int64(self.block * samples[arm]) if arm >= 0 else 0)

    def tell(self, view, state, arm, tally):
        state.rounds += tally.rounds
        if arm == 0 and view.observes:
            for a in range(view.arms):
                add_samples(a, tally.shown_seen[a], state.samples, state.samples_by_configuration)
                for y in range(state.means.size):
                    state.watched[a] += tally.shown_seen[a, y]
        else:
            add_samples(arm, tally.seen, state.samples, state.samples_by_configuration)
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)
        update_estimates(view, state)

    def recommend(self, view, state, rng):
        values, samples = state.scratch, state.samples
        for a in range(view.arms):
            values[a] = -np.inf
            if samples[a] > 0:
                values[a] = entropy_lower(view, state.expected_sums[a] / samples[a], state.evidence[a])
        return best_or_any(samples, values, rng)
