"""Read a problem file: the problem, or the world. Needs the extra `live`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..world import World
    from .toml.reading import Setup


def read_problem(path: str | Path) -> Setup:
    """Read a problem file: its `problem`, and its `policy`, `seed` and `lease` where it states them. Needs the extra [live]."""
    from .toml.reading import read

    return read(path)


def read_world(path: str | Path) -> World:
    """Read the world of a problem file that gives the probabilities of its variables. Needs the extra [live]."""
    from .world_files import world_of

    return world_of(path)
