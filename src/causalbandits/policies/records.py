"""What a policy is given: the problem's numbers, and what a block of rounds showed."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..engine.bridge.record import record
from ..money import UNIT
from ..problem import Problem

LARGEST_ROOT = 32_768  # entries of the table of roots: a quarter of a megabyte, which fits into a core's cache


@record
class View:
    """The numeric view of a problem. Arm 0 is the observation if `observes`."""

    arms: int
    observes: bool
    costs: NDArray[np.int64]  # (arms,) millionths
    prices: NDArray[np.float64]  # (arms,) the same in units of money
    rates: NDArray[np.float64]  # (arms,) 1 / price
    cheapest_intervention: int  # millionths
    dearest: int  # of all arms, millionths
    budget: int  # millionths
    rounds: int  # the most rounds that the budget pays
    teaches: NDArray[np.bool_]  # (arms,) whether watching tells about the arm
    root_of: NDArray[np.float64]  # 1 / sqrt(n) for n from 1 to some number, where [0] is 1 too
    log_of: NDArray[np.float64]  # log(n) for n from 1 to the same number, where [0] is -inf
    width: float  # of the reward's range: 1 for binary and real rewards
    parents: NDArray[np.float64]  # (arms, configurations) P(y | do(a)); no columns unless revealed
    by_arm: NDArray[np.float64]  # (arms,) working memory of `ask`, which means nothing between calls
    by_configuration: NDArray[np.float64]  # (configurations,) likewise
    low: float  # the least reward: 0 for binary and real rewards
    is_bounded: bool  # whether rewards lie between low and low + width; binary ones do
    design: NDArray[
        np.float64
    ]  # (arms,) with what probability to draw each arm, for a policy that has it solved for; else empty


@record
class Tally:
    """What a block of rounds of one arm showed, as counts.

    `shown` and `shown_reward` are filled by the observation alone, for arms that watching tells about; `seen` and `seen_reward`
    by every arm; `shown_seen` by the observation alone, as `shown`. A policy that does not read them finds them empty.
    """

    rounds: int
    reward: float
    shown: NDArray[np.int64]  # (arms,) rounds in which the arm's assignment held
    shown_reward: NDArray[np.float64]  # (arms,) the reward there
    seen: NDArray[np.int64]  # (configurations,) rounds with this configuration of the reward's parents
    seen_reward: NDArray[np.float64]  # (configurations,) the reward there
    shown_seen: NDArray[np.int64]  # (arms, configurations) rounds in which the arm's assignment held, by configuration


def view_of(problem: Problem) -> View:
    """The numbers that a policy works with."""
    costs = np.array(problem.costs, dtype=np.int64)
    parents = np.zeros((len(problem.arms), 0)) if problem.parents is None else problem.parents
    rounds = problem.budget // min(problem.costs)
    return View(
        arms=len(problem.arms),
        observes=problem.observes,
        costs=costs,
        prices=costs / UNIT,
        rates=UNIT / costs,
        cheapest_intervention=int(costs[int(problem.observes) :].min()),
        dearest=int(costs.max()),
        budget=problem.budget,
        rounds=rounds,
        teaches=problem.teaches,
        root_of=_roots()[: rounds + 1],
        log_of=_logs()[: rounds + 1],
        width=problem.reward.high - problem.reward.low,
        parents=parents,
        by_arm=np.zeros(len(problem.arms)),
        by_configuration=np.zeros(parents.shape[1]),
        low=problem.reward.low,
        is_bounded=problem.reward.kind != "real",
        design=np.zeros(0),
    )


@cache
def _roots() -> NDArray[np.float64]:
    return 1 / np.sqrt(np.maximum(np.arange(LARGEST_ROOT + 1), 1))


@cache
def _logs() -> NDArray[np.float64]:
    """To the last bit what math.log gives."""
    return np.array([-math.inf, *map(math.log, range(1, LARGEST_ROOT + 1))])
