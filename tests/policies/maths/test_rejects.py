"""Successive rejects: its phases, and ties between arms."""

from __future__ import annotations

import numpy as np

import causalbandits as cb
from causalbandits.policies.maths.rejects import fill_targets

from ...contracts.oracle_cases import oracle_of


def test_the_phases_of_successive_rejects_are_those_of_the_formula() -> None:
    """In floats (T - K) / (logbar(K) (K + 1 - k)) may miss a whole number.

    For 4 arms and T = 23 it is 4 in the second phase.
    """
    oracle = oracle_of("successive-rejects")
    assert oracle.n(2, 23, 4) == 4
    for arms in range(2, 9):
        for rounds in [*range(arms + 1, 200), 9877, 10**6 + 3]:
            targets = np.zeros(arms, np.int64)
            fill_targets(rounds, targets)
            assert targets.tolist() == [oracle.n(k, rounds, arms) for k in range(arms)]


def test_tied_arms_survive_equally_often() -> None:
    """All rewards are 0, so every decision of Successive Rejects is a tie.

    Each of 7 arms survives equally often, and is equally often one of the last two.
    6 standard errors for 14 numbers: a correct program fails with a probability below 1e-6.
    """
    world = cb.World(
        [*(cb.node(f"X{i}", {0: 0.5, 1: 0.5}) for i in range(3)), cb.node("Y", {0: 1.0, 1: 0.0}, parents=["X0"])],
        reward="Y",
    )
    runs = 3500
    result = cb.simulate(
        world, world.problem(budget=40, cost=1), cb.SuccessiveRejects(), runs=runs, seed=1, progress=False
    )
    pulls = result.pulls["successive-rejects"][:, -1]
    assert (pulls.sum(axis=1) > 30).all()
    last = pulls == pulls.max(axis=1, keepdims=True)
    assert (last.sum(axis=1) == 2).all()
    survived = result.recommended["successive-rejects"][:, None] == np.arange(7)
    assert (last | ~survived).all()
    for share, expected in ((last.mean(axis=0), 2 / 7), (survived.mean(axis=0), 1 / 7)):
        assert (abs(share - expected) < 6 * np.sqrt(expected * (1 - expected) / runs)).all()
