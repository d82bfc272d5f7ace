"""What the tables and an arm's own samples tell together, in whole runs."""

from __future__ import annotations

from typing import Any

import numpy as np

import causalbandits as cb
from causalbandits.adversary.recipe import Recipe
from causalbandits.adversary.score import losses
from causalbandits.policies.maths.factor_means import update_means

RUNS, ROUNDS = 12, 150
REWARD = cb.node("Y", [0, 1], given="X", table={0: 0.4, 1: 0.5})
SEEN: list[tuple[np.ndarray, np.ndarray]] = []  # evidence and own samples of every arm before every choice


class Watched(cb.FactorUCB):
    """factor-ucb, which fills SEEN."""

    kind = "watched-factor-ucb"

    def ask(self, view: Any, state: Any, pending: Any, left: Any, rng: Any) -> Any:
        update_means(view, state)
        SEEN.append((state.scratch_evidence.copy(), state.scratch_own_counts.copy()))
        return super().ask(view, state, pending, left, rng)


def world() -> cb.World:
    """A pays if it is 0. What else matters is nearly always 0, but its table is large, and hardly any row is seen."""
    sixths = dict.fromkeys(range(6), 1 / 6)
    nearly = np.tile([0.97, 0.01, 0.01, 0.01], (6, 6, 1))
    pays = [[0.6 if a == 0 else 0.0] * 4 for a in range(4)]
    return cb.World(
        [
            cb.node("A", dict.fromkeys(range(4), 0.25)),
            cb.node("C", sixths, intervenable=False),
            cb.node("D", sixths, intervenable=False),
            cb.node("B", list(range(4)), given=["C", "D"], table=nearly, intervenable=False),
            cb.node("Y", [0, 1], given=["A", "B"], table=pays),
        ],
        reward="Y",
    )


def test_the_evidence_about_an_arm_is_at_least_its_own_samples() -> None:
    """If it were less, an arm that never paid would look unknown, and be played for ever."""
    problem = world().problem(horizon=ROUNDS, observe=False)
    SEEN.clear()
    for run in range(RUNS):
        cb.trace(world(), problem, Watched(), seed=2, run=run, compiled=False)
    assert len(SEEN) > RUNS
    assert any((own > 20).any() for _, own in SEEN)
    for evidence, own in SEEN:
        assert (evidence >= own * (1 - 1e-9)).all()


def test_an_arm_that_never_pays_is_left_soon() -> None:
    problem = world().problem(horizon=500, observe=False)
    result = cb.simulate(world(), problem, "factor-ucb", runs=200, seed=1, progress=False)
    never = world().means(problem) == 0
    assert never.sum() >= 3
    assert result.pulls["factor-ucb"][:, -1, never].max() < 50


def test_arms_with_the_same_mean_are_one_contender() -> None:
    """Arms that do nothing were rivals of each other, and the policy did not look at the best arm any more: 0.14."""
    recipe = Recipe(
        causes=5, values=2, parents=1, base=0.0622, gap=0.676, falloff=0.0, rare=0.0025, confounded=2, push=0.49,
        hidden=True, mediated=True, slip=0.00287, watch=1.02, price=1.0, best_price=0.527, times=22.5,
    )  # fmt: skip
    found = losses(recipe, [cb.FactorFind()], "find", runs=200, seed=1)
    assert found["factor-find"].mean() < 0.01


def test_arms_with_the_same_mean_share_their_samples() -> None:
    world = cb.World([cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Z", {0: 0.5, 1: 0.5}), REWARD], reward="Y")
    problem = world.problem(budget=ROUNDS, cost=1)
    assert [str(problem.arms[a]) for a in (0, 3, 4)] == ["do()", "do(Z=0)", "do(Z=1)"]
    SEEN.clear()
    trace = cb.trace(world, problem, Watched(), seed=2, compiled=False)
    asked = np.cumsum([0, *trace.blocks[:, 1]])  # the rounds before every choice
    assert len(SEEN) >= len(trace.blocks)
    for (_, own), rounds in zip(SEEN, asked, strict=False):
        assert own[0] == own[3] == own[4] == np.isin(trace.arms[:rounds], [0, 3, 4]).sum()
