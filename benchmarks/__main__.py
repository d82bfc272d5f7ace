"""Ratios, engine against plain code, side by side in one process and on one core: `make bench`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import causalbandits as cb
from causalbandits.mechanisms import Table

from . import plain
from .watch import Watch

REPEATS = 5
P = np.array([0.02, 0.02] + [0.5] * 48)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def ratio(slow: Callable[[], object], slow_runs: int, fast: Callable[[], object], fast_runs: int) -> tuple[float, float, float]:
    """Median of interleaved repeats: runs per second of both, and their ratio."""
    fast()
    pairs = [(slow_runs / seconds(slow), fast_runs / seconds(fast)) for _ in range(REPEATS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), statistics.median(b / a for a, b in pairs)


def bulk(p: np.ndarray) -> tuple[float, float, float]:
    world = cb.worlds.parallel(p=p.tolist(), epsilon=0.3)
    problem = world.problem(budget=3000, cost=60)
    rng = np.random.default_rng(1)
    low, high = world.mean("do(X1=0)"), world.mean("do(X1=1)")
    return ratio(
        lambda: [plain.observe_parallel(rng, p, low, high, 3000) for _ in range(20)],
        20,
        lambda: cb.simulate(world, problem, cb.Observe(), runs=16_000, seed=1, threads=1, progress=False),
        16_000,
    )


def network(values: tuple[int, int]) -> tuple[float, float, float]:
    """Bulk observation of a random network of 40 nodes with up to 3 parents each; the last node is the reward.

    Both sides draw the nodes that matter: the reward's causes, and the variables that watching teaches about with theirs.
    """
    world = cb.worlds.random_world(np.random.default_rng(3), variables=39, values=values, parents=3)
    problem = world.problem(budget=3000, cost=2)
    taught = [name for arm, teaches in zip(problem.arms, problem.teaches, strict=True) if teaches for name in arm]
    names = world.needed(["Y", *dict.fromkeys(taught)], problem.arms[0])
    nodes = []
    for name in names:
        table = world.mechanisms[name]
        assert isinstance(table, Table)
        flat = table.probabilities.reshape(-1, table.probabilities.shape[-1])
        nodes.append(([names.index(cause) for cause in table.given], np.cumsum(flat, axis=1)))
    rng = np.random.default_rng(1)
    return ratio(
        lambda: [plain.observe_network(rng, nodes, names.index("Y"), 3000) for _ in range(10)],
        10,
        lambda: cb.simulate(world, problem, Watch(), runs=2000, seed=1, threads=1, progress=False),
        2000,
    )


def crm_nb_over_runs(gamma: float) -> tuple[float, float, float]:
    world = cb.worlds.parallel(p=P.tolist(), epsilon=0.5)
    problem = world.problem(budget=10_000, cost=gamma)
    rng = np.random.default_rng(1)
    low, high = world.mean("do(X1=0)"), world.mean("do(X1=1)")
    return ratio(
        lambda: plain.crm_nb_over_runs(rng, P, low, high, 10_000, gamma, 50),
        50,
        lambda: cb.simulate(world, problem, cb.CRMNB(), runs=100, seed=1, threads=1, progress=False),
        100,
    )


def crm_nb(gamma: float) -> tuple[float, float, float]:
    world = cb.worlds.parallel(p=P.tolist(), epsilon=0.5)
    problem = world.problem(budget=10_000, cost=gamma)
    rng = np.random.default_rng(1)
    low, high = world.mean("do(X1=0)"), world.mean("do(X1=1)")
    return ratio(
        lambda: plain.crm_nb(rng, P, low, high, 10_000, gamma),
        1,
        lambda: cb.simulate(world, problem, cb.CRMNB(), runs=100, seed=1, threads=1, progress=False),
        100,
    )


def c_ucb_2() -> tuple[float, float, float]:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=10_000, observe=False, reveal_parents=True)
    assert problem.parents is not None
    parents, rng = problem.parents, np.random.default_rng(1)
    return ratio(
        lambda: plain.c_ucb_2(rng, parents, np.array([0.54, 0.46]), np.array([0.48, 0.52]), 10_000),
        1,
        lambda: cb.simulate(world, problem, cb.CUCB2(), runs=400, seed=1, threads=1, progress=False),
        400,
    )


def main() -> None:
    rows = [
        ("bulk observation, M = 50, B = 3000", 300, lambda: bulk(P)),
        ("the same, all p_i = 0.3", 40, lambda: bulk(np.full(50, 0.3))),
        ("bulk observation, random network of 40 coins", 60, lambda: network((2, 2))),
        ("the same, 3 to 5 values", 15, lambda: network((3, 5))),
        ("CRM-NB-ALG, 101 arms, B = 10,000, gamma = 1.1", 120, lambda: crm_nb(1.1)),
        ("the same, gamma = 3", 80, lambda: crm_nb(3)),
        ("the same, gamma = 1.1, NumPy over runs", 15, lambda: crm_nb_over_runs(1.1)),
        ("the same, gamma = 3, NumPy over runs", 10, lambda: crm_nb_over_runs(3)),
        ("C-UCB-2, Experiment 4, T = 10,000", 250, c_ucb_2),
    ]
    print(f"{'work (one core, warm)':<48} {'plain runs/s':>13} {'engine runs/s':>14} {'ratio':>8} {'target':>8}")
    for name, target, measure in rows:
        slow, fast, times = measure()
        print(f"{name:<48} {slow:13.4g} {fast:14.4g} {times:7.0f}x {'' if target is None else f'{target}x':>8}", flush=True)


if __name__ == "__main__":
    main()
