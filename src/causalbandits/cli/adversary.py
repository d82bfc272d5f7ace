"""The command that looks for worlds in which a policy fails: stress. Parsing only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from .options import AsJson

app = typer.Typer()


@app.command()
def stress(
    policy: Annotated[
        str | None,
        typer.Argument(
            help="A policy of the library, or your own as in mine.py:MyPolicy. "
            "By default every policy that may be recommended, one after the other.",
            show_default=False,
        ),
    ] = None,
    *,
    objective: Annotated[
        str | None,
        typer.Option(help='"find" or "earn". By default what the policy is good for.', show_default=False),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Time for the search of each policy. By default 60.", show_default=False)
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option(help="Worlds to try for each policy. With it alone, results repeat exactly.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the search and of all random streams.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="A folder for the worst worlds, as problem files and pictures.", show_default=False),
    ] = None,
    anywhere: Annotated[
        bool,
        typer.Option(
            "--anywhere", help="Stress a recommended policy on all problems, not only where it is recommended."
        ),
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="End with exit code 1 if there is a finding.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look for worlds in which a policy loses much more than the best other policy of the library."""
    from ..adversary.own import policy_of
    from ..adversary.report import text_of, values_of, write
    from ..adversary.stress import recommendable, usual_objective
    from ..adversary.stress import stress as search
    from ..problem import checked_objective

    wanted = None if objective is None else checked_objective(objective)
    if policy is not None:
        chosen = policy_of(policy)
        goal = usual_objective(chosen) if wanted is None else wanted
        pairs = [pair for pair in recommendable() if (pair[0].kind, pair[1]) == (chosen.kind, goal)] or [(chosen, goal)]
    else:
        pairs = [pair for pair in recommendable() if wanted in (None, pair[1])]
    found = []
    for each, goal in pairs:
        with _bar(f"{each.label} ({goal})") as advance:
            found.append(
                search(
                    each,
                    objective=goal,
                    seconds=seconds,
                    evaluations=evaluations,
                    seed=seed,
                    anywhere=anywhere,
                    advance=advance,
                )
            )
        if not as_json:
            typer.echo(text_of(found[-1]) + "\n")
        if out is not None:
            files = write(found[-1], out)
            if files and not as_json:
                typer.echo("Written: " + ", ".join(map(str, files)) + "\n")
    if as_json:
        values = [values_of(one) for one in found]
        typer.echo(json.dumps(values if policy is None else values[0], indent=2, ensure_ascii=False))
    if check and any(one.findings for one in found):
        raise typer.Exit(1)


@contextmanager
def _bar(title: str) -> Iterator[Callable[[float, str], None]]:
    """A progress bar on a terminal. Its function takes the part that is done, and a text."""
    if not sys.stderr.isatty():
        yield lambda share, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{title}: compiling", total=1.0)
        yield lambda share, text: bar.update(task, completed=share, description=f"{title}: {text}")
