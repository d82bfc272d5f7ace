"""The command line of live experiments: parsing only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ..errors import InputError

if TYPE_CHECKING:
    from ..live import Experiment

NOTHING_YET, EXHAUSTED, UNAVAILABLE = 75, 3, 69  # 75 and 69 are EX_TEMPFAIL and EX_UNAVAILABLE of sysexits.h
EXITS = (
    "Exit codes: 0 done; 1 bad input, conflict or not found; 3 nothing more will be bought (the recommendation is printed); "
    "75 nothing yet, ask again later; 69 the storage does not answer as it should, repeat."
)

app = typer.Typer()
token = typer.Typer(help="Tokens for the service: make, list, revoke.", no_args_is_help=True)
app.add_typer(token, name="token")

F = TypeVar("F", bound=Callable[..., None])
Name = Annotated[str, typer.Argument(help="The experiment's name.", show_default=False)]
Number = Annotated[int, typer.Argument(help="The number of a trial that ask returned.", show_default=False)]
TokenName = Annotated[str, typer.Argument(help="The token's name, such as who it is for.", show_default=False)]
Where = Annotated[
    str | None,
    typer.Option(
        "--storage",
        envvar="CAUSALBANDITS_STORAGE",
        help="sqlite:///file.db or postgresql://user@host/database.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def command(name: str | None = None) -> Callable[[F], F]:
    """A command whose help ends with the exit codes."""
    return app.command(name, epilog=EXITS)


@command()
def create(
    file: Annotated[
        Path, typer.Argument(help="A problem file (TOML): see examples/marketing.toml.", show_default=False)
    ],
    storage: Where = None,
    name: Annotated[
        str | None, typer.Option(help="The experiment's name; by default the file's.", show_default=False)
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="A policy instead of the file's; where neither names one, the recommended one.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of its choices; by default the file's, or 0.", show_default=False)
    ] = None,
    lease: Annotated[
        float | None,
        typer.Option(help="Seconds to tell a trial in; by default the file's, or an hour.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Begin an experiment with the problem of a file."""
    with answers(as_json):
        from ..files import read
        from ..lease import DEFAULT
        from ..live.experiment import Experiment

        setup = read(file)
        advice = setup.advice if policy is None else None
        chosen = setup.policies([] if policy is None else [policy])[0]
        settings = {"seed": _first(seed, setup.seed, 0), "lease": _first(lease, setup.lease, DEFAULT)}
        made = Experiment.create(_storage(storage), _first(name, setup.name), setup.problem, chosen, **settings)
        said = f"Experiment {made.name} begins: {made.policy.label}, {len(made.problem.arms)} arms; ask what to do: causalbandits ask {made.name}"
        why, said = (None, said) if advice is None else (advice.why, f"{advice}\n{said}")
        say(
            {"name": made.name, "policy": made.policy.label, "why": why, "seed": made.seed, "lease": made.lease},
            as_json,
            said,
        )


