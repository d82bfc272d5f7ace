"""The design for importance sampling: no other design is better.

A linear program proves it, and shares no code with the solver.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.policies.maths.design import best_design

from ...contracts.cases import random_case

optimize = pytest.importorskip("scipy.optimize", reason="the extra [report] is not installed")


def value_of(parents: np.ndarray, costs: np.ndarray, eta: np.ndarray) -> float:
    """m(eta) times the mean cost under eta."""
    mixture = eta @ parents
    with np.errstate(divide="ignore", invalid="ignore"):
        moments = np.where(parents > 0, parents**2 / mixture, 0).sum(axis=1)
    return float(moments.max() * (costs @ eta))


def lower_bound(parents: np.ndarray, costs: np.ndarray, eta: np.ndarray) -> float:
    """A bound that no design is below.

    Every F_a is convex in the shares of money u. So for every v:

        F_a(v) >= F_a(u) + <F_a'(u), v - u>

    The least over v of the largest of these lines is a linear program, which is solved here.
    """
    parents = parents[:, parents.max(axis=0) > 0]
    u = eta * costs / (eta @ costs)
    per_money = parents / costs[:, None]
    mixture = u @ per_money
    moments = (parents**2 / mixture).sum(axis=1)
    slopes = -(parents**2 / mixture**2) @ per_money.T
    arms = len(u)
    found = optimize.linprog(
        np.append(np.zeros(arms), 1.0),  # minimise t over (v, t) ...
        A_ub=np.hstack([slopes, -np.ones((arms, 1))]),  # ... with every line below t ...
        b_ub=slopes @ u - moments,
        A_eq=[np.append(np.ones(arms), 0.0)],  # ... and v a share
        b_eq=[1.0],
        bounds=[(0, None)] * arms + [(None, None)],
    )
    assert found.status == 0
    return float(found.fun)


def tangent_gap(parents: np.ndarray, costs: np.ndarray, eta: np.ndarray) -> float:
    value = value_of(parents, costs, eta)
    return (value - lower_bound(parents, costs, eta)) / value


def random_table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    arms, configurations = int(rng.integers(1, 25)), int(rng.integers(1, 30))
    parents = rng.dirichlet(np.full(configurations, rng.choice([0.1, 0.5, 3.0])), size=arms)
    if rng.random() < 0.5:  # configurations that some arms, or all, never show
        parents[parents < 0.03] = 0
        parents /= parents.sum(axis=1, keepdims=True)
    if rng.random() < 0.3:  # arms that are alike
        parents = np.vstack([parents, parents[: arms // 2]])
    costs = rng.integers(1, 60, len(parents)) * 10**5 if rng.random() < 0.7 else np.full(len(parents), 10**6)
    return parents, costs


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_design_is_better_by_more_than_a_millionth(seed: int) -> None:
    parents, costs = random_table(seed)
    design = best_design(parents, costs.tolist())
    assert design.eta.min() >= 0
    assert design.eta.sum() == pytest.approx(1, abs=1e-12)
    assert tangent_gap(parents, costs / costs.mean(), design.eta) < 1e-6
    assert design.value == pytest.approx(value_of(parents, costs / costs.mean(), design.eta), rel=1e-9)
    assert design.least <= design.value * (1 + 1e-12)


def test_the_search_ends_close_enough_where_rounding_allows_no_further_step() -> None:
    """A problem that a random test once met: the last Newton steps had a singular matrix."""
    problem = random_case("importance-sampling", 6692).problem
    assert problem.parents is not None
    design = best_design(problem.parents, problem.exact_costs)
    assert tangent_gap(problem.parents, np.ones(len(problem.arms)), design.eta) < 1e-6


def test_the_linear_program_notices_a_design_that_is_not_the_best() -> None:
    parents, costs = random_table(7)
    prices = costs / costs.mean()
    best = best_design(parents, costs.tolist()).eta
    worse = 0.99 * best + 0.01 / len(best)
    assert value_of(parents, prices, worse) > value_of(parents, prices, best) * (1 + 1e-5)
    assert tangent_gap(parents, prices, worse) > 1e-5


def test_known_best_designs_are_found() -> None:
    uniform = best_design(np.eye(5), [10**6] * 5)  # nothing tells about another arm: m = |A|, all alike
    np.testing.assert_allclose(uniform.eta, 0.2, atol=1e-7)
    assert uniform.value == pytest.approx(5, rel=1e-7)
    alike = best_design(np.full((4, 3), 1 / 3), [2 * 10**6, 10**6, 3 * 10**6, 10**6])  # any arm tells all: the cheapest
    np.testing.assert_allclose(alike.eta, [0, 1, 0, 0], atol=1e-7)
    # F_a = c_a / u_a: shares of money as the costs, so that pulls are even
    costly = best_design(np.eye(2), [10**6, 4 * 10**6])
    np.testing.assert_allclose(costly.eta, [0.5, 0.5], atol=1e-7)


def test_the_parallel_bandit_is_within_twice_its_m_as_the_paper_says() -> None:
    """Lattimore et al. 2016, section 4: for the parallel bandit the best m(eta) is at most 2 m(q).

    Here m(q) = 2, because two arms are rarely shown.
    """
    world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 6, epsilon=0.3)
    problem = world.problem(horizon=10, reveal_parents=True)
    assert problem.parents is not None
    design = best_design(problem.parents, problem.exact_costs)
    assert design.value <= 4
    assert design.least > 3.8


def test_policies_that_need_no_design_have_none() -> None:
    problem = cb.worlds.confounded_chain().problem(horizon=10, observe=False, reveal_parents=True)
    assert not hasattr(cb.CUCB().view(problem), "design")
    assert cb.ImportanceSampling().view(problem).design.size == 4
