"""Read a problem file. No world is needed for that: see world_files for files that also give probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .toml.reading import Setup


def read_problem(path: str | Path) -> Setup:
    """Read a problem file: its `problem`, and its `policy`, `seed` and `lease` if the file gives them.

    It needs the extra [live].
    """
    from .toml.reading import read  # imported here because it needs pydantic

    return read(path)