@command()
def ask(
    name: Name,
    storage: Where = None,
    count: Annotated[int, typer.Option(help="At most so many rounds of one arm, as many as are settled.")] = 1,
    worker: Annotated[str | None, typer.Option(help="Who asks, for the record.", show_default=False)] = None,
    request_id: Annotated[
        str | None, typer.Option(help="Asked again with it, you get the same trial and pay once.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """What to do next: a trial to carry out and tell. Its cost is reserved."""
    with answers(as_json):
        say(_opened(storage, name).ask(worker=worker, request_id=request_id, count=count), as_json)


@command()
def tell(
    name: Name,
    number: Number,
    storage: Where = None,
    reward: Annotated[
        str | None, typer.Option(help="The reward, or the value of the reward's variable.", show_default=False)
    ] = None,
    value: Annotated[
        list[str] | None, typer.Option(help="What was seen, as Variable=value; may be repeated.", show_default=False)
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            help='For several rounds: JSON lines {"reward": .., "values": {..}} in a file, or - for a pipe.',
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """What a trial showed. The same told again changes nothing."""
    with answers(as_json):
        from ..files.rows import read_rows

        given = None if rows is None else read_rows(rows)
        say(_opened(storage, name).tell(number, reward, _values(value), rows=given), as_json)


@command()
def abandon(
    name: Name,
    number: Number,
    storage: Where = None,
    spent: Annotated[bool, typer.Option("--spent", help="Its money is gone all the same.")] = False,
    as_json: Json = False,
) -> None:
    """Give a trial up that will never be told; its money comes back."""
    with answers(as_json):
        say(_opened(storage, name).abandon(number, spent=spent), as_json)


@command("import")
def import_rows(
    name: Name,
    file: Annotated[
        str,
        typer.Argument(help="CSV (a name that ends in .csv) or JSON lines: a variable's value in each column or key."),
    ],
    storage: Where = None,
    as_json: Json = False,
) -> None:
    """Import logged observations: they cost nothing. Imported twice they count twice."""
    with answers(as_json):
        from ..files.rows import read_rows

        count = _opened(storage, name).import_observations(read_rows(file))
        say({"observations": count}, as_json, f"{count} observations imported.")


@command()
def status(name: Name, storage: Where = None, as_json: Json = False) -> None:
    """Money, what the data say of every arm, and the pending trials."""
    with answers(as_json):
        say(_opened(storage, name).status(), as_json)


@command()
def recommend(name: Name, storage: Where = None, as_json: Json = False) -> None:
    """The best intervention by what the policy has learned, with its interval and the runner-up."""
    with answers(as_json):
        say(_opened(storage, name).recommend(), as_json)


@command()
def history(
    name: Name,
    storage: Where = None,
    after: Annotated[int, typer.Option(help="Only events that follow this number.")] = 0,
    limit: Annotated[int | None, typer.Option(help="At most so many events.", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """The journal: every event in order."""
    with answers(as_json):
        say(_opened(storage, name).history(after, limit), as_json)


@command()
def experiments(storage: Where = None, as_json: Json = False) -> None:
    """List the experiments of a storage."""
    with answers(as_json):
        from ..live import Experiment

        names = Experiment.names(_storage(storage))
        say(names, as_json, "\n".join(names))


@command()
def accept(name: Name, storage: Where = None, as_json: Json = False) -> None:
    """Go on with a policy whose source has changed since; it learns from the whole journal anew."""
    with answers(as_json):
        from ..live import Experiment

        Experiment.open(_storage(storage), name, accept_policy=True)
        say({"name": name}, as_json, f"{name} goes on with the policy as it is installed here.")


@command()
def upgrade(storage: Where = None, as_json: Json = False) -> None:
    """Bring a storage's tables to this version's schema. Make a copy first."""
    with answers(as_json):
        from ..live import Storage

        place = Storage(_storage(storage))
        before = place.revision()
        place.upgrade()
        place.check()
        say(
            {"before": before, "now": place.revision()},
            as_json,
            f"The schema is {place.revision()}; it was {before or 'not there'}.",
        )


@token.command("create")
def create_token(
    name: TokenName,
    access: Annotated[str, typer.Option(help="read: look; write: look, ask and tell.", show_default=False)],
    storage: Where = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it. It is shown this once; the storage keeps a hash."""
    with answers(as_json):
        from ..live.http import tokens

        made = tokens.create(_storage(storage), name, access)  # type: ignore[arg-type]  # create refuses what is neither
        say({"name": name, "access": access, "token": made}, as_json, made)


@token.command("list")
def list_tokens(storage: Where = None, as_json: Json = False) -> None:
    """List the tokens' names, what they open, and which are revoked."""
    with answers(as_json):
        from ..live.http import tokens

        say(tokens.listed(_storage(storage)), as_json)


@token.command("revoke")
def revoke_token(name: TokenName, storage: Where = None, as_json: Json = False) -> None:
    """Revoke a token, from now on."""
    with answers(as_json):
        from ..live.http import tokens

        tokens.revoke(_storage(storage), name)
        say({"name": name}, as_json, f"The token {name} opens nothing any more.")


@command()
def serve(
    storage: Where = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes a free one.")] = 8000,
    max_body: Annotated[int, typer.Option(help="The largest body of a request, in bytes.")] = 2**20,
    as_json: Json = False,
) -> None:
    """Serve the experiments of a storage over HTTP until Ctrl-C, to who has a token."""
    with answers(as_json, extra="serve"):
        from ..live.http.server import is_local
        from ..live.http.server import serve as run

        if not is_local(host):
            typer.echo(
                f"causalbandits: {host} can be reached from other machines, and tokens travel unencrypted; put a TLS proxy in front.",
                err=True,
            )
        run(
            _storage(storage),
            host,
            port,
            max_body,
            ready=lambda url: say({"url": url}, as_json, f"Serving on {url}; its page is {url}/docs."),
        )
        typer.echo("causalbandits: stopped.", err=True)


@contextmanager
def answers(as_json: bool, extra: str = "live") -> Iterator[None]:
    """Turn what stands in the way of a command into a sentence and an exit code."""
    try:
        from ..live.errors import BudgetExhausted, NothingYet, StorageError, WrongSchema
    except ModuleNotFoundError as missing:
        raise _without(missing, extra) from None
    try:
        yield
    except BudgetExhausted as end:
        say(end.recommendation, as_json)
        raise _exit(end, EXHAUSTED) from None
    except NothingYet as wait:
        if as_json:
            say({"retry_after": wait.retry_after}, as_json)
        raise _exit(wait, NOTHING_YET) from None
    except WrongSchema as mistake:
        raise InputError(str(mistake)) from None
    except StorageError as trouble:
        raise _exit(trouble, UNAVAILABLE) from None
    except ModuleNotFoundError as missing:
        raise _without(missing, extra) from None


def say(said: Any, as_json: bool, text: str | None = None) -> None:
    """Print something: as JSON, as the text, or as the table that shows it."""
    from ..live.status import plain

    if as_json:
        typer.echo(json.dumps(plain(said), indent=2, ensure_ascii=False))
    elif text is not None:
        typer.echo(text)
    else:
        from rich.console import Console

        from .live_printing import shown

        Console(soft_wrap=True, highlight=False).print(shown(said))


def _exit(error: Exception, code: int) -> typer.Exit:
    typer.echo(f"causalbandits: {error}", err=True)
    return typer.Exit(code)


def _without(missing: ModuleNotFoundError, extra: str) -> Exception:
    if (missing.name or "").startswith("causalbandits"):
        return missing
    return InputError(f'This command needs {missing.name}; pip install "causalbandits[{extra}]".')


def _storage(said: str | None) -> str:
    if not said:
        raise InputError(
            "Where are the experiments? Give --storage or set CAUSALBANDITS_STORAGE, such as sqlite:///experiments.db."
        )
    if said.partition(":")[0] == "memory":
        raise InputError("The storage memory ends with this command; choose a file, such as sqlite:///experiments.db.")
    return said


def _opened(storage: str | None, name: str) -> Experiment:
    from ..live import Experiment

    return Experiment.open(_storage(storage), name)


def _values(said: list[str] | None) -> dict[str, str] | None:
    values: dict[str, str] = {}
    for one in said or []:
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise InputError(f"A value is told as Variable=value, not {one!r}.")
        if name in values:
            raise InputError(f"The value of {name} is told twice; tell it once.")
        values[name] = value
    return values or None


def _first(*said: Any) -> Any:
    return next(one for one in said if one is not None)
