"""Money that may be kept: our policies that earn stop when no arm is worth its price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import causalbandits as cb

from ..contracts.cases import Case
from ..contracts.test_oracles import check

EARNERS = ["causal-kl", "causal-ts", "causal-ucb-learned", "causal-ucb"]


def losing(shift: float = 0.0) -> cb.World:
    """Rewards of -1, 0 and 1 whose means are -0.6 to -0.3, plus the shift of the weights."""
    table = {0: [0.7, 0.2, 0.1], 1: [0.5 - shift / 2, 0.3, 0.2 + shift / 2]}
    return cb.World(
        [
            cb.node("X", {0: 0.5, 1: 0.5}),
            cb.node("Z", {0: 0.7, 1: 0.3}),
            cb.node("Y", [-1, 0, 1], given="X", table=table),
        ],
        reward="Y",
    )


def falling() -> cb.World:
    """A real reward with negative means."""
    return cb.World(
        [
            cb.node("X", {0: 0.5, 1: 0.5}),
            cb.node("Z", {0: 0.7, 1: 0.3}),
            cb.linear("Y", {"X": 0.3}, noise=0.5, intercept=-0.8),
        ],
        reward="Y",
    )


def problem(world: cb.World, **more: Any) -> cb.Problem:
    return world.problem(budget=3000, cost=1.2, reveal_parents=True, objective="earn", **more)


@pytest.mark.parametrize("kind", EARNERS)
@pytest.mark.parametrize("world", [losing(), falling()], ids=["bounded", "real"])
def test_where_every_arm_loses_most_money_is_kept(kind: str, world: cb.World) -> None:
    kept, spent = (
        cb.simulate(world, problem(world, keep_money=keeps), kind, runs=40, seed=3, progress=False)
        for keeps in (True, False)
    )
    # it is 7 % to 11 %: the arms must first be known to lose
    assert kept.cumulative_regret[kind][:, -1].mean() < 0.2 * spent.cumulative_regret[kind][:, -1].mean()
    assert kept.left_over[kind].mean() > 2500
    assert spent.left_over[kind].max() < 1.2


@pytest.mark.parametrize("kind", EARNERS)
def test_where_an_arm_earns_something_all_money_is_spent(kind: str) -> None:
    """do(X=1) has the mean 0.3, all others lose."""
    world = losing(shift=0.6)
    result = cb.simulate(world, problem(world, keep_money=True), kind, runs=40, seed=3, progress=False)
    assert result.left_over[kind].max() < 1.2
    assert np.mean(result.simple_regret[kind] < 1e-9) > 0.9


@pytest.mark.parametrize("kind", EARNERS)
@pytest.mark.parametrize("world", [losing(), falling(), losing(shift=0.6)], ids=["bounded", "real", "one arm earns"])
@pytest.mark.parametrize("observe", [True, False])
def test_a_policy_stops_when_its_oracle_stops(kind: str, world: cb.World, observe: bool) -> None:
    terms = world.problem(budget=90, cost=1.2, observe=observe, reveal_parents=True, keep_money=True)
    for seed in range(3):
        assert check(Case(world, terms, cb.policies.REGISTRY[kind]()), seed) > 0


def test_with_a_horizon_the_best_reward_is_nothing_where_every_arm_loses() -> None:
    world = losing()
    result = cb.simulate(world, world.problem(horizon=500, keep_money=True), "causal-kl", runs=5, seed=1)
    assert (result.cumulative_regret["causal-kl"][:, -1] > 0).all()
    other = cb.simulate(world, world.problem(horizon=500), "causal-kl", runs=5, seed=1)
    assert (other.cumulative_regret["causal-kl"][:, -1] < 500 * 0.4).all()


def test_a_live_experiment_ends_when_no_arm_is_worth_its_price(tmp_path: Any) -> None:
    world = losing()
    experiment = cb.Experiment.create(
        f"sqlite:///{tmp_path}/journal.db", "kept", problem(world, keep_money=True), cb.CausalKL()
    )

    def lose() -> None:
        for _ in range(600):
            trial = experiment.ask()
            shown = {"X": 0, "Z": 0} | dict(trial.intervention)
            experiment.tell(trial.number, rows=[{"reward": -1, "values": shown}] * trial.rounds)

    with pytest.raises(cb.BudgetExhausted):
        lose()
    assert experiment.status().left > 2000
