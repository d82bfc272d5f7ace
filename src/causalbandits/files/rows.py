"""Read rows from a file: CSV with a header, or JSON lines."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from ..errors import InputError, RepeatedKeyError, unique_keys
from .spreadsheets import refuse_spreadsheet

STDIN = "-"
BEGINNING = 4096  # bytes that show whether a file is a spreadsheet
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # instead of commas


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
        with Path(path).open("rb") as binary:
            refuse_spreadsheet(path, binary.read(BEGINNING), "save it as CSV (UTF-8, with commas), and name that file")
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a file of rows.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except csv.Error as error:
        raise InputError(f"{path} is not CSV: {error}; save it as CSV (UTF-8, with commas).") from None


def _csv(path: str, file: TextIO) -> Iterator[dict[str, Any]]:
    rows = csv.reader(file)
    header = next(rows, [])
    separator = next((name for sign, name in SEPARATORS.items() if len(header) == 1 and sign in header[0]), None)
    if separator is not None:
        raise InputError(
            f"{path}, line 1: the columns are separated by {separator}; save the file with commas instead."
        )
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
            row = json.loads(line, object_pairs_hook=unique_keys)
        except RepeatedKeyError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise InputError(
                f"{path}, line {number}: a row is one JSON object on one line; the name of a CSV file ends in .csv."
            )
        yield row
