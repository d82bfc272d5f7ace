"""Commands about problems and policies: init, keys, policies, cite, check, simulate. Parsing only."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from .options import KEYS, AsJson, ProblemFile

app = typer.Typer()


@app.command(epilog=KEYS)
def init(
    example: Annotated[str, typer.Option(help="Which example. --list shows them all.")] = "marketing",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The new file, or its folder. By default NAME.toml here.", show_default=False
        ),
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the examples, and write nothing.")] = False,
) -> None:
    """Get an example of a problem file, to change into your own. No file is overwritten."""
    from ..files.examples import copy_example, examples, titles

    if show_list:
        for name, title in titles(examples()).items():
            typer.echo(f"{name}: {title}")
        return
    place = copy_example(example, output)
    typer.echo(f"{place} is written; change it, then: causalbandits check {shlex.quote(str(place))}")


@app.command()
def policies(
    problem_file: Annotated[
        Path | None,
        typer.Option("--for", help="Recommend a policy for the problem in this file, and say why.", show_default=False),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            help='With --for: "find" the best intervention, or "earn" while learning. By default the file decides.',
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the policies with their papers, or recommend a policy for a problem."""
    if problem_file is not None:
        _recommend(problem_file, objective, as_json)
        return
    if objective is not None:
        raise InputError("An objective belongs to a problem; name the problem's file with --for.")
    from ..policies.registry import policy_rows
    from .printing import policies_text

    if as_json:
        typer.echo(json.dumps(policy_rows(), indent=2))
    else:
        typer.echo(policies_text())


def _recommend(problem_file: Path, objective: str | None, as_json: bool) -> None:
    from ..advice.recommend import recommend_policy
    from ..files import read
    from .printing import paragraphs

    problem = read(problem_file).problem
    advice = recommend_policy(problem, objective)
    answer = {"policy": advice.policy.label, "objective": objective or problem.objective, "why": advice.why}
    typer.echo(json.dumps(answer, indent=2, ensure_ascii=False) if as_json else paragraphs([str(advice)]))


@app.command(epilog="docs/problem-files.md has examples.")
def keys(as_json: AsJson = False) -> None:
    """Explain every key of a problem file."""
    from ..files.toml.keys import SECTIONS
    from .printing import keys_text

    listed = [key._asdict() for section in SECTIONS.values() for key in section]
    typer.echo(json.dumps(listed, indent=2) if as_json else keys_text())


@app.command()
def cite(
    policy: Annotated[
        str | None,
        typer.Argument(help="Which policy. By default only this library.", show_default=False),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All policies.")] = False,
) -> None:
    """Print BibTeX for a policy and for this library."""
    from ..policies.registry import citation, policies_by_kind

    if everything and policy is not None:
        raise InputError("Name a policy or give --all, not both.")
    typer.echo(citation(policies_by_kind() if everything else [policy] if policy is not None else []))


@app.command(epilog=KEYS)
def check(file: ProblemFile, as_json: AsJson = False) -> None:
    """Describe the problem of a file: arms, costs, what observing teaches, and whether its policy accepts it."""
    from ..files import read
    from ..files.toml.describe import describe, summary_parts
    from ..files.world_files import world_of
    from .printing import paragraphs

    setup = read(file)
    if setup.tables is not None:
        world_of(setup)  # the tables of the world are checked too
    summary = describe(setup)
    typer.echo(
        json.dumps(summary, indent=2, ensure_ascii=False)
        if as_json
        else paragraphs(summary_parts(summary, setup.problem))
    )
    if summary["refusal"] is not None:
        raise typer.Exit(1)


@app.command()
def simulate(
    file: ProblemFile,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy to use instead of the file's, or of the recommended one. May be repeated. "
            "The file's own policy keeps its parameters.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs of each policy.")] = 1000,
    seed: Annotated[
        int | None, typer.Option(help="Seed of all random streams. By default the file's, or 1.", show_default=False)
    ] = None,
    checkpoints: Annotated[
        str | None,
        typer.Option(
            help="Money (or rounds) at which regret is printed, such as 100,250,500. By default only the end.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the result in this file; cb.load reads it.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate the world of a problem file with its policy, with other policies, or with the recommended one."""
    from ..files import read
    from ..files.world_files import world_of
    from ..simulation.results import SUMMARY_NOTE
    from ..simulation.simulate import simulate as run
    from .printing import paragraphs, regret_by_checkpoint, result_to_json

    setup = read(file)
    world = world_of(setup)
    if out is not None:
        _check_out(out)
    if not policy and setup.advice is not None:
        typer.echo(paragraphs([str(setup.advice)]) + "\n", err=as_json)
    result = run(
        world,
        setup.problem,
        setup.policies(policy or []),
        runs=runs,
        seed=next(number for number in (seed, setup.seed, 1) if number is not None),
        checkpoints=None if checkpoints is None else checkpoints.split(","),
    )
    if out is not None:
        result.save(out)
    if as_json:
        typer.echo(json.dumps(result_to_json(result), indent=2, ensure_ascii=False))
        return
    typer.echo(paragraphs([result.summary().sheet, SUMMARY_NOTE]))
    if len(result.checkpoints) > 1:
        typer.echo("\n" + regret_by_checkpoint(result))


def _check_out(out: Path) -> None:
    """Refuse a path that cannot hold the result before the simulation starts."""
    if out.is_dir():
        raise InputError(f"{str(out)!r} is a folder; name a file in it with --out.")
    if not out.absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(out.parent)!r} for the result; make it, or choose another --out.")
