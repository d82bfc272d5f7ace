"""Time per round of every registered policy, against CRM-NB-ALG in the same problem.

Run: python -m benchmarks.policies [KIND ...]

All policies of a problem are timed in turn, on one core, by processor time. A figure is the median of five turns. Some
choices stand for a block of rounds, which share the time of the choice. Policies buy different numbers of rounds, so
the time of a whole run is given as well.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence

import numpy as np

import causalbandits as cb

from .registered import playable

TURNS = 5
BASE = "crm-nb"


def problems() -> dict[str, tuple[cb.World, cb.Problem, int]]:
    """World, problem and number of runs, by name."""
    rare = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    chain = cb.worlds.confounded_chain()
    random = cb.worlds.random_world(np.random.default_rng(5), variables=12, values=(2, 2), parents=4)
    return {
        **{
            f"Experiment 3, 101 arms, gamma = {gamma:g}, B = 10,000": (
                rare,
                rare.problem(budget=10_000, cost=gamma),
                40,
            )
            for gamma in (1, 1.1, 3)
        },
        "the same, gamma = 1, B = 3000": (rare, rare.problem(budget=3000, cost=1), 100),
        "Experiment 4, 5 arms, 4 configurations, T = 10,000": (
            chain,
            chain.problem(horizon=10_000, reveal_parents=True),
            40,
        ),
        "random, 25 arms, 16 configurations, T = 10,000": (
            random,
            random.problem(horizon=10_000, reveal_parents=True),
            20,
        ),
    }


def seconds(world: cb.World, problem: cb.Problem, kind: str, runs: int) -> tuple[float, int]:
    """Processor time, and the number of rounds played."""
    start = time.process_time()
    result = cb.simulate(world, problem, kind, runs=runs, seed=1, threads=1, progress=False)
    return time.process_time() - start, int(result.pulls[kind][:, -1].sum())


def main(wanted: Sequence[str]) -> None:
    for name, (world, problem, runs) in problems().items():
        kinds = [BASE, *(kind for kind in playable(problem, wanted) if kind != BASE)]
        for kind in kinds:
            seconds(world, problem, kind, 2)  # compile
        turns = [{kind: seconds(world, problem, kind, runs) for kind in kinds} for _ in range(TURNS)]
        per_round = {kind: [turn[kind][0] / turn[kind][1] for turn in turns] for kind in kinds}
        per_run = {kind: [turn[kind][0] / runs for turn in turns] for kind in kinds}
        print(f"\n{name}")
        for kind in kinds:
            of_round, of_run = (
                statistics.median(a / b for a, b in zip(times[kind], times[BASE], strict=True))
                for times in (per_round, per_run)
            )
            nanoseconds = 1e9 * statistics.median(per_round[kind])
            print(f"  {kind:<20} {nanoseconds:6.0f} ns a round, {of_round:5.2f} of {BASE}'s; {of_run:5.2f} a run")


if __name__ == "__main__":
    main(sys.argv[1:])
