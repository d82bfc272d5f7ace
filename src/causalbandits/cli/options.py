"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

KEYS = "causalbandits keys explains every key of a problem file; docs/problem-files.md has examples."
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ProblemFile = Annotated[
    Path, typer.Argument(help="A problem file (TOML). causalbandits init brings an example.", show_default=False)
]
StorageUrl = Annotated[
    str | None,
    typer.Option(
        "--storage",
        envvar="CAUSALBANDITS_STORAGE",
        help="The database: sqlite:///file.db or postgresql://user@host/database.",
        show_default=False,
    ),
]
