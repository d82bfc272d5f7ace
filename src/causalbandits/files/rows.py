"""Read rows from a file: CSV with a header, or JSON lines."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from ..errors import InputError

STDIN = "-"


def read_rows(path: str) -> list[dict[str, Any]]:
    """The rows of a file: CSV if its name ends in .csv, otherwise JSON lines. "-" is standard input, as JSON lines."""
    with _opened(path) as file:
        return list(_csv(path, file) if path.lower().endswith(".csv") else _lines(path, file))


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    if path == STDIN:
        yield sys.stdin
        return
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a file of rows.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as such.") from None


def _csv(path: str, file: TextIO) -> Iterator[dict[str, Any]]:
    rows = csv.reader(file)
    header = next(rows, [])
    if len(set(header)) != len(header):
        raise InputError(f"{path}, line 1: a column is named twice; name each once.")
    for row in filter(None, rows):
        if len(row) != len(header):
            raise InputError(
                f"{path}, line {rows.line_num}: {len(row)} values for the {len(header)} columns of the header."
            )
        yield dict(zip(header, row, strict=True))


def _lines(path: str, file: TextIO) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: a row is one JSON object on one line.")
        yield row
