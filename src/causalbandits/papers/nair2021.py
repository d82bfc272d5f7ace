"""Budgeted and Non-budgeted Causal Bandits (Nair, Patil & Sinha 2021): Experiment 2b."""

from __future__ import annotations

from typing import Any

from ..policies import GammaNB, ParallelBandit
from ..regret import Estimate
from ..simulate import simulate
from ..world import World
from ..worlds import parallel

GAMMAS = (1, *range(5, 76, 5))  # Experiment 2b
BUDGET_2B = 3000  # the paper does not say; the end of part a


def rare_pair(p: float, epsilon: float) -> World:
    """The parallel world of Experiments 1 to 3: M = 50, X_1 and X_2 are 1 with probability p, the others with 1/2."""
    return parallel(p=[p, p] + [0.5] * 48, epsilon=epsilon)


def experiment_2b(runs: int, seed: int) -> list[dict[str, Any]]:
    """gamma-NB-ALG and PB-ALG as gamma grows: simple regret, and how often gamma-NB-ALG chose to watch on."""
    world = rare_pair(0.02, epsilon=0.3)
    rows = []
    for gamma in GAMMAS:
        problem = world.problem(budget=BUDGET_2B, cost=gamma)
        result = simulate(world, problem, [GammaNB(), ParallelBandit()], runs=runs, seed=seed)
        for label, regrets in result.simple_regret.items():
            estimate = Estimate.of(regrets)
            acted = result.pulls[label][:, -1, 1:].sum(axis=1) > 0
            rows.append(
                {
                    "gamma": gamma,
                    "policy": label,
                    "simple_regret": estimate.mean,
                    "standard_error": estimate.standard_error,
                    "watched": float(1 - acted.mean()) if label == "gamma-nb" else None,
                }
            )
    return rows
