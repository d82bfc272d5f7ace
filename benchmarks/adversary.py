"""Worlds that once broke a policy of ours, and worlds in which the remedy must cost nothing.

`python -m benchmarks.adversary [CASE ...]` prints, for each case and policy, the mean regret with its standard error,
the worst run, and the share of runs that named an arm more than 0.001 below the best. `--runs` sets the runs of a case.
The growth of regret is the slope of log regret over log budget between the last two budgets of a family.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import causalbandits as cb
from causalbandits.comparison.worlds import random_world
from causalbandits.papers.nair2021 import settings as nair2021
from causalbandits.regret import best_reward

SEED = 15
EARN = ["causal-kl", "causal-ts", "causal-ucb-learned", "crm-nb", "factor-ucb"]
Setting = tuple[cb.World, cb.Problem]


class Case(NamedTuple):
    """One world with one budget."""

    family: str
    size: float  # the budget or horizon
    setting: Setting
    policies: list[str]
    runs: int


def two_arms(horizon: int) -> Setting:
    """Means 0.9 and 0.8, nothing to watch."""
    world = cb.World(
        [cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Y", [0, 1], given="X", table={0: 0.8, 1: 0.9})], reward="Y"
    )
    return world, world.problem(horizon=horizon, observe=False)


def rare_best_arm(p: float, budget: int, gamma: float) -> Setting:
    """P(X1 = 1) = p raises the mean reward from 0.5 to 0.8; six fair coins beside it."""
    coins = [cb.node(f"X{i}", {0: 0.5, 1: 0.5}) for i in range(2, 8)]
    reward = cb.node("Y", [0, 1], given="X1", table={0: 0.5, 1: 0.8})
    world = cb.World([cb.node("X1", {0: 1 - p, 1: p}), *coins, reward], reward="Y")
    return world, world.problem(budget=budget, cost=gamma)


def cases() -> Iterator[Case]:
    for horizon in (10**3, 10**4, 10**5, 10**6):
        yield Case(
            "two-arms", horizon, two_arms(horizon), ["causal-ts", "causal-kl", "causal-ucb-learned", "factor-ucb"], 1000
        )
    for budget in (3000, 30_000, 300_000):
        yield Case("rare 6/B", budget, rare_best_arm(6 / budget, budget, 1.05), EARN, 400)
    for budget in (10**5, 10**6):
        yield Case("rare 0.0002", budget, rare_best_arm(0.0002, budget, 1.05), EARN, 200)
    yield Case("rare 0.001", 30_000, rare_best_arm(0.001, 30_000, 1), EARN, 400)
    for epsilon in (0.3, 0.5):
        for gamma in (1, 1.1, 1.5, 2, 3):
            setting = nair2021.setting_3(10_000, epsilon, gamma)
            yield Case(f"Experiment 3, eps {epsilon:g}, gamma {gamma:g}", 10_000, setting, EARN[:2], 400)
    for number in range(1, 101):
        yield Case("random", number, random_world(number), EARN[:3], 30)
    for epsilon, cost in ((0.3, 1), (0.3, 1.1)):
        world = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=epsilon)
        problem = world.problem(budget=30_000, cost=cost, observe=False)
        yield Case(f"not watched, cost {cost:g}", 30_000, (world, problem), ["causal-ts", "causal-kl"], 100)


def measure(case: Case, runs: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By policy, the cumulative regret and the simple regret of every run."""
    world, problem = case.setting
    result = cb.simulate(world, problem, case.policies, runs=runs, seed=SEED, threads=1, progress=False)
    return {kind: (result.cumulative_regret[kind][:, -1], result.simple_regret[kind]) for kind in case.policies}


def main(policies_of: Callable[[Case], list[str]] = lambda case: case.policies) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversary", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="only families whose name begins so")
    parser.add_argument("--runs", type=int, default=0, help="runs of every case but the random worlds")
    options = parser.parse_args()
    earlier: dict[tuple[str, str], tuple[float, float]] = {}
    random: dict[str, list[float]] = {}
    for case in cases():
        if options.cases and not any(case.family.startswith(name) for name in options.cases):
            continue
        case = case._replace(policies=policies_of(case))
        started = time.perf_counter()
        runs = options.runs if options.runs and case.family != "random" else case.runs
        for kind, (regret, simple) in measure(case, runs).items():
            if case.family == "random":
                world, problem = case.setting
                best = best_reward(problem, world.means(problem), problem.budget)
                random.setdefault(kind, []).append(float(regret.mean()) / best)
                continue
            mean = float(regret.mean())
            last = earlier.get((case.family, kind))
            slope = f", slope {math.log(mean / last[1]) / math.log(case.size / last[0]):.2f}" if last else ""
            earlier[case.family, kind] = case.size, mean
            print(
                f"{case.family}, {case.size:,.0f}: {kind} {mean:.4g} +- {regret.std() / math.sqrt(runs):.2g}, "
                f"worst {regret.max():,.0f}, wrong {np.mean(simple > 1e-3):.0%}{slope}",
                flush=True,
            )
        if case.family != "random":
            print(f"    {time.perf_counter() - started:.0f} s", flush=True)
    for kind, shares in random.items():
        print(f"random worlds: {kind} loses {np.mean(shares):.5f} of the best reward, worst {np.max(shares):.3f}")


if __name__ == "__main__":
    main()
