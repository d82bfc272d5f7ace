"""Regret, from the pulls of each arm and the exact means of the world; and means over runs with their errors."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean over runs with its standard error and its 95 % confidence band (normal approximation)."""

    mean: float
    standard_error: float
    low: float
    high: float

    @classmethod
    def of(cls, sample: Floats) -> Estimate:
        """The estimate from one value per run."""
        mean = float(np.mean(sample))
        error = float(np.std(sample, ddof=1) / math.sqrt(len(sample))) if len(sample) > 1 else math.nan
        return cls.from_moments(mean, error)

    @classmethod
    def from_moments(cls, mean: float, error: float) -> Estimate:
        """The estimate with this mean and standard error."""
        return cls(mean, error, mean - 1.96 * error, mean + 1.96 * error)  # 1.96: the 97.5 % quantile of the normal


def difference(one: Floats, other: Floats) -> Estimate:
    """The mean of `one - other`, paired by run, because all policies meet the same world in a run."""
    return Estimate.of(np.asarray(one, dtype=float) - np.asarray(other, dtype=float))


def simple_regret(means: Floats, recommended: NDArray[np.int64]) -> Floats:
    """The best mean minus the mean of the recommended arm, for every run."""
    return np.asarray(means.max() - means[recommended])


def best_reward(problem: Problem, means: Floats, budget: int) -> float:
    """G_budget: the largest expected reward if the means are known.

    With a horizon it is the number of rounds times the best mean, with a budget the optimum of a knapsack problem.
    """
    if problem.horizon is not None:
        best = float(means.max())
        return budget // problem.costs[0] * (max(best, 0.0) if problem.keep_money else best)
    counts = best_purchase(problem.costs, means, budget)
    return math.fsum(count * float(means[arm]) for arm, count in counts.items())


def best_purchase(costs: tuple[int, ...], means: Floats, budget: int) -> dict[int, int]:
    """The number of pulls of each arm that earns the most within a budget: an exact unbounded knapsack.

    It is a best-first search by the loss against the best mean per cost. See docs/theory/best-purchase.md.
    """
    useful = [
        (int(cost), float(mean), arm)
        for arm, (cost, mean) in enumerate(zip(costs, means, strict=True))
        if mean > 0 and cost <= budget
    ]
    items = [item for item in useful if not any(_replaces(other, item) for other in useful)]
    if not items:
        return {}
    rate, step, best_arm = max((mean / cost, cost, arm) for cost, mean, arm in items)
    others = [(max(rate * cost - mean, 0.0), cost, arm) for cost, mean, arm in items if arm != best_arm]
    unavoidable = rate * (budget % math.gcd(*(cost for cost, _, _ in items)))
    bought: dict[int, tuple[int, int]] = {}  # by amount spent: the amount before, and the arm that was added
    spent_least: dict[int, int] = {}  # by remainder: the smallest amount that was explored
    least_loss, best_spent = math.inf, 0
    heap = [(0.0, 0, 0, -1)]
    while heap:
        loss, spent, before, arm = heapq.heappop(heap)
        if loss + unavoidable >= least_loss:
            break
        if spent_least.get(spent % step, budget + 1) <= spent:
            continue
        spent_least[spent % step] = spent
        bought.setdefault(spent, (before, arm))
        here = loss + rate * ((budget - spent) % step)
        if here < least_loss:
            least_loss, best_spent = here, spent
        for extra, cost, other in others:
            if spent + cost <= budget and loss + extra < least_loss:
                heapq.heappush(heap, (loss + extra, spent + cost, spent, other))
    purchase = Counter({best_arm: (budget - best_spent) // step})
    while best_spent > 0:
        best_spent, arm = bought[best_spent]
        purchase[arm] += 1
    return {arm: count for arm, count in purchase.items() if count > 0}


def _replaces(one: tuple[int, float, int], other: tuple[int, float, int]) -> bool:
    """Whether pulls of `one` (cost, mean, arm) cost no more than a pull of `other` and earn no less."""
    if one[2] == other[2] or one[0] > other[0]:
        return False
    gain = other[0] // one[0] * one[1] - other[1]
    return gain > 0 or (gain == 0 and (one[0] < other[0] or one[2] < other[2]))
