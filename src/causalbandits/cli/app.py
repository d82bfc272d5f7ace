"""The program `causalbandits`: all groups of commands, and how an error ends it."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer

from ..errors import InputError
from . import adversary, live, problems, reports, serve

INTERRUPTED = 130  # the exit code that shells and typer use for Ctrl-C

PARSER_WORDS = {  # what some versions of typer say of a value, and what we say
    "Input should be a valid integer, unable to parse string as an integer": "it must be a whole number",
    "Input should be a valid number, unable to parse string as a number": "it must be a number",
}

app = typer.Typer(
    help="Find the best intervention in a causal graph, and spend as little as possible on finding it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for group in (problems, reports, adversary, live, serve):
    app.add_typer(group.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"causalbandits {version('causalbandits')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """The options of the program itself."""


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
        sys.exit(f"causalbandits: {_parser_sentence(error)}")


def _parser_sentence(error: Any) -> str:
    """An error of the parser in our words, with the remedy."""
    sentence = str(error.format_message()).rstrip(".")
    for theirs, ours in PARSER_WORDS.items():
        sentence = sentence.replace(theirs, ours)
    context = getattr(error, "ctx", None)
    if sentence.endswith("?"):  # the parser suggests a name
        return sentence
    program = "causalbandits" if context is None else context.command_path
    return f"{sentence}; {program} --help explains it."
