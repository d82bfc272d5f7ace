"""Findings that were fixed stay fixed: the worlds of `kept.py`, measured."""

from __future__ import annotations

import math

import pytest

from causalbandits.adversary.score import losses
from causalbandits.adversary.worlds import world_of
from causalbandits.policies.registry import policy_named

from .kept import GROWING, KEPT, RARE_BUDGETS, RARE_POLICIES, Growing, Kept, rare_best, two_arms


@pytest.mark.slow
@pytest.mark.parametrize("kept", [pytest.param(kept, id=f"{kept.policy}, {kept.name}") for kept in KEPT])
def test_a_policy_no_longer_fails_where_it_failed_once(kept: Kept) -> None:
    pair = [policy_named(kept.policy)(), policy_named(kept.rival)()]
    found = losses(kept.recipe, pair, "earn", runs=kept.runs, seed=15, copies=8)
    assert found[kept.policy].mean() <= kept.factor * found[kept.rival].mean()


@pytest.mark.slow
@pytest.mark.parametrize("budget", RARE_BUDGETS)
def test_a_rare_best_arm_costs_little_beside_crm_nb_and_no_run_loses_far_more_than_the_mean(budget: int) -> None:
    rival = losses(rare_best(budget), [policy_named("crm-nb")()], "earn", runs=200, seed=15, copies=8)["crm-nb"]
    policies = [policy_named(name)() for name in RARE_POLICIES]
    for name, loss in losses(rare_best(budget), policies, "earn", runs=1000, seed=15, copies=8).items():
        assert loss.mean() <= 1.5 * rival.mean(), name
        assert loss.max() <= 20 * loss.mean(), name


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.policy}, {case.name}") for case in GROWING])
def test_regret_no_longer_grows_fast_where_it_did(case: Growing) -> None:
    """The slope of log regret between two budgets, and the worst runs beside the mean."""
    regrets = []
    for recipe in (case.smaller, case.larger):
        loss = losses(recipe, [policy_named(case.policy)()], "earn", runs=case.runs, seed=15, copies=8)[case.policy]
        regrets.append(loss * recipe.times)
        assert (loss > 20 * loss.mean()).mean() <= case.unlucky
    slope = math.log(regrets[1].mean() / regrets[0].mean()) / math.log(case.larger.times / case.smaller.times)
    assert slope <= case.slope


def test_the_kept_worlds_are_those_of_their_names() -> None:
    world, problem = world_of(two_arms(100_000), "earn")
    assert world.means(problem).round(9).tolist() == [0.8, 0.9]
    assert problem.exact_budget == 100_000 * 1_000_000
    world, problem = world_of(rare_best(30_000), "earn")
    assert problem.exact_budget == 30_000 * 1_000_000
    assert problem.exact_costs == (1_000_000, *[1_050_000] * 14)
    assert world.mean("do(X1=1)") == pytest.approx(0.8)
    assert world.mean("do()") == pytest.approx(0.5 + 0.3 * 6 / 30_000)
