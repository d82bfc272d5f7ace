"""How a live command answers: it prints a record as text or JSON, and every error has an exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from ..errors import InputError, missing_extra

EXHAUSTED = 3
UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h
NOTHING_YET = 75  # EX_TEMPFAIL of sysexits.h
EXIT_CODES = (
    "Exit codes: 0 done; 1 bad input, conflict or not found; 3 nothing more will be bought, and the recommendation is "
    "printed; 75 nothing yet, ask again later; 69 the storage does not answer as it should, repeat the command."
)


@contextmanager
def exit_codes(as_json: bool, extra: str = "live") -> Iterator[None]:
    """Turn the errors of a live command into one sentence and an exit code."""
    try:
        from ..live.errors import BudgetExhausted, NothingYet, StorageError, WrongSchema
    except ModuleNotFoundError as missing:
        raise _missing(missing, extra) from None
    try:
        yield
    except BudgetExhausted as end:
        print_answer(end.recommendation, as_json)
        raise _exit(end, EXHAUSTED) from None
    except NothingYet as wait:
        if as_json:
            print_answer({"retry_after": wait.retry_after}, as_json)
        raise _exit(wait, NOTHING_YET) from None
    except WrongSchema as error:
        raise InputError(str(error)) from None
    except StorageError as error:
        raise _exit(error, UNAVAILABLE) from None
    except ModuleNotFoundError as missing:
        raise _missing(missing, extra) from None


def print_answer(answer: Any, as_json: bool, text: str | None = None) -> None:
    """Print an answer as JSON, or as the given text. Without a text, print the table that belongs to the record."""
    from ..live.status import json_values

    if as_json:
        typer.echo(json.dumps(json_values(answer), indent=2, ensure_ascii=False))
    elif text is not None:
        typer.echo(text)
    else:
        from .live_printing import as_text

        typer.echo(as_text(answer))


def _exit(error: Exception, code: int) -> typer.Exit:
    typer.echo(f"causalbandits: {error}", err=True)
    return typer.Exit(code)


def _missing(missing: ModuleNotFoundError, extra: str) -> Exception:
    """The error that names the extra to install. A missing module of our own is a bug, and is raised as it is."""
    if (missing.name or "").startswith("causalbandits"):
        return missing
    return missing_extra("This command needs", str(missing.name), extra)


def check_storage(url: str | None) -> str:
    """The URL of a storage that lasts longer than the command."""
    if not url:
        raise InputError(
            "Where are the experiments? Give --storage or set CAUSALBANDITS_STORAGE, such as sqlite:///experiments.db."
        )
    if url.partition(":")[0] == "memory":
        raise InputError("The storage memory ends with this command; choose a file, such as sqlite:///experiments.db.")
    return url
