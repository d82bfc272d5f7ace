"""Time per round of our policies, against CRM-NB-ALG in the same problem. Run: python -m benchmarks.policies

All policies of a row are timed in turn, on one core, by processor time; a figure is the median of five turns. A choice of ours stands for a block of
rounds, so the time of a choice is shared by many; how many rounds there are depends on what a policy buys, so the time of a whole run is told, too.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

import causalbandits as cb

TURNS = 5
BASE = "crm-nb"
BY_ARMS = ["causal-kl", "causal-ts", "top-two"]
BY_PARENTS = ["causal-ucb", "causal-ucb-learned", "c-ucb", "c-ts"]


def problems() -> dict[str, tuple[cb.World, cb.Problem, list[str], int]]:
    """What is simulated, by which policies, and how often."""
    rare = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    chain = cb.worlds.confounded_chain()
    random = cb.worlds.random_world(np.random.default_rng(5), variables=12, values=(2, 2), parents=4)
    found = {
        f"Experiment 3, 101 arms, gamma = {gamma:g}, B = 10,000": (
            rare,
            rare.problem(budget=10_000, cost=gamma),
            BY_ARMS,
            40,
        )
        for gamma in (1, 1.1, 3)
    }
    return found | {
        "the same, gamma = 1, B = 3000": (rare, rare.problem(budget=3000, cost=1), BY_ARMS, 100),
        "Experiment 4, 5 arms, 4 configurations, T = 10,000": (
            chain,
            chain.problem(horizon=10_000, reveal_parents=True),
            BY_PARENTS,
            40,
        ),
        "random, 25 arms, 16 configurations, T = 10,000": (
            random,
            random.problem(horizon=10_000, reveal_parents=True),
            BY_PARENTS,
            20,
        ),
    }


def seconds(world: cb.World, problem: cb.Problem, kind: str, runs: int) -> tuple[float, int]:
    """Processor time, and rounds played."""
    start = time.process_time()
    result = cb.simulate(world, problem, kind, runs=runs, seed=1, threads=1, progress=False)
    return time.process_time() - start, int(result.pulls[kind][:, -1].sum())


def main() -> None:
    for name, (world, problem, kinds, runs) in problems().items():
        for kind in (BASE, *kinds):
            seconds(world, problem, kind, 2)  # compile
        turns = [{kind: seconds(world, problem, kind, runs) for kind in (BASE, *kinds)} for _ in range(TURNS)]
        per_round = {kind: [turn[kind][0] / turn[kind][1] for turn in turns] for kind in (BASE, *kinds)}
        per_run = {kind: [turn[kind][0] / runs for turn in turns] for kind in (BASE, *kinds)}
        print(f"\n{name}")
        for kind in (BASE, *kinds):
            ratio, whole = (
                statistics.median(a / b for a, b in zip(t[kind], t[BASE], strict=True)) for t in (per_round, per_run)
            )
            nanoseconds = 1e9 * statistics.median(per_round[kind])
            print(f"  {kind:<20} {nanoseconds:6.0f} ns a round, {ratio:5.2f} of {BASE}'s; {whole:5.2f} a run")


if __name__ == "__main__":
    main()
