"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

KEYS = "Every key of a problem file is explained in docs/problem-files.md."
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
