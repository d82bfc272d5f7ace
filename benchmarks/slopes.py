"""Cost grows linearly: the slope of log time on log size is near 1, by least squares over four sizes that double.

Times are processor times on one core, the least of three. A time is what the runs cost beyond one run per chunk. Work
that is done only once has rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import causalbandits as cb
from causalbandits.bench.rows import P
from causalbandits.engine.cpu.tables import tables_of
from causalbandits.policies.columns import ARMS

from .clock import Entry, seconds

TIMES = 3
CHUNKS = 20  # always the same number of chunks, so that starting them always costs the same
WORLD = cb.worlds.parallel(p=P, epsilon=0.3)


def slopes() -> Iterator[Entry]:
    """Slopes in rounds, runs and nodes, for bulk drawing and for choices round by round; then one-time work."""
    yield slope("watching, rounds", [25_000, 50_000, 100_000, 200_000], lambda n: runs_of(WORLD, cb.Observe(), n, 2000))
    yield slope("watching, runs", [8000, 16_000, 32_000, 64_000], lambda n: runs_of(WORLD, cb.Observe(), 6000, n))
    yield slope("watching, nodes", [50, 100, 200, 400], lambda n: runs_of(wide(n), cb.Observe(), 24_000, 2000))
    yield slope("CRM-NB-ALG, rounds", [5000, 10_000, 20_000, 40_000], lambda n: runs_of(WORLD, cb.CRMNB(), n, 60))
    yield slope("CRM-NB-ALG, runs", [60, 120, 240, 480], lambda n: runs_of(WORLD, cb.CRMNB(), 5000, n))
    yield slope("CRM-NB-ALG, nodes", [100, 200, 400, 800], lambda n: runs_of(wide(n), cb.CRMNB(), 10_000, 60))
    yield slope("stating a problem and which arms watching can judge, nodes", [50, 100, 200, 400], judging)
    yield slope("a world as arrays, nodes", [50, 100, 200, 400], arrays)


def wide(causes: int) -> cb.World:
    """A world with a multiple of 50 causes, and the paper's share of rare ones."""
    return cb.worlds.parallel(p=P * (causes // 50), epsilon=0.3)


Timed = Callable[[], float]


def runs_of(world: cb.World, policy: cb.Policy, budget: int, runs: int) -> Timed:
    problem = world.problem(budget=budget, cost=1.1)

    def timed(chunk: int) -> float:
        return seconds(
            lambda: cb.simulate(
                world, problem, policy, runs=CHUNKS * chunk, chunk=chunk, seed=1, threads=1, progress=False
            )
        )

    timed(1)
    return lambda: timed(runs // CHUNKS + 1) - timed(1)


def judging(nodes: int) -> Timed:
    world = wide(nodes)
    return lambda: seconds(lambda: world.problem(budget=10_000, cost=1.1).teaches)


def arrays(nodes: int) -> Timed:
    def timed() -> float:
        world = wide(nodes)  # a new one, because a world keeps its arrays
        problem = world.problem(budget=10_000, cost=1.1)
        assert len(problem.teaches) == 2 * nodes + 1  # computed before the clock starts
        return seconds(lambda: tables_of(world, problem, ARMS))

    return timed


def slope(name: str, sizes: list[int], timed_at: Callable[[int], Timed]) -> Entry:
    works = [timed_at(size) for size in sizes]
    least = np.array([[work() for work in works] for _ in range(TIMES)]).min(axis=0)
    fitted = float(np.polyfit(np.log(sizes), np.log(least), 1)[0])
    return Entry(
        name,
        fitted,
        "slope",
        1,
        ", ".join(f"{size:,}: {t * 1000:.3g} ms" for size, t in zip(sizes, least, strict=True)),
    )
