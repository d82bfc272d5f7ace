"""Findings that were fixed stay fixed: the worlds of `kept.py`, measured."""

from __future__ import annotations

import pytest

from causalbandits.adversary.score import losses
from causalbandits.adversary.worlds import world_of
from causalbandits.policies.registry import policy_named

from .kept import KEPT, Kept, rare_best, two_arms


def _row(kept: Kept) -> object:
    marks = [pytest.mark.slow]
    if kept.fails:
        marks.append(pytest.mark.xfail(reason=kept.fails, strict=True, raises=AssertionError))
    return pytest.param(kept, id=f"{kept.policy}, {kept.name}", marks=marks)


@pytest.mark.parametrize("kept", [_row(kept) for kept in KEPT])
def test_a_policy_no_longer_fails_where_it_failed_once(kept: Kept) -> None:
    pair = [policy_named(kept.policy)(), policy_named(kept.rival)()]
    found = losses(kept.recipe, pair, "earn", runs=kept.runs, seed=15, copies=8)
    assert found[kept.policy].mean() <= kept.factor * found[kept.rival].mean()


def test_the_kept_worlds_are_those_of_their_names() -> None:
    world, problem = world_of(two_arms(100_000), "earn")
    assert world.means(problem).round(9).tolist() == [0.8, 0.9]
    assert problem.exact_budget == 100_000 * 1_000_000
    world, problem = world_of(rare_best(30_000), "earn")
    assert problem.exact_budget == 30_000 * 1_000_000
    assert problem.exact_costs == (1_000_000, *[1_050_000] * 14)
    assert world.mean("do(X1=1)") == pytest.approx(0.8)
    assert world.mean("do()") == pytest.approx(0.5 + 0.3 * 6 / 30_000)
