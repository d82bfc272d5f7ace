"""Points that were read from a paper's published figures."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path


@dataclass(frozen=True)
class PublishedPoint:
    """One point of a published curve. Its true value is within `error` of y, as far as reading goes."""

    x: float
    y: float
    error: float


@dataclass(frozen=True)
class PublishedCurve:
    """A curve of a published figure."""

    figure: str
    name: str
    source: str
    runs: int  # of the published simulation
    points: Sequence[PublishedPoint]


def read_published(path: Path) -> Mapping[tuple[str, str], PublishedCurve]:
    """The published curves of a CSV file, by figure and name.

    Its columns are figure, source, runs, curve, x, read, offset and error. The rows of a curve follow each other. The
    offset is a constant error of reading a whole figure. It is taken off here: y = read - offset.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    curves = {}
    for (figure, name), group in groupby(rows, key=lambda row: (row["figure"], row["curve"])):
        mine = list(group)
        points = [PublishedPoint(float(row["x"]), _value(row), float(row["error"])) for row in mine]
        curves[figure, name] = PublishedCurve(figure, name, mine[0]["source"], int(mine[0]["runs"]), points)
    return curves


def _value(row: Mapping[str, str]) -> float:
    return float(row["read"]) - float(row["offset"])
