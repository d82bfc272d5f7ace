"""The program `causalbandits`: all groups of commands, and how an error ends it."""

from __future__ import annotations

import sys

import typer

from ..errors import InputError
from . import adversary, live, problems, reports, serve

INTERRUPTED = 130  # the exit code that shells and typer use for Ctrl-C

app = typer.Typer(
    help="Find the best intervention in a causal graph, and spend as little as possible on finding it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for group in (problems, reports, adversary, live, serve):
    app.add_typer(group.app)


def main() -> None:
    """Run a command. A mistake in the input, and Ctrl-C, end it with one sentence and no traceback."""
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
    except (
        Exception
    ) as error:  # the parser's own errors: their module depends on typer's version, so look at the method
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # its text is the help
            sys.exit(error.format_message())
        sys.exit(f"causalbandits: {error.format_message()}")
