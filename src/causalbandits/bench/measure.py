"""Time the workloads on one core. The limit is measured again before each repeat."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from .limit import words_per_second
from .machine import machine
from .workloads import Workload, workloads

REPEATS = 3
UNITS = {
    "rounds_per_second": "rounds of all runs, per second of processor time on one core",
    "node_rounds_per_second": "the same times the variables that a round draws; only where rounds are drawn in bulk",
    "bits": "the entropy of a round: no method can draw rounds with fewer random bits on average",
    "share": "bits x rounds_per_second / (64 x words_per_second): the share of random bits that is needed",
    "words_per_second": "random words of 64 bits of the engine's generator when nothing else is done, on one core",
}


def bench(advance: Callable[[str], None] = lambda title: None) -> dict[str, Any]:
    """The measurements on this machine as JSON values. `advance` is called with the name of the next workload."""
    advance("the limit")
    limits = [words_per_second()]
    table = []
    for workload in workloads().values():
        advance(workload.name)
        table.append(_measured(workload, limits))
    return {"machine": machine(), "words_per_second": statistics.median(limits), "rows": table, "units": UNITS}


def _measured(workload: Workload, limits: list[float]) -> dict[str, Any]:
    """One row of the table. The limit is measured before each repeat and added to `limits`."""
    workload.run()  # compiles it
    speeds, shares = [], []
    for _ in range(REPEATS):
        limits.append(words_per_second())
        start = time.process_time()
        result = workload.run()
        seconds = time.process_time() - start
        speeds.append(int(result.pulls[workload.policy.label].sum()) / seconds)
        if workload.bulk:
            shares.append(workload.bits * speeds[-1] / (64 * limits[-1]))
    speed = statistics.median(speeds)
    bulk = (
        {
            "node_rounds_per_second": speed * len(workload.nodes),
            "bits": workload.bits,
            "share": statistics.median(shares),
        }
        if workload.bulk
        else {}
    )
    return {"name": workload.name, "rounds_per_second": speed, **bulk}
