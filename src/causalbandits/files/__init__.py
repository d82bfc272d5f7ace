"""All file formats: problem files in TOML, JSON forms, networks in BIF, rows of logs.

`read`, `write`, `dumps` and `Setup` are for problem files. They need the extra [live], and they import no world.
`read_bif` reads a network of another tool.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bif import read_bif
    from .toml.reading import Setup, read
    from .toml.text import dumps, write

__all__ = ["Setup", "dumps", "read", "read_bif", "write"]
_HOMES = {
    "Setup": "toml.reading",
    "read": "toml.reading",
    "read_bif": "bif",
    "dumps": "toml.text",
    "write": "toml.text",
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load the TOML modules at first use: they need pydantic, and the other formats do not."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
