"""The files of the report of the paper, and their rows."""

from __future__ import annotations

import csv
from pathlib import Path

FIGURES = [
    "1",
    "2a",
    "2b",
    "2b-late",
    "3-gamma-1",
    "3-gamma-1.1",
    "3-gamma-1.5",
    "3-epsilon-0.3",
    *(f"cap-{epsilon}-{budget}" for epsilon in ("0.5", "0.3") for budget in (3000, 30000)),
    "4",
    "4-tables",
    "4-tables-ratio",
    "T1",
    "T2",
    "T3",
    "T4",
]


def rows_of(report: Path, study: str) -> list[dict[str, str]]:
    with open(report / "data" / f"{study}.csv", newline="") as file:
        return list(csv.DictReader(file))
