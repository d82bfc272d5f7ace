"""Regret, from how often each arm was pulled and the world's exact means; and what an average over runs is worth."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean over runs with its standard error and its 95 % band (normal approximation)."""

    mean: float
    standard_error: float
    low: float
    high: float

    @classmethod
    def of(cls, sample: Floats) -> Estimate:
        mean = float(np.mean(sample))
        error = float(np.std(sample, ddof=1) / math.sqrt(len(sample))) if len(sample) > 1 else math.nan
        return cls(mean, error, mean - 1.96 * error, mean + 1.96 * error)  # 1.96: the 97.5 % quantile of the normal


def difference(one: Floats, other: Floats) -> Estimate:
    """How much larger `one` is on average. Paired run by run, for the policies of a simulation meet the same world in a run."""
    return Estimate.of(np.asarray(one, dtype=float) - np.asarray(other, dtype=float))


def simple_regret(means: Floats, recommended: NDArray[np.int64]) -> Floats:
    """max_a mu_a - mu_recommended, for every run."""
    return np.asarray(means.max() - means[recommended])


def cumulative_regret(problem: Problem, means: Floats, pulls: NDArray[np.int64], checkpoints: NDArray[np.int64]) -> Floats:
    """G_b - the expected reward of the pulls, for every run and checkpoint b (millionths)."""
    best = np.array([best_reward(problem, means, int(b)) for b in checkpoints])
    return np.asarray(best - pulls @ means)


def best_reward(problem: Problem, means: Floats, budget: int) -> float:
    """G_budget: the most that knowing the means can earn. T max mu with a horizon, else the optimum of the integer knapsack."""
    if problem.horizon is not None:
        return float(budget // problem.costs[0] * means.max())
    counts = best_purchase(problem.costs, means, budget)
    return math.fsum(count * float(means[arm]) for arm, count in counts.items())


def best_purchase(costs: tuple[int, ...], means: Floats, budget: int) -> dict[int, int]:
    """How many pulls of which arms earn the most within a budget: the exact optimum of the unbounded knapsack.

    Best-first search over the pulls that are not of the arm with the best rate v = mu / c. A pull of arm a loses v c_a - mu_a against that
    rate, a remainder r of money loses v r; states are explored by growing loss until none can beat the best remainder found. Of states with
    the same remainder modulo the best arm's cost only those that spent less than all before are kept, which bounds their number.
    """
    useful = [(int(cost), float(mean), arm) for arm, (cost, mean) in enumerate(zip(costs, means, strict=True)) if mean > 0 and cost <= budget]
    items = [
        (c, mean, arm)
        for c, mean, arm in useful
        if not any(c // c2 * m2 > mean or (c // c2 * m2 == mean and arm2 < arm) for c2, m2, arm2 in useful if c2 <= c and arm2 != arm)
    ]
    if not items:
        return {}
    rate, (step, _, best_arm) = max((mean / c, (c, mean, arm)) for c, mean, arm in items)
    others = [(max(rate * c - mean, 0.0), c, arm) for c, mean, arm in items if arm != best_arm]
    best_state: tuple[int, tuple[tuple[int, int], ...]] = (0, ())
    least_loss = math.inf
    heap: list[tuple[float, int, tuple[tuple[int, int], ...], int]] = [(0.0, 0, (), 0)]
    spent_least: dict[tuple[int, int], int] = {}
    while heap:
        loss, spent, bought, first = heapq.heappop(heap)
        if loss >= least_loss:
            break
        key = (spent % step, first)
        if spent_least.get(key, budget + 1) <= spent:
            continue
        spent_least[key] = spent
        here = loss + rate * ((budget - spent) % step)
        if here < least_loss:
            least_loss, best_state = here, (spent, bought)
        for i in range(first, len(others)):
            extra, cost, arm = others[i]
            if spent + cost <= budget and loss + extra < least_loss:
                more = (*bought[:-1], (arm, bought[-1][1] + 1)) if bought and bought[-1][0] == arm else (*bought, (arm, 1))
                heapq.heappush(heap, (loss + extra, spent + cost, more, i))
    spent, bought = best_state
    purchase = dict(bought)
    whole = (budget - spent) // step
    return {**purchase, best_arm: whole} if whole else purchase
