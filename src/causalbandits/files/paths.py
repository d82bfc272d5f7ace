"""The path of a file, as a user gives it."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError, shown


def checked_path(path: object) -> Path:
    """The path. A number is refused: Python would take it for a file that is open already."""
    if not isinstance(path, str | Path) or path == "":
        raise InputError(f'A path must be a text such as "folder/file", or a Path, not {shown(path)}.')
    return Path(path)
