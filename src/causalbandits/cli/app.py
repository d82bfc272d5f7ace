"""The command line: parsing only."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from . import live as cli_live

app = typer.Typer(
    help="Find the best intervention in a causal graph, and spend as little as possible on finding it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130  # what shells and typer make of Ctrl-C
ProblemFile = Annotated[
    Path, typer.Argument(help="A problem file (TOML): see examples/marketing.toml.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.callback()
def _options() -> None:
    """A callback keeps the commands named even while there is one of them."""


@app.command()
def policies(
    problem_file: Annotated[
        Path | None,
        typer.Option("--for", help="Recommend one for the problem of this file, and say why.", show_default=False),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            help="With --for: find the best intervention, or earn while learning; by default the file's.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the policies, with the paper that each comes from; or, for a problem, the one to take."""
    if problem_file is not None:
        from ..advice.recommend import recommend_policy
        from ..files import read

        problem = read(problem_file).problem
        advice = recommend_policy(problem, objective)
        said = {"policy": advice.policy.label, "objective": objective or problem.objective, "why": advice.why}
        typer.echo(json.dumps(said, indent=2, ensure_ascii=False) if as_json else str(advice))
        return
    if objective is not None:
        raise InputError("An objective goes with a problem; name its file with --for.")
    from ..policies.registry import policies_by_kind

    rows = [
        {"name": kind, "class": p.__name__, "about": (p.__doc__ or "").splitlines()[0], "paper": p.paper}
        for kind, p in policies_by_kind().items()
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Column, Table

    table = Table(Column("name", no_wrap=True), "class", "what it does", "paper")  # a name is to be copied
    for row in rows:
        table.add_row(*row.values())
    Console().print(table)


Runs = Annotated[
    int | None,
    typer.Option(help="Runs of each policy at each point, instead of the report's own numbers.", show_default=False),
]
Seed = Annotated[int, typer.Option(help="Seed of all random streams.")]
ClaimsAsJson = Annotated[bool, typer.Option("--json", help="Print the claims and verdicts as JSON, too.")]


@app.command()
def paper(
    name: Annotated[
        str | None, typer.Argument(help="Which paper; by default Nair, Patil & Sinha (2021).", show_default=False)
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only this part: 1, 2a, 2b, 3, 4, 4-tables, T1 ... T4 or a claim; may be repeated."),
    ] = None,
    runs: Runs = None,
    seed: Seed = 1,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("report"),
    as_json: ClaimsAsJson = False,
) -> None:
    """Reproduce a paper: run its experiments, judge its claims, and write a report."""
    from ..errors import unknown
    from ..papers import PAPERS

    if name is not None and name not in PAPERS:
        raise unknown("paper called", name, PAPERS)
    _report(
        name or PAPERS[0], "paper" if name in (None, PAPERS[0]) else f"paper {name}", only, runs, seed, out, as_json
    )


@app.command()
def compare(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this part: 1, 2a, 2b, 3, 4, 4-tables, worlds-find, worlds-earn, cases or a claim; may be repeated."
        ),
    ] = None,
    runs: Runs = None,
    seed: Seed = 1,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("comparison"),
    as_json: ClaimsAsJson = False,
) -> None:
    """Compare the policies of this library with the paper's: on its experiments, on random worlds and on odd ones, and write a report."""
    from ..papers import OURS

    _report(OURS, "compare", only, runs, seed, out, as_json)


def _report(
    name: str, said: str, only: list[str] | None, runs: int | None, seed: int, out: Path, as_json: bool
) -> None:
    """Carry out a report, with a progress bar, and say where it is."""
    started = time.perf_counter()
    from ..papers import paper_named
    from ..simulation.simulate import cores
    from ..studies.report import claims_of, steps, write_report
    from ..studies.run import select

    chosen = select(paper_named(name), only or [])
    options = {"--only": ",".join(part.id for part in chosen.parts) if only else None, "--runs": runs, "--seed": seed}
    command = " ".join(["causalbandits", said, *(f"{k} {v}" for k, v in options.items() if v is not None)])
    with progress_bar(steps(chosen)) as advance:
        done = write_report(
            chosen, out, runs=runs, seed=seed, workers=cores(), command=command, started=started, advance=advance
        )
    claims = claims_of(done)
    if as_json:
        typer.echo(json.dumps(claims, indent=2, ensure_ascii=False))
    counted = ", ".join(
        f"{count} {verdict}" for verdict, count in Counter(claim["verdict"] for claim in claims).most_common()
    )
    typer.echo(
        f"The report is in {out / 'index.html'} ({counted or 'no claims in this part'}; {time.perf_counter() - started:.0f} s).",
        err=as_json,
    )


