"""Timing two things side by side, and what a measurement is."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

REPEATS = 5
Work = Callable[[], object]
SIGNS = {"x": "at least", "s": "at most", "MB": "at most", "slope": "near"}


@dataclass(frozen=True)
class Entry:
    """One measurement: a ratio ("x"), seconds ("s"), megabytes ("MB") or a slope; `note` is what it was made from."""

    name: str
    measured: float
    unit: str
    target: float
    note: str = ""

    def plain(self) -> dict[str, Any]:
        return {**asdict(self), "measured_in_words": in_words(self.measured, self.unit), "target_in_words": self.wanted}

    @property
    def wanted(self) -> str:
        return f"{SIGNS[self.unit]} {in_words(self.target, self.unit)}"

    def __str__(self) -> str:
        return f"{self.name:<66} {in_words(self.measured, self.unit):>8}  {self.wanted:<16} {self.note}"


def in_words(value: float, unit: str) -> str:
    """188x, 0.31 s, 262 MB, 1.02."""
    return {
        "x": f"{value:.{0 if value >= 9.95 else 1}f}x",
        "s": f"{value:.2f} s",
        "MB": f"{value:.0f} MB",
        "slope": f"{value:.2f}",
    }[unit]


def speeds(one: float, other: float) -> str:
    """The runs per second that a ratio was made from."""
    plain, engine = (f"{runs:,.0f}" if runs >= 100 else f"{runs:.3g}" for runs in (one, other))
    return f"plain {plain}, engine {engine} runs/s"


def seconds(work: Work, clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def ratio(slow: Work, slow_runs: int, fast: Work, fast_runs: int) -> tuple[float, float, float]:
    """Runs per second of processor time of both, and their ratio: medians of interleaved repeats, both warm."""
    slow(), fast()
    pairs = [(slow_runs / seconds(slow), fast_runs / seconds(fast)) for _ in range(REPEATS)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(b / a for a, b in pairs),
    )
