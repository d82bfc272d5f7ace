"""The command line: parsing only."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from .errors import InputError

app = typer.Typer(
    help="Find the best intervention in a causal graph, and spend as little as possible on finding it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.callback()
def _options() -> None:
    """A callback keeps the commands named even while there is one of them."""


@app.command()
def policies(as_json: Json = False) -> None:
    """List the policies, with the paper that each comes from."""
    from .policies import REGISTRY

    rows = [{"name": kind, "class": p.__name__, "about": (p.__doc__ or "").splitlines()[0], "paper": p.paper} for kind, p in REGISTRY.items()]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "class", "what it does", "paper")
    for row in rows:
        table.add_row(*row.values())
    Console().print(table)


@app.command()
def paper(
    runs: Annotated[int, typer.Option(help="Runs of each policy at each point.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of all random streams.")] = 1,
    as_json: Json = False,
) -> None:
    """Experiment 2b of Nair, Patil & Sinha (2021): simple regret against the price of an intervention."""
    from .papers.nair2021 import experiment_2b

    rows = experiment_2b(runs=runs, seed=seed)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("gamma", "policy", "simple regret", "standard error", "chose to watch", title=f"Experiment 2b, {runs} runs, seed {seed}")
    for row in rows:
        watched = "" if row["watched"] is None else f"{row['watched']:.0%}"
        table.add_row(f"{row['gamma']:g}", row["policy"], f"{row['simple_regret']:.4f}", f"{row['standard_error']:.4f}", watched)
    Console().print(table)


def main() -> None:
    """Run a command; a mistake in the input is one sentence, without a traceback."""
    try:
        sys.exit(app(standalone_mode=False))
    except InputError as error:
        sys.exit(f"causalbandits: {error}")
    except Exception as error:  # the parser's own complaints; which package they come from depends on typer's version
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # its text is the help
            sys.exit(error.format_message())
        sys.exit(f"causalbandits: {error.format_message()}")
