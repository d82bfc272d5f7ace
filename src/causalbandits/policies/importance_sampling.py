"""Importance sampling (Lattimore, Lattimore & Reid 2016, Algorithm 2): simple regret, P(y | do(a)) known.

Idea: draw arms at random by a design eta that keeps the variance of every estimate small.
Weigh every reward for every arm.
Symbols: design eta, mixture Q(y) = sum_b eta_b P(y | b), ratio R_a(y) = P(y | a) / Q(y), T the rounds,
m(eta) = max_a sum_y P(y | a)^2 / Q(y), bound B = sqrt(m(eta) T / log(2 T |A|)),
mu_hat_a = (1/T) sum_t Y_t R_a(y_t) 1{R_a(y_t) <= B}.
Deviation: costs per arm, which the paper does not have. eta minimises m(eta) times the mean cost under eta.
See docs/policies/importance-sampling.md; maths/design.py solves for eta.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.bridge.record import record
from ..problem import Problem
from .checks import needs_budget
from .columns import PARENTS
from .contract import Policy
from .maths.configurations import add_seen, fill_weighted_sums, largest_second_moment, random_position
from .maths.design import best_design
from .maths.ties import best
from .reference import LATTIMORE_2016
from .registry import register
from .view import View, view_of


@record
class DesignView(View):
    """The view of this policy: it has the design as well."""

    design: np.ndarray  # (arms,) eta, the probability of drawing each arm


@record
class State:
    cumulative: np.ndarray  # (arms,) cumulative sums of eta
    highest_cost: int  # of the arms that eta draws, millionths
    mixture: np.ndarray  # (configurations,) Q
    bound: float  # B
    counts: np.ndarray  # (configurations,) rounds that showed y
    sums: np.ndarray  # (configurations,) the sum of rewards at y
    means: np.ndarray  # (configurations,) their mean
    scratch: np.ndarray  # (arms,) working memory
    scratch_sums: np.ndarray  # (configurations,) working memory


@register
class ImportanceSampling(Policy):
    """Algorithm 2 of Lattimore et al.: draw arms by the best design, weigh every reward for every arm."""

    kind = "importance-sampling"
    reads = PARENTS
    goal = "simple regret, P(parents) known"
    reference = LATTIMORE_2016.at("Algorithm 2")

    def check(self, problem: Problem) -> None:
        needs_budget(self, problem, max(problem.exact_costs), "to play any arm once")

    def view(self, problem: Problem) -> View:
        assert problem.parents is not None, "it reads parents"
        return DesignView(**vars(view_of(problem)), design=best_design(problem.parents, problem.exact_costs).eta)

    def init(self, view):
        configurations = view.parents.shape[1]
        cumulative = np.cumsum(view.design)
        mixture = np.zeros(configurations)
        highest_cost = 0
        mean_cost = 0.0
        for a in range(view.arms):
            if view.design[a] > 0:
                highest_cost = max(highest_cost, view.costs[a])
                mean_cost += view.design[a] * view.costs[a]
                for y in range(configurations):
                    mixture[y] += view.design[a] * view.parents[a, y]
        rounds = math.floor(view.budget / mean_cost * (1 + 1e-13))  # T; the factor undoes rounding below a whole number
        bound = math.sqrt(largest_second_moment(view.parents, mixture) * rounds / math.log(2.0 * rounds * view.arms))
        return State(
            cumulative=cumulative,
            highest_cost=highest_cost,
            mixture=mixture,
            bound=bound,
            counts=np.zeros(configurations, np.int64),
            sums=np.zeros(configurations),
            means=np.zeros(configurations),
            scratch=np.zeros(view.arms),
            scratch_sums=np.zeros(configurations),
        )

    def ask(self, view, state, pending, left, rng):
        return random_position(state.cumulative, rng), (1 if left >= state.highest_cost else 0)  # line 2

    def tell(self, view, state, arm, tally):  # line 3
        add_seen(tally.seen, tally.seen_reward, state.counts, state.sums, state.means)

    def recommend(self, view, state, rng):  # lines 5 and 6
        for y in range(state.sums.size):
            state.scratch_sums[y] = state.sums[y] - view.low * state.counts[y]
        fill_weighted_sums(state.scratch_sums, view.parents, state.mixture, state.bound, state.scratch)  # T mu_hat_a
        for a in range(view.arms):
            state.scratch[a] /= max(1, state.counts.sum())
        return best(state.scratch, rng)
