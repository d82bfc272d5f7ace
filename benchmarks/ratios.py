"""The engine against plain code, in one process and on one core, and two threads against one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import numpy as np

from causalbandits.bench.workloads import Workload, workloads
from causalbandits.mechanisms import Table
from causalbandits.simulation.simulate import cores

from . import plain
from .clock import REPEATS, Entry, Work, ratio, seconds, speeds
from .own import against_plain_loop, against_same_class


def ratios() -> Iterator[Entry]:
    """Every ratio, one after the other."""
    named = workloads()
    yield compared(named["parallel"], 300, observe_parallel(named["parallel"], 20), 20)
    yield compared(named["uneven"], 40, observe_parallel(named["uneven"], 20), 20)
    yield compared(named["coins"], 60, observe_network(named["coins"], 10), 10)
    yield compared(named["values"], 15, observe_network(named["values"], 10), 10)
    yield compared(named["crm-nb 1.1"], 120, crm_nb(named["crm-nb 1.1"]), 1)
    yield compared(named["crm-nb 3"], 80, crm_nb(named["crm-nb 3"]), 1)
    yield compared(named["crm-nb 1.1"], 15, crm_nb(named["crm-nb 1.1"], 50), 50, " (NumPy over all runs at once)")
    yield compared(named["crm-nb 3"], 10, crm_nb(named["crm-nb 3"], 50), 50, " (NumPy over all runs at once)")
    yield compared(named["c-ucb-2"], 250, c_ucb_2(named["c-ucb-2"]), 1)
    yield against_same_class()
    yield against_plain_loop()
    if cores() > 1:
        yield two_threads(named["parallel"], 4)
        yield two_threads(named["crm-nb 1.1"], 4)


def compared(workload: Workload, target: float, slow: Work, slow_runs: int, suffix: str = "") -> Entry:
    """A row of `causalbandits bench` against plain code that does `slow_runs` runs."""
    slow_speed, fast_speed, gain = ratio(slow, slow_runs, workload.run, workload.runs)
    return Entry(workload.name + suffix, gain, "x", target, speeds(slow_speed, fast_speed))


def observe_parallel(workload: Workload, runs: int) -> Work:
    world, rng = workload.world, np.random.default_rng(1)
    p = np.array([world.marginal([name], "do()")[1] for name in world.graph["Y"].parents])
    low, high = world.mean("do(X1=0)"), world.mean("do(X1=1)")
    return lambda: [plain.observe_parallel(rng, p, low, high, 3000) for _ in range(runs)]


def observe_network(workload: Workload, runs: int) -> Work:
    """Plain code that draws the same variables as the engine: those that matter."""
    nodes, rng = [], np.random.default_rng(1)
    for name in workload.nodes:
        table = workload.world.mechanisms[name]
        assert isinstance(table, Table)
        flat = table.probabilities.reshape(-1, table.probabilities.shape[-1])
        nodes.append(([workload.nodes.index(cause) for cause in table.given], np.cumsum(flat, axis=1)))
    return lambda: [plain.observe_network(rng, nodes, workload.nodes.index("Y"), 3000) for _ in range(runs)]


def crm_nb(workload: Workload, together: int = 1) -> Work:
    """Plain code for one run, or for several runs at once."""
    world, rng = workload.world, np.random.default_rng(1)
    p = np.array([world.marginal([name], "do()")[1] for name in world.graph["Y"].parents])
    low, high, gamma = world.mean("do(X1=0)"), world.mean("do(X1=1)"), workload.problem.costs[1]
    if together > 1:
        return lambda: plain.crm_nb_over_runs(rng, p, low, high, 10_000, gamma, together)
    return lambda: plain.crm_nb(rng, p, low, high, 10_000, gamma)


def c_ucb_2(workload: Workload) -> Work:
    parents, rng = workload.problem.parents, np.random.default_rng(1)
    assert parents is not None
    return lambda: plain.c_ucb_2(rng, parents, np.array([0.54, 0.46]), np.array([0.48, 0.52]), 10_000)


def two_threads(workload: Workload, times: int) -> Entry:
    """The same work with one thread and with two, in wall-clock time. It needs a machine that does nothing else."""
    workload.run(threads=2)
    walls = [
        [seconds(lambda n=n: workload.run(threads=n, times=times), time.perf_counter) for n in (1, 2)]
        for _ in range(REPEATS)
    ]
    one, two = (statistics.median(each) for each in zip(*walls, strict=True))
    gain = statistics.median(a / b for a, b in walls)
    return Entry(f"{workload.name}: two threads against one, wall time", gain, "x", 1.8, f"{one:.3g} s and {two:.3g} s")
