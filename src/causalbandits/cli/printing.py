"""Print policies, simulation results and benchmarks, as text or as JSON values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..policies.registry import policy_rows
from ..regret import Estimate

if TYPE_CHECKING:
    from ..simulation.results import Result


def print_policies() -> None:
    """Print all policies as a table."""
    from rich.console import Console
    from rich.table import Column, Table

    table = Table(Column("name", no_wrap=True), "class", "what it does", "paper")  # users copy the name: keep it whole
    for row in policy_rows():
        table.add_row(row["name"], row["class"], row["about"], row["paper"])
    Console().print(table)


def result_to_json(result: Result) -> dict[str, Any]:
    """A result as JSON values: per policy both regrets with standard error and band.

    Cumulative regret is given at every checkpoint. A standard error is null if there is only one run.
    """
    return {
        "runs": result.runs,
        "seed": result.seed,
        "checkpoints": result.checkpoints.tolist(),
        "policies": {
            label: {
                "simple_regret": _estimate_to_json(row.simple_regret),
                "cumulative_regret": [_estimate_to_json(estimate) for estimate in cumulative_regret(result, label)],
                "left_over": row.left_over,
            }
            for label, row in result.summary().items()
        },
    }


def regret_by_checkpoint(result: Result) -> str:
    """Mean cumulative regret with its standard error: a line for each checkpoint, a column for each policy."""
    labels = list(result.pulls)
    columns = [
        [f"{estimate.mean:.4g} ± {estimate.standard_error:.2g}" for estimate in cumulative_regret(result, label)]
        for label in labels
    ]
    widths = [max(map(len, [label, *cells])) for label, cells in zip(labels, columns, strict=True)]
    rows = [
        ("checkpoint", labels),
        *((f"{at:g}", cells) for at, *cells in zip(result.checkpoints, *columns, strict=True)),
    ]
    return "\n".join(
        "  ".join([f"{first:>10}", *(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))])
        for first, cells in rows
    )


def cumulative_regret(result: Result, label: str) -> list[Estimate]:
    """A policy's cumulative regret at every checkpoint."""
    return [Estimate.of(column) for column in result.cumulative_regret[label].T]


def _estimate_to_json(estimate: Estimate) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in asdict(estimate).items()}


def verdict_counts(claims: Sequence[Mapping[str, Any]]) -> str:
    """How many claims have each verdict, such as "12 reproduced, 2 not reproduced"."""
    counts = Counter(claim["verdict"] for claim in claims)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())


def print_speeds(speeds: Mapping[str, Any]) -> None:
    """Print the benchmark's table, with the machine above it and an explanation below it."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Column, Table

    titles = ("rounds/s", "node-rounds/s", "bits/round", "share")
    numbers = (Column(title, justify="right", no_wrap=True) for title in titles)
    table = Table("work (one core, warm)", *numbers, box=SIMPLE)
    for row in speeds["rows"]:
        bulk: tuple[str, ...] = ()
        if "share" in row:  # only where rounds are drawn in bulk
            bulk = (_short(row["node_rounds_per_second"]), f"{row['bits']:.3g}", f"{row['share']:.1%}")
        table.add_row(row["name"], _short(row["rounds_per_second"]), *bulk)
    machine = speeds["machine"]
    processor = (
        f"{machine['processor']}, cores: {machine['cores']}, {machine['vectors']} "
        f"(compiled for {machine['compiled for']})"
    )
    versions = ", ".join(f"{name} {machine[name]}" for name in ("causalbandits", "python", "numpy", "numba"))
    console = Console(highlight=False)
    console.print(f"{processor}; {versions}")
    console.print(table)
    console.print(
        f"The limit: the engine's generator alone gives {_short(speeds['words_per_second'])} random words "
        "of 64 bits per second."
    )
    console.print(
        "The share: the fewest random bits that a round needs (its entropy), "
        "divided by the bits that the generator gives in the time of a round."
    )


def _short(number: float) -> str:
    """A number per second in thousands (k), millions (M) or billions (G)."""
    sizes = (("G", 1e9), ("M", 1e6), ("k", 1e3))
    unit, size = next(((unit, size) for unit, size in sizes if number >= size), ("", 1.0))
    return f"{number / size:.3g} {unit}".rstrip()