@app.command()
def check(file: ProblemFile, as_json: Json = False) -> None:
    """Say what a problem file amounts to: arms, costs, what watching tells about, and whether its policy takes it."""
    from ..files import read
    from ..files.toml.describe import describe, summary_text
    from ..files.world_files import world_of

    setup = read(file)
    if setup.tables is not None:
        world_of(setup)
    said = describe(setup)
    typer.echo(json.dumps(said, indent=2, ensure_ascii=False) if as_json else summary_text(said))
    if said["refusal"] is not None:
        raise typer.Exit(1)


@app.command()
def simulate(
    file: ProblemFile,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy instead of the file's, or else of the recommended one; may be repeated; the file's own keeps its parameters.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs of each policy.")] = 1000,
    seed: Annotated[
        int | None, typer.Option(help="Seed of all random streams; by default the file's, or 1.", show_default=False)
    ] = None,
    checkpoints: Annotated[
        str | None,
        typer.Option(
            help="Money (or rounds) at which regret is told, such as 100,250,500; by default the end.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the result in this file, for cb.load.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate the world of a problem file with its policy, with others, or with the recommended one."""
    from ..files import read
    from ..files.world_files import world_of
    from ..simulation.simulate import simulate as run
    from .results import by_checkpoint, result_to

    setup = read(file)
    world = world_of(setup)
    if out is not None:
        _check_place(out)
    if not policy and setup.advice is not None:
        typer.echo(str(setup.advice) + "\n", err=as_json)
    result = run(
        world,
        setup.problem,
        setup.policies(policy or []),
        runs=runs,
        seed=next(given for given in (seed, setup.seed, 1) if given is not None),
        checkpoints=None if checkpoints is None else checkpoints.split(","),
    )
    if out is not None:
        result.save(out)
    if as_json:
        typer.echo(json.dumps(result_to(result), indent=2, ensure_ascii=False))
        return
    typer.echo(str(result.summary()))
    if len(result.checkpoints) > 1:
        typer.echo("\n" + by_checkpoint(result))


def _check_place(out: Path) -> None:
    """Refuse, before anything is simulated, a place where no file can be."""
    if out.is_dir():
        raise InputError(f"{str(out)!r} is a folder; name a file in it with --out.")
    if not out.absolute().parent.is_dir():
        raise InputError(
            f"There is no folder {str(out.parent)!r} for the result; make it first, or choose another --out."
        )


@app.command()
def bench(as_json: Json = False) -> None:
    """Measure the engine on this machine, and its share of the limit: the random words per second that the generator gives."""
    from ..bench.measure import bench as measure
    from ..bench.workloads import workloads

    with progress_bar(1 + len(workloads())) as advance:
        found = measure(advance)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Column, Table

    titles = ("rounds/s", "node-rounds/s", "bits/round", "share")
    table = Table(
        "work (one core, warm)", *(Column(title, justify="right", no_wrap=True) for title in titles), box=SIMPLE
    )
    for row in found["rows"]:
        bulk = (
            (_short(row["node_rounds_per_second"]), f"{row['bits']:.3g}", f"{row['share']:.1%}")
            if "share" in row
            else ()
        )
        table.add_row(row["name"], _short(row["rounds_per_second"]), *bulk)
    about = found["machine"]
    versions = ", ".join(f"{name} {about[name]}" for name in ("causalbandits", "python", "numpy", "numba"))
    console = Console(highlight=False)
    console.print(
        f"{about['processor']}, cores: {about['cores']}, {about['vectors']} (compiled for {about['compiled for']}); {versions}"
    )
    console.print(table)
    console.print(
        f"The limit: {_short(found['words_per_second'])} random words of 64 bits per second, the engine's generator alone."
    )
    console.print(
        "The share: the random bits that a round needs at least (its entropy) against those that could be had in its time."
    )


def _short(number: float) -> str:
    """A number of events per second in thousands, millions or billions."""
    unit, size = next(
        ((unit, size) for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)) if number >= size), ("", 1.0)
    )
    return f"{number / size:.3g} {unit}".rstrip()


app.add_typer(cli_live.app)


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on a terminal that is advanced with a title; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda title: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    with Progress(
        BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"), console=console, transient=True
    ) as bar:
        task = bar.add_task("compiling", total=total)
        yield lambda title: bar.update(task, advance=1, description=title)


def main() -> None:
    """Run a command; a mistake in the input is one sentence, without a traceback, and so is Ctrl-C."""
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except InputError as error:
        sys.exit(f"causalbandits: {error}")
    except KeyboardInterrupt:
        print("causalbandits: stopped.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:  # the parser's own complaints; which package they come from depends on typer's version
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # its text is the help
            sys.exit(error.format_message())
        sys.exit(f"causalbandits: {error.format_message()}")
