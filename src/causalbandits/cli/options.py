"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ProblemFile = Annotated[
    Path, typer.Argument(help="A problem file (TOML); see examples/marketing.toml.", show_default=False)
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
