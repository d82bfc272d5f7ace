"""Recognise a spreadsheet where a text file is expected."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError

BEGINNINGS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of .xlsx and .ods, which are ZIP files, and of .xls
ENDINGS = {".xlsx", ".xlsm", ".xls", ".ods", ".numbers"}


def refuse_spreadsheet(path: str | Path, content: bytes, remedy: str) -> None:
    """Refuse the file of a spreadsheet program, with the remedy."""
    if content.startswith(BEGINNINGS) or (Path(path).suffix.lower() in ENDINGS and b"\0" in content):
        raise InputError(f"{path} is a spreadsheet and not a text file; {remedy}.")
