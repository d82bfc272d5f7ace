"""Commands that take minutes and report: paper, compare, bench. Parsing only."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import AsJson
from .progress import progress_bar

if TYPE_CHECKING:
    from ..studies.study import Paper

app = typer.Typer()

Runs = Annotated[
    int | None,
    typer.Option(help="Runs of each policy at each point, instead of the report's own numbers.", show_default=False),
]
Seed = Annotated[int, typer.Option(help="Seed of all random streams.")]
ClaimsAsJson = Annotated[bool, typer.Option("--json", help="Also print the claims and verdicts as JSON.")]


@app.command()
def paper(
    name: Annotated[
        str | None, typer.Argument(help="Which paper. By default Nair, Patil & Sinha (2021).", show_default=False)
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only this part: 1, 2a, 2b, 3, 4, 4-tables, T1 ... T4 or a claim. May be repeated."),
    ] = None,
    runs: Runs = None,
    seed: Seed = 1,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("report"),
    as_json: ClaimsAsJson = False,
) -> None:
    """Reproduce a paper: run its experiments, judge its claims, and write a report."""
    from ..papers import PAPERS, paper_named

    command = "paper" if name in (None, PAPERS[0]) else f"paper {name}"
    _report(paper_named(PAPERS[0] if name is None else name), command, only, runs, seed, out, as_json)


@app.command()
def compare(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this part: 1, 2a, 2b, 3, 4, 4-tables, worlds-find, worlds-earn, factors-earn, factors-find, "
            "networks, fair, cases or a claim. May be repeated."
        ),
    ] = None,
    runs: Runs = None,
    seed: Seed = 1,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("comparison"),
    as_json: ClaimsAsJson = False,
) -> None:
    """Compare this library's own policies with the paper's, and write a report.

    The worlds are those of the paper's experiments, random worlds, published networks, and unusual ones.
    """
    from ..comparison import PAPER

    _report(PAPER, "compare", only, runs, seed, out, as_json)


def _report(
    paper: Paper, command: str, only: list[str] | None, runs: int | None, seed: int, out: Path, as_json: bool
) -> None:
    """Write a report with a progress bar, and print where it is."""
    started = time.perf_counter()
    from ..simulation.simulate import cores
    from ..studies.report import claims_of, steps, write_report
    from ..studies.run import select
    from .printing import verdict_counts

    chosen = select(paper, only or [])
    options = {"--only": ",".join(part.id for part in chosen.parts) if only else None, "--runs": runs, "--seed": seed}
    given = [f"{option} {value}" for option, value in options.items() if value is not None]
    with progress_bar(steps(chosen)) as advance:
        study = write_report(
            chosen,
            out,
            runs=runs,
            seed=seed,
            workers=cores(),
            command=" ".join(["causalbandits", command, *given]),
            started=started,
            advance=advance,
        )
    claims = claims_of(study)
    if as_json:
        typer.echo(json.dumps(claims, indent=2, ensure_ascii=False))
    seconds = time.perf_counter() - started
    counts = verdict_counts(claims) or "no claims in this part"
    typer.echo(f"The report is in {out / 'index.html'} ({counts}; {seconds:.0f} s).", err=as_json)


@app.command()
def bench(as_json: AsJson = False) -> None:
    """Measure the engine's speed on this machine, and compare it with the limit that the random generator sets."""
    from ..bench.measure import bench as measure
    from ..bench.workloads import workloads
    from .printing import print_speeds

    with progress_bar(1 + len(workloads())) as advance:
        speeds = measure(advance)
    if as_json:
        typer.echo(json.dumps(speeds, indent=2))
    else:
        print_speeds(speeds)
