"""Problem files: a problem, its policy and, if its probabilities are known, its world, as TOML. Needs the extra `live`; no world is imported."""

from .reading import Setup, read
from .text import dumps, write

__all__ = ["Setup", "dumps", "read", "write"]
