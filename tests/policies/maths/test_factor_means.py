"""What the tables and an arm's own samples tell together, in whole runs."""

from __future__ import annotations

from typing import Any

import numpy as np

import causalbandits as cb
from causalbandits.policies.maths.factor_means import update_means

RUNS, ROUNDS = 12, 150
SEEN: list[tuple[np.ndarray, np.ndarray]] = []  # evidence and own samples of every arm before every choice


class Watched(cb.FactorUCB):
    """factor-ucb, which fills SEEN."""

    kind = "watched-factor-ucb"

    def ask(self, view: Any, state: Any, pending: Any, left: Any, rng: Any) -> Any:
        update_means(view, state)
        SEEN.append((state.scratch_evidence.copy(), state.own_counts.copy()))
        return super().ask(view, state, pending, left, rng)


def world() -> cb.World:
    """A pays if it is 0. What else matters is nearly always 0, but its table is large, and hardly any row is seen."""
    sixths = {value: 1 / 6 for value in range(6)}
    nearly = np.tile([0.97, 0.01, 0.01, 0.01], (6, 6, 1))
    pays = [[0.6 if a == 0 else 0.0] * 4 for a in range(4)]
    return cb.World(
        [
            cb.node("A", {value: 0.25 for value in range(4)}),
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
