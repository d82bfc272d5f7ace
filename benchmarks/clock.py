"""A measurement, and the timing of two things side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

REPEATS = 5
Work = Callable[[], object]
SIGNS = {"x": "at least", "s": "at most", "ms": "at most", "MB": "at most", "slope": "near"}


@dataclass(frozen=True)
class Entry:
    """One measurement: a ratio ("x"), seconds ("s", "ms"), megabytes ("MB") or a slope. `note` gives its sources."""

    name: str
    measured: float
    unit: str
    target: float
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        measured = with_unit(self.measured, self.unit)
        return {**asdict(self), "measured_in_words": measured, "target_in_words": self.target_text}

    @property
    def target_text(self) -> str:
        return f"{SIGNS[self.unit]} {with_unit(self.target, self.unit)}"

    def __str__(self) -> str:
        return f"{self.name:<66} {with_unit(self.measured, self.unit):>8}  {self.target_text:<16} {self.note}"


def with_unit(value: float, unit: str) -> str:
    """A number with its unit, such as 188x, 0.31 s, 262 MB or 1.02."""
    return {
        "x": f"{value:.{0 if value >= 9.95 else 1}f}x",
        "s": f"{value:.2f} s",
        "ms": f"{value:.2f} ms",
        "MB": f"{value:.0f} MB",
        "slope": f"{value:.2f}",
    }[unit]


def speeds(plain_runs: float, engine_runs: float) -> str:
    """The runs per second behind a ratio."""
    plain, engine = (f"{runs:,.0f}" if runs >= 100 else f"{runs:.3g}" for runs in (plain_runs, engine_runs))
    return f"plain {plain}, engine {engine} runs/s"


def seconds(work: Work, clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def ratio(slow: Work, slow_runs: int, fast: Work, fast_runs: int) -> tuple[float, float, float]:
    """The runs per second of processor time of both, and their ratio.

    These are medians over repeats that alternate between the two. Both are run once before.
    """
    slow(), fast()
    pairs = [(slow_runs / seconds(slow), fast_runs / seconds(fast)) for _ in range(REPEATS)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(b / a for a, b in pairs),
    )
