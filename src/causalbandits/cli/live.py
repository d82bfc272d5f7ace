"""Commands of live experiments: create, ask, tell and their companions. Parsing only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ..errors import InputError
from .answers import EXIT_CODES, check_storage, exit_codes, print_answer
from .options import AsJson, ProblemFile, StorageUrl

if TYPE_CHECKING:
    from ..live import Experiment

app = typer.Typer()

F = TypeVar("F", bound=Callable[..., None])
Name = Annotated[str, typer.Argument(help="The experiment's name.", show_default=False)]
Number = Annotated[int, typer.Argument(help="The number of a trial that ask returned.", show_default=False)]


def command(name: str | None = None) -> Callable[[F], F]:
    """A command whose help ends with the exit codes."""
    return app.command(name, epilog=EXIT_CODES)


@command()
def create(
    file: ProblemFile,
    storage: StorageUrl = None,
    name: Annotated[
        str | None, typer.Option(help="The experiment's name. By default the file's.", show_default=False)
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="A policy instead of the file's. If neither names one, the recommended one is used.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of its choices. By default the file's, or 0.", show_default=False)
    ] = None,
    lease: Annotated[
        float | None,
        typer.Option(
            help="How many seconds a trial may take until it is told. By default the file's, or an hour.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Begin an experiment with the problem of a file."""
    with exit_codes(as_json):
        from ..files import read
        from ..live.experiment import Experiment
        from .printing import paragraphs

        setup = read(file)
        advice = setup.advice if policy is None else None
        chosen = setup.policies([] if policy is None else [policy])[0]
        title = setup.name if name is None else name
        new = Experiment.create(check_storage(storage), title, setup, chosen, seed=seed, lease=lease)
        text = (
            f"Experiment {new.name} begins: {new.policy.label}, {len(new.problem.arms)} arms; "
            f"ask what to do: causalbandits ask {new.name}"
        )
        answer = {
            "name": new.name,
            "policy": new.policy.label,
            "why": None if advice is None else advice.why,
            "seed": new.seed,
            "lease": new.lease,
        }
        print_answer(answer, as_json, text if advice is None else f"{paragraphs([str(advice)])}\n{text}")


@command()
def ask(
    name: Name,
    storage: StorageUrl = None,
    count: Annotated[int, typer.Option(help="At most this many rounds of one arm.")] = 1,
    worker: Annotated[str | None, typer.Option(help="Who asks, for the record.", show_default=False)] = None,
    request_id: Annotated[
        str | None,
        typer.Option(
            help="If you ask again with the same text, you get the same trial and pay once.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Get the next trial: carry it out, then tell its outcome. Its cost is reserved."""
    with exit_codes(as_json):
        print_answer(_open(storage, name).ask(worker=worker, request_id=request_id, count=count), as_json)


@command()
def tell(
    name: Name,
    number: Number,
    storage: StorageUrl = None,
    reward: Annotated[
        str | None, typer.Option(help="The reward, or the value of the reward's variable.", show_default=False)
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(help="A value that was seen, as Variable=value. May be repeated.", show_default=False),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            help='For several rounds: a file of JSON lines {"reward": .., "values": {..}}, or - for a pipe.',
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell the outcome of a trial. Telling the same outcome again changes nothing."""
    with exit_codes(as_json):
        from ..files.rows import read_rows

        rounds = None if rows is None else read_rows(rows)
        print_answer(_open(storage, name).tell(number, reward, _values(value), rows=rounds), as_json)


@command()
def abandon(
    name: Name,
    number: Number,
    storage: StorageUrl = None,
    spent: Annotated[bool, typer.Option("--spent", help="The money is spent anyway.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give up a trial that nobody will tell. Its money comes back."""
    with exit_codes(as_json):
        print_answer(_open(storage, name).abandon(number, spent=spent), as_json)


@command("import")
def import_rows(
    name: Name,
    file: Annotated[
        str,
        typer.Argument(help="A CSV file (its name ends in .csv) or JSON lines. Each column or key is a variable."),
    ],
    storage: StorageUrl = None,
    as_json: AsJson = False,
) -> None:
    """Import logged observations. They cost nothing. If you import a file twice, its rows count twice."""
    with exit_codes(as_json):
        from ..files.rows import read_rows

        count = _open(storage, name).import_observations(read_rows(file))
        print_answer({"observations": count}, as_json, f"{count} observations imported.")


@command()
def status(name: Name, storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """Show the money, the estimate of every arm, and the pending trials."""
    with exit_codes(as_json):
        print_answer(_open(storage, name).status(), as_json)


@command()
def recommend(name: Name, storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """Show the best intervention that the policy has found, its interval and the runner-up."""
    with exit_codes(as_json):
        print_answer(_open(storage, name).recommend(), as_json)


@command()
def history(
    name: Name,
    storage: StorageUrl = None,
    after: Annotated[int, typer.Option(help="Only events after this number.")] = 0,
    limit: Annotated[int | None, typer.Option(help="At most this many events.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Show the journal: every event in order."""
    with exit_codes(as_json):
        print_answer(_open(storage, name).history(after, limit), as_json)


@command()
def experiments(storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """List the experiments of a storage."""
    with exit_codes(as_json):
        from ..live import Experiment

        names = Experiment.names(check_storage(storage))
        print_answer(names, as_json, "\n".join(names))


@command()
def accept(name: Name, storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """Continue with a policy whose source has changed. It learns again from the whole journal."""
    with exit_codes(as_json):
        from ..live import Experiment

        Experiment.open(check_storage(storage), name, accept_policy=True)
        print_answer({"name": name}, as_json, f"{name} continues with the policy that is installed here.")


@command()
def upgrade(storage: StorageUrl = None, as_json: AsJson = False) -> None:
    """Upgrade the tables of a storage to this version's schema. Make a copy first."""
    with exit_codes(as_json):
        from ..live import Storage

        database = Storage(check_storage(storage))
        before = database.revision()
        database.upgrade()
        database.check()
        now = database.revision()
        text = f"The schema is {now}; {'there was none' if before is None else f'it was {before}'} before."
        print_answer({"before": before, "now": now}, as_json, text)


def _open(storage: str | None, name: str) -> Experiment:
    from ..live import Experiment

    return Experiment.open(check_storage(storage), name)


def _values(assignments: list[str] | None) -> dict[str, str] | None:
    """The values of the options --value Variable=value."""
    values: dict[str, str] = {}
    for assignment in assignments or []:
        name, equals, value = assignment.partition("=")
        if not (name and equals and value):
            raise InputError(f"Write a value as Variable=value, not {assignment!r}.")
        if name in values:
            raise InputError(f"The value of {name} is told twice; tell it once.")
        values[name] = value
    return values or None
