"""Print policies, simulation results and benchmarks, as text or as JSON values."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..display.numbers import plus_minus
from ..display.sheets import Sheet
from ..files.toml.keys import SECTIONS
from ..policies.registry import policy_rows
from ..regret import Estimate

if TYPE_CHECKING:
    from ..simulation.results import Result


INDENT = "    "
LEAST_WIDTH = 20  # columns: in a narrower terminal nothing is readable anyway


def paragraphs(parts: Iterable[str | Sheet]) -> str:
    """Sentences and sheets below each other, as wide as the terminal, or as COLUMNS says. In a pipe that is 80."""
    width = _width()
    return "\n".join(
        f"\n{part.text(width)}\n" if isinstance(part, Sheet) else textwrap.fill(part, width, break_on_hyphens=False)
        for part in parts
    ).strip("\n")


def _width() -> int:
    """The columns of the terminal, or those that COLUMNS says."""
    return max(shutil.get_terminal_size().columns, LEAST_WIDTH)


def entry(heading: str, *sentences: str) -> str:
    """A heading, and below it sentences, indented and as wide as the terminal."""
    width = _width()
    lines = [line for text in sentences for line in textwrap.wrap(text, width - len(INDENT), break_on_hyphens=False)]
    return "\n".join([heading, *(INDENT + line for line in lines)])


def policies_text() -> str:
    """All policies: the name and the class of each, what it does, what it is good for, and its paper."""
    entries = []
    for row in policy_rows():
        origin = {"Good for": row["goal"], "From": row["paper"]}
        sources = " ".join(f"{title}: {text}." for title, text in origin.items() if text)
        entries.append(entry(f"{row['name']} ({row['class']})", row["about"], sources))
    return "\n".join(entries)


def keys_text() -> str:
    """Every key of a problem file: how it is written, and what it means."""
    return "\n\n".join(
        "\n".join([paragraphs([title]), *(entry(key.line, key.sentence) for key in keys)])
        for title, keys in SECTIONS.items()
    )


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
    columns = [
        [plus_minus(estimate.mean, estimate.standard_error) for estimate in cumulative_regret(result, label)]
        for label in result.pulls
    ]
    rows = [(f"{at:g}", *cells) for at, *cells in zip(result.checkpoints, *columns, strict=True)]
    return paragraphs([Sheet(("checkpoint", *result.pulls), rows)])


def cumulative_regret(result: Result, label: str) -> list[Estimate]:
    """A policy's cumulative regret at every checkpoint."""
    return [Estimate.of(column).not_negative for column in result.cumulative_regret[label].T]


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
