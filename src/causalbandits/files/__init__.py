"""All file formats: problem files in TOML, JSON forms, rows of logs.

`read`, `write`, `dumps` and `Setup` are for problem files. They need the extra [live], and they import no world.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .toml.reading import Setup, read
    from .toml.text import dumps, write

__all__ = ["Setup", "dumps", "read", "write"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load the TOML modules at first use: they need pydantic, and the other formats do not."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "reading" if name in ("Setup", "read") else "text"
    return getattr(import_module(f".toml.{module}", __name__), name)
