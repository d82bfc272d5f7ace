"""Read a TOML file with exact numbers, and find the line of each key for error messages."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..spreadsheets import refuse_spreadsheet
from .habits import habit

Key = tuple[str | int, ...]  # the place of a value: keys, and positions in lists

KEY = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
DOTTED = rf"{KEY}(?:\s*\.\s*{KEY})*"
LARGEST_EXPONENT = 400  # beyond the range of floats; exact arithmetic with such numbers could take forever


class PlacedError(InputError):
    """A mistake whose message names its place in a file."""


@dataclass(frozen=True)
class Source:
    """The name of a file and the lines of its keys."""

    file: str
    lines: Mapping[Key, int]

    def mistake(self, key: Key, sentence: object) -> PlacedError:
        """The error with its place in front: the file, the line if it is known, and the key."""
        line = self.line(key)
        where = [self.file, *([] if line is None else [f"line {line}"]), *([written(key)] if key else [])]
        return PlacedError(f"{', '.join(where)}: {sentence}")

    def line(self, key: Key) -> int | None:
        """The line of a key, or of the nearest key that encloses it."""
        return next((self.lines[key[:n]] for n in range(len(key), 0, -1) if key[:n] in self.lines), None)

    @contextmanager
    def at(self, *key: str | int) -> Iterator[None]:
        """Add this place to an error that is raised inside, unless it has a place already."""
        try:
            yield
        except PlacedError:
            raise
        except InputError as error:
            raise self.mistake(key, error) from None


MOST_PARTS = 100
# It begins where a part begins and gives nothing back, so that the search takes a time that grows with the text only.
LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def read_toml(path: str | Path) -> tuple[Source, dict[str, Any]]:
    """The source and the values of a file. Numbers with a decimal point are Decimal."""
    name = str(path)
    text = _text(path)
    if LONG_KEY.search(text):  # the time that such a key takes grows with the square of its parts
        raise InputError(f"{name}: A key has more than {MOST_PARTS} parts; a problem needs three.")
    try:
        values = tomllib.loads(text, parse_float=_exact)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(name, text, str(error)) from None
    except RecursionError:
        raise InputError(f"{name}: The file nests lists or tables too deeply; a problem needs three levels.") from None
    except (InputError, ValueError) as error:  # numbers that Python cannot read
        raise InputError(
            f"{name}: The file has a number that is too large or too small: {str(error).rstrip('.')}."
        ) from None
    if not values:
        raise InputError(
            f'{name}: The file is empty; begin with reward = "...", budget = ... '
            "and a section [variables.Name] for each variable."
        )
    return Source(name, lines_of(text)), values


def lines_of(text: str) -> dict[Key, int]:
    """The line of every key and section header, by a plain search. Keys inside { } are not searched."""
    found: dict[Key, int] = {}
    table: Key = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := re.match(rf"\s*\[{{1,2}}\s*({DOTTED})\s*\]", line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif pair := re.match(rf"\s*({DOTTED})\s*=", line):
            found.setdefault((*table, *_parts(pair[1])), number)
    return found


def written(key: Key) -> str:
    """A key as a user writes it: variables.Cart.table."small, no". For a list also the entry, counted from 1."""
    parts = [part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else quoted(part) for part in key if isinstance(part, str)]
    entries = "".join(f" (entry {part + 1})" for part in key if isinstance(part, int))
    return ".".join(parts) + entries


def quoted(text: str) -> str:
    """A TOML string. TOML has the same escapes as JSON, except for the character DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _text(path: str | Path) -> str:
    try:
        content = Path(path).read_bytes()
        refuse_spreadsheet(path, content, "a problem file is TOML, and causalbandits init brings an example")
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"There is no file {str(path)!r}.") from None
    except IsADirectoryError:
        raise InputError(f"{str(path)!r} is a folder; name a file in it.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: The file is not UTF-8 text, from byte {error.start + 1} on; save it as UTF-8."
        ) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(f"{str(path)!r} cannot be read: {reason}.") from None


def _exact(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise InputError(text) from None
    if number.is_finite() and abs(number.adjusted()) > LARGEST_EXPONENT:
        raise InputError(text)
    return number


def _parts(dotted: str) -> Key:
    """The parts of a dotted key."""
    try:
        inside: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:  # a line of a longer text that looks like a key
        return (dotted,)
    parts: list[str] = []
    while isinstance(inside, dict):
        ((part, inside),) = inside.items()
        parts.append(part)
    return tuple(parts)


def _syntax(name: str, text: str, message: str) -> InputError:
    """The message of tomllib with the number of the line in front and its text behind, or our own for a habit."""
    place = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)", message)
    what = (message[: place.start()] if place else message).rstrip(".")
    lines = text.rstrip("\n").split("\n")
    number = int(place[1]) if place and place[1] else _open_quote(lines) or len(lines)
    shown = lines[number - 1].strip() if number <= len(lines) else ""
    known = habit(shown)
    if known is not None:
        return InputError(f"{name}, line {number}: {known}")
    return InputError(
        f"{name}, line {number}: This is not TOML: {what[:1].lower()}{what[1:]}, in {shown!r}; correct that line."
    )


def _open_quote(lines: Sequence[str]) -> int | None:
    """The number of the line that opens a quotation mark and does not close it."""
    values = (re.fullmatch(r"\s*[^=#]+=\s*(['\"])((?!\1).)*", line) for line in lines)
    return next((number for number, value in enumerate(values, 1) if value is not None), None)
