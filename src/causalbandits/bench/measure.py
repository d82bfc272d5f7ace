"""Timing the rows: processor time on one core, each repeat beside a measurement of the limit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from .limit import words_per_second
from .machine import machine
from .rows import Row, rows

REPEATS = 3
UNITS = {
    "rounds_per_second": "rounds of all runs, per second of processor time on one core",
    "node_rounds_per_second": "the same times the variables that a round draws; only where rounds are drawn in bulk",
    "bits": "the entropy of a round: the least random bits that any way of drawing every round needs on average",
    "share": "bits x rounds_per_second / (64 x words_per_second): how much of the machine's random words the rounds could not do without",
    "words_per_second": "random words of 64 bits that the engine's generator gives when nothing is done with them, on one core",
}


def bench(advance: Callable[[str], None] = lambda title: None) -> dict[str, Any]:
    """The table of this machine, as plain values; `advance` is called with the name of what comes next."""
    advance("the limit")
    limits = [words_per_second()]
    table = []
    for row in rows().values():
        advance(row.name)
        table.append(_measured(row, limits))
    return {"machine": machine(), "words_per_second": statistics.median(limits), "rows": table, "units": UNITS}


def _measured(row: Row, limits: list[float]) -> dict[str, Any]:
    """A row of the table; the limits that were measured on the way are added to `limits`."""
    row.run()  # compiled, and warm
    speeds, shares = [], []
    for _ in range(REPEATS):
        limits.append(words_per_second())
        start = time.process_time()
        result = row.run()
        seconds = time.process_time() - start
        speeds.append(int(result.pulls[row.policy.label].sum()) / seconds)
        if row.bulk:
            shares.append(row.bits * speeds[-1] / (64 * limits[-1]))
    speed = statistics.median(speeds)
    bulk = (
        {"node_rounds_per_second": speed * len(row.nodes), "bits": row.bits, "share": statistics.median(shares)}
        if row.bulk
        else {}
    )
    return {"name": row.name, "rounds_per_second": speed, **bulk}
