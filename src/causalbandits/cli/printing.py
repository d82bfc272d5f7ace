"""A simulation's result in the words of the command line: as JSON values, and regret checkpoint by checkpoint."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ..regret import Estimate
from ..simulation.results import Result


def result_to(result: Result) -> dict[str, Any]:
    """Both regrets with standard error and band, per policy; cumulative regret at every checkpoint; null where one run says nothing."""
    return {
        "runs": result.runs,
        "seed": result.seed,
        "checkpoints": result.checkpoints.tolist(),
        "policies": {
            label: {
                "simple_regret": _estimate_to(row.simple_regret),
                "cumulative_regret": [_estimate_to(estimate) for estimate in cumulative(result, label)],
                "left_over": row.left_over,
            }
            for label, row in result.summary().items()
        },
    }


def by_checkpoint(result: Result) -> str:
    """Mean cumulative regret and its standard error, a line per checkpoint and a column per policy."""
    labels = list(result.pulls)
    columns = [[f"{e.mean:.4g} ± {e.standard_error:.2g}" for e in cumulative(result, label)] for label in labels]
    widths = [max(map(len, [label, *cells])) for label, cells in zip(labels, columns, strict=True)]
    rows = [
        ("checkpoint", labels),
        *((f"{at:g}", cells) for at, *cells in zip(result.checkpoints, *columns, strict=True)),
    ]
    return "\n".join(
        "  ".join([f"{first:>10}", *(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))])
        for first, cells in rows
    )


def cumulative(result: Result, label: str) -> list[Estimate]:
    """Cumulative regret at every checkpoint."""
    return [Estimate.of(column) for column in result.cumulative_regret[label].T]


def _estimate_to(estimate: Estimate) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in asdict(estimate).items()}
