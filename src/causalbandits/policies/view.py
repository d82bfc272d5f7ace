"""The numeric view of a problem: the numbers that a policy works with."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..engine.bridge.record import record
from ..problem import LARGEST_PARENT_TABLE, Problem

LARGEST_ROOT = 32_768  # entries of the table of roots: a quarter of a megabyte, which fits into the cache of a core


@record
class View:
    """The numbers of a problem. A policy only reads them. Arm 0 is the observation if `observes`."""

    arms: int
    observes: bool
    costs: NDArray[np.int64]  # (arms,) millionths
    prices: NDArray[np.float64]  # (arms,) the costs, as multiples of the observation's (or of the cheapest arm's)
    rates: NDArray[np.float64]  # (arms,) 1 / price
    cheapest_intervention: int  # millionths
    highest_cost: int  # of all arms, millionths
    budget: int  # millionths
    rounds: int  # the largest number of rounds that the budget pays for
    teaches: NDArray[np.bool_]  # (arms,) whether watching teaches about the arm
    root_of: NDArray[np.float64]  # a table of 1 / sqrt(n) from n = 1; the entry for 0 is 1
    log_of: NDArray[np.float64]  # a table of log(n) from n = 1, of the same length; the entry for 0 is -inf
    width: float  # width of the reward's range; 1 for binary rewards, twice the deviation for real ones
    parents: NDArray[np.float64]  # (arms, configurations) P(y | do(a)); no columns unless it was revealed
    configurations: int  # number of configurations of the reward's parents; 0 if there are too many
    low: float  # the lowest reward; 0 for binary and real rewards
    is_bounded: bool  # whether rewards lie between low and low + width; real rewards do not
    keeps_money: bool  # whether money may be kept, so that a policy may stop early


def view_of(problem: Problem) -> View:
    """The numeric view of a problem."""
    costs = np.array(problem.exact_costs, dtype=np.int64)
    rounds = problem.exact_budget // min(problem.exact_costs)
    # so no choice depends on the unit of money
    unit = problem.exact_costs[0] if problem.observes else min(problem.exact_costs)
    return View(
        arms=len(problem.arms),
        observes=problem.observes,
        costs=costs,
        prices=costs / unit,
        rates=unit / costs,
        cheapest_intervention=int(costs[int(problem.observes) :].min()),
        highest_cost=int(costs.max()),
        budget=problem.exact_budget,
        rounds=rounds,
        teaches=problem.teaches.copy(),  # compiled code has other types for arrays that can only be read
        root_of=_roots()[: rounds + 1],
        log_of=_logs()[: rounds + 1],
        width=problem.reward.high - problem.reward.low if problem.reward_scale is None else 2 * problem.reward_scale,
        parents=np.zeros((len(problem.arms), 0)) if problem.parents is None else problem.parents.copy(),
        configurations=problem.configurations if problem.configurations <= LARGEST_PARENT_TABLE else 0,
        low=problem.reward.low,
        is_bounded=problem.reward.kind != "real",
        keeps_money=problem.keep_money,
    )


def without_prices(view: View) -> View:
    """The same numbers with all prices equal: money then only decides which arms are affordable."""
    return replace(view, prices=np.ones(view.arms), rates=np.ones(view.arms))


@cache
def _roots() -> NDArray[np.float64]:
    return 1 / np.sqrt(np.maximum(np.arange(LARGEST_ROOT + 1), 1))


@cache
def _logs() -> NDArray[np.float64]:
    """The logarithms of math.log, equal to the last bit."""
    return np.array([-math.inf, *map(math.log, range(1, LARGEST_ROOT + 1))])
