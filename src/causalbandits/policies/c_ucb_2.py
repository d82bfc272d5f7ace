"""C-UCB-2 (Nair, Patil & Sinha 2021, Algorithm 3): an upper confidence bound per arm, P(y | do(a)) known, no horizon.

Idea: estimate every arm through the configurations y of the reward's parents. Widen the estimate by zeta_a,
which is large for an arm whose distribution differs from those of the other arms.
Symbols: counts N_y, means mu_hat_y (0 while y was never seen), c_y = min_a P(y | do(a)), k^n the number of
configurations, rounds t - 1, and zeta_a = sum of P(y | do(a)) / c_y over all y with c_y > 0.
Deviation: a negative logarithm in the radius counts as 0 (t = 1 with one or two configurations).
See docs/policies/c-ucb-2.md.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from ..errors import InputError
from ..problem import Problem
from .checks import needs_budget, once_each
from .columns import PARENTS
from .contract import Policy
from .maths.configurations import add_seen, best_mixture, mixture
from .maths.indices import SKIP, first_untried, log_from_table, must_wait, total
from .maths.ties import best
from .reference import NAIR_2021
from .registry import register

LOG_2 = math.log(2)


@record
class State:
    untried: int  # arms that were never pulled
    rounds: int  # t - 1
    pulls: np.ndarray  # (arms,)
    counts: np.ndarray  # (configurations,) N_y
    sums: np.ndarray  # (configurations,) the sum of rewards at y
    means: np.ndarray  # (configurations,) mu_hat_y
    zeta: np.ndarray  # (arms,) zeta_a
    scratch: np.ndarray  # (arms,) working memory


@register
class CUCB2(Policy):
    """C-UCB-2: an upper confidence bound per intervention, through the reward's parents."""

    kind = "c-ucb-2"
    reads = PARENTS
    goal = "cumulative regret, P(parents) known"
    reference = NAIR_2021.at("Algorithm 3")

    def check(self, problem: Problem) -> None:
        assert problem.parents is not None, "it reads parents"
        support = problem.parents > 0
        unequal = np.argwhere(support.any(axis=0) & ~support.all(axis=0))
        if unequal.size:
            y = int(unequal[0, 0])
            having, lacking = int(np.argmax(support[:, y])), int(np.argmin(support[:, y]))
            raise InputError(
                f"{self.kind} needs arms with one support of the parents of {problem.reward.variable}, "
                f"but {problem.configuration(y)} can happen under {problem.arms[having]} "
                f"and not under {problem.arms[lacking]}; leave such arms out, or use c-ucb."
            )
        needs_budget(self, problem, once_each(problem), "to play every arm once")

    def init(self, view):
        arms, configurations = view.parents.shape
        zeta = np.zeros(arms)
        for y in range(configurations):
            least = view.parents[0, y]  # c_y
            for a in range(1, arms):
                least = min(least, view.parents[a, y])
            if least > 0:
                for a in range(arms):
                    zeta[a] += view.parents[a, y] / least
        return State(
            untried=arms,
            rounds=0,
            pulls=np.zeros(arms, np.int64),
            counts=np.zeros(configurations, np.int64),
            sums=np.zeros(configurations),
            means=np.zeros(configurations),
            zeta=zeta,
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if state.untried > 0:  # line 1; count 0 while the last arms of the round robin are pending
            arm = first_untried(state.pulls, pending, view.costs, left)
            if arm != SKIP:
                return max(arm, 0), (1 if arm >= 0 else 0)
        t = state.rounds + total(pending)  # of mu_bar_a(t), the index of the next round
        # log(k^n t^2 / 2)
        logarithm = log_from_table(view.log_of, state.means.size) + 2 * log_from_table(view.log_of, t) - LOG_2
        scale = view.width * math.sqrt(max(logarithm, 0.0) / t)
        values, means, zeta, parents, costs = state.scratch, state.means, state.zeta, view.parents, view.costs
        for a in range(costs.size):
            index = mixture(parents, means, a) + scale * zeta[a]  # mu_bar_a(t)
            values[a] = index if costs[a] <= left else -np.inf
        arm = best(values, rng)  # line 4
        return max(arm, 0), (1 if arm >= 0 and not must_wait(arm, state.pulls, pending) else 0)

    def tell(self, view, state, arm, tally):  # line 5
        if state.pulls[arm] == 0:
            state.untried -= 1
        state.pulls[arm] += tally.rounds
        state.rounds += tally.rounds
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)

    def recommend(self, view, state, rng):
        return best_mixture(view, state.means, view.highest_cost, state.scratch, rng)
