"""The command line: the program `causalbandits`."""

from .app import app, main

__all__ = ["app", "main"]
