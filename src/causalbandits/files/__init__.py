"""Every format in one place: problem files, JSON forms, rows of logs.

`read`, `write`, `dumps` and `Setup` are for problem files in TOML. They need the extra `live`, and no world is imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .toml.reading import Setup, read
    from .toml.text import dumps, write

__all__ = ["Setup", "dumps", "read", "write"]


def __getattr__(name: str) -> Any:
    """Load what reads and writes TOML when it is first used: it needs pydantic, which the other formats do without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "reading" if name in ("Setup", "read") else "text"
    return getattr(import_module(f".toml.{home}", __name__), name)
