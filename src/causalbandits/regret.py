"""Regret, from the pulls of each arm and the exact means of the world; and means over runs with their errors."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, as_list, check_kind, numbers_of, shown
from .money import Money, millionths
from .problem import Problem

__all__ = ["Estimate", "best_purchase", "best_reward", "difference", "simple_regret"]


def __dir__() -> list[str]:
    return __all__


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
        sample = numbers_of("The sample", sample, is_finite=False)
        if len(sample) > 1 and np.ptp(sample) == 0:  # the same in all runs: a deviation would be a rounding error
            return cls.from_moments(float(sample[0]), 0.0)
        mean = float(np.mean(sample))
        error = float(np.std(sample, ddof=1) / math.sqrt(len(sample))) if len(sample) > 1 else math.nan
        return cls.from_moments(mean, error)

    @classmethod
    def from_moments(cls, mean: float, error: float) -> Estimate:
        """The estimate with this mean and standard error."""
        for name, value in (("mean", mean), ("standard error", error)):
            check_kind(f"The {name}", value, float | int | np.number, "a number")
        return cls(mean, error, mean - 1.96 * error, mean + 1.96 * error)  # 1.96: the 97.5 % quantile of the normal

    @property
    def not_negative(self) -> Estimate:
        """The same, with a band that ends at 0: for regret, which is never negative."""
        return replace(self, low=max(self.low, 0.0), high=max(self.high, 0.0))


def difference(one: Floats, other: Floats) -> Estimate:
    """The mean of `one - other`, paired by run, because all policies meet the same world in a run."""
    one, other = (numbers_of("A sample", sample, is_finite=False) for sample in (one, other))
    if one.shape != other.shape:
        raise InputError(f"The samples must have the same runs, but they have {one.size} and {other.size}.")
    return Estimate.of(one - other)


def simple_regret(means: Floats, recommended: NDArray[np.int64]) -> Floats:
    """The best mean minus the mean of the recommended arm, for every run."""
    means, arms = numbers_of("The means", means), np.asarray(recommended)
    if arms.dtype.kind not in "iu" or not ((arms >= 0) & (arms < means.size)).all():
        raise InputError(f"The recommended arms must be whole numbers from 0 to {means.size - 1}.")
    return np.asarray(means.max() - means[arms])


def best_reward(problem: Problem, means: Floats, budget: Money | None = None) -> float:
    """G_budget: the largest expected reward if the means are known. By default with all money, or all rounds.

    With a horizon it is the number of rounds times the best mean, with a budget the optimum of a knapsack problem.
    """
    check_kind("The problem", problem, Problem, "a cb.Problem, such as world.problem(budget=50)")
    means = _means_of(means, len(problem.exact_costs))
    return best_exact_reward(problem, means, problem.exact_budget if budget is None else millionths(budget, "budget"))


def best_exact_reward(problem: Problem, means: Floats, budget: int) -> float:
    """The same for a budget in millionths."""
    if problem.horizon is not None:
        best = float(means.max())
        return budget // problem.exact_costs[0] * (max(best, 0.0) if problem.keep_money else best)
    counts = best_purchase(problem.exact_costs, means, budget)
    return math.fsum(count * float(means[arm]) for arm, count in counts.items())


def best_purchase(costs: tuple[int, ...], means: Floats, budget: int) -> dict[int, int]:
    """The number of pulls of each arm that earns the most within a budget: an exact unbounded knapsack.

    Costs and budget are whole numbers of the same unit.
    It is a best-first search by the loss against the best mean per cost. See docs/theory/best-purchase.md.
    """
    costs = tuple(as_list("The costs", costs, "(2, 3)"))
    for cost in costs:
        if not isinstance(cost, int | np.integer) or cost < 1:
            raise InputError(f"The costs must be whole numbers, at least 1, not {shown(cost)}.")
    means = _means_of(means, len(costs))
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < 0:
        raise InputError(f"The budget must be a whole number, in the unit of the costs, not {shown(budget)}.")
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


def _means_of(means: Any, arms: int) -> Floats:
    """The means, one for each arm."""
    found = numbers_of("The means", means)
    if found.size != arms:
        raise InputError(f"There are {found.size} means for {arms} arms; give one for each.")
    return found


def _replaces(one: tuple[int, float, int], other: tuple[int, float, int]) -> bool:
    """Whether pulls of `one` (cost, mean, arm) cost no more than a pull of `other` and earn no less."""
    if one[2] == other[2] or one[0] > other[0]:
        return False
    gain = other[0] // one[0] * one[1] - other[1]
    return gain > 0 or (gain == 0 and (one[0] < other[0] or one[2] < other[2]))
