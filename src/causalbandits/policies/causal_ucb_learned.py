"""Causal UCB where P(y | do(a)) is not known: it is learned, from an arm's own pulls and from watching where the graph allows; y as in "causal-ucb".

Idea: a round of arm a, or an observation in which its assignment held and which the graph allows to count for it (rule 2 of do-calculus: if it holds
for the reward it holds for the reward's parents), samples_by_configuration a configuration y drawn from P(y | do(a)); and whoever showed y, its reward teaches about y.
mu_hat_a = sum_y P_hat_a(y) mu_hat_y errs in two ways that are independent: by the reward at y, of which all arms' rounds tell, and by P_hat_a.
Evidence f shared between the two gives radii that add up like the sides of a right angle: sqrt(f e_a / 2) with
e_a = 4 v_a / m_a + sum_y P_hat_a(y)^2 / N_y, v_a the variance of mu_hat_y under P_hat_a and 1 / (4 m_a), at most 1/4 in all; f = log(1 + t e_a).
Symbols: samples m_a, samples_by_configuration M_ay of them by configuration (P_hat_a = M_a / m_a), watched those that were observations, counts N_y, means mu_hat_y.
Where the means differ little between configurations an arm is learned almost as fast as if P were known; where the configuration is all there is to
the reward, as fast as without a graph. All of this is conjecture but for the rule of do-calculus: see docs/policies/causal-ucb-learned.md.
Costs: the index is U_a / c_a, and it watches while that is the cheaper way to learn, by the rule of "causal-kl", where what an observation saves of
an arm's pulls is multiplied by the share of e_a that is P's: the rest is learned by whatever is played. A choice stands for 1 + `block` m_a rounds.
Pending rounds count in t and bring e_a down as so many more m_a would (an observation as the share of those that showed a); they never enter means.
An arm with as many of them as are known of it (and ten) waits. Adjustment formulas would let arms with a backdoor path learn from watching
too, and the factors of P(y | do(a)) would let them learn from each other; neither is used.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from .columns import BOTH
from .contract import InBlocks
from .maths.configurations import add_seen
from .maths.indices import must_wait, total
from .maths.learned import add_samples, fill_upper_bounds, update_estimates
from .maths.ties import best, best_mean
from .maths.watching import exclude_unavailable, starts_with_watching, watching_pays
from .registry import register


@record
class State:
    rounds: int
    samples: np.ndarray
    watched: np.ndarray
    samples_by_configuration: np.ndarray
    counts: np.ndarray
    sums: np.ndarray
    means: np.ndarray
    expected_sums: np.ndarray  # m_a mu_hat_a
    uncertainty: np.ndarray  # e_a
    useful_observations: np.ndarray  # watched_a times the share of e_a that is P's
    scratch: np.ndarray  # (arms,) working memory


@register
class CausalUCBLearned(InBlocks):
    """Causal UCB with P(parents) learned on the way: from pulls, and from watching where the graph allows."""

    kind = "causal-ucb-learned"
    reads = BOTH
    paper = "this library"

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
            useful_observations=np.zeros(arms),
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if view.observes and left < view.cheapest_intervention:  # and so it stays
            return 0, left // view.costs[0]
        values, samples, waiting = state.scratch, state.samples, total(pending)
        fill_upper_bounds(view, state, pending, waiting)
        if view.observes and view.costs[0] <= left and not must_wait(0, samples, pending):
            if starts_with_watching(samples, pending, view.costs, view.cheapest_intervention):
                return 0, 1
            if samples[0] > 0 and watching_pays(view, values, samples, state.expected_sums, state.useful_observations, left):
                return 0, 1 + np.int64(self.block * samples[0])
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
        return best_mean(state.expected_sums, state.samples, rng)
