"""The error for mistakes in the input, and helpers that word it."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # says nothing to a user


class InputError(ValueError):
    """A mistake in the input. Its message is one sentence that names the mistake and the remedy."""

    def __init__(self, sentence: object = "") -> None:
        text = _ADDRESS.sub("", str(sentence))  # what a message quotes may have addresses and lines of its own
        super().__init__(" ".join(text.split()) if "\n" in text else text)


def shown(value: object) -> str:
    """A value in an error message: its repr, in one short line."""
    text = _ADDRESS.sub("", " ".join(repr(value).split()))
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_kind(what: str, value: object, kind: Any, expected: str) -> None:
    """Refuse a value of another kind. The sentence says what is expected."""
    if not isinstance(value, kind):
        raise InputError(f"{what} must be {expected}, not {shown(value)}.")


def as_list(what: str, values: object, example: str) -> list[Any]:
    """The values as a list. Refuse a single value, a text and a mapping."""
    is_single = isinstance(values, str | bytes | Mapping | type) or getattr(values, "ndim", 1) == 0
    if is_single or not isinstance(values, Iterable):
        raise InputError(f"{what} must be a list such as {example}, not {shown(values)}.")
    return list(values)


def names_of(what: str, names: object) -> list[Any]:
    """Names as a list. A single text is one name."""
    listed = [names] if isinstance(names, str) else as_list(what, names, '["X", "Z"]')
    for name in listed:
        check_kind(f"A name in {what[:1].lower()}{what[1:]}", name, str, "a text")
    return listed


def number_of(what: str, value: Any, least: float = -math.inf) -> float:
    """A finite number. Refuse one below `least`."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not (isinstance(value, int) or math.isfinite(value)):
        raise InputError(f"{what} must be a number, not {shown(value)}.")
    if value < least:
        raise InputError(f"{what} must be at least {least:g}, not {shown(value)}.")
    return value  # type: ignore[no-any-return]


def numbers_of(what: str, values: Any, axes: int = 1, *, least: int = 1, is_finite: bool = True) -> NDArray[np.float64]:
    """An array of at least this many numbers, with this number of axes. Lists are fine."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(())
    if array.ndim != axes or array.size < least or (is_finite and not np.isfinite(array).all()):
        kind = "a list of numbers" if axes == 1 else "a table of numbers, a list for each row"
        raise InputError(f"{what} must be {kind}, not {shown(values)}.")
    return array


def check_truth(name: str, value: object) -> None:
    """Refuse a switch that is neither True nor False, such as "no", which Python takes for true."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, not {shown(value)}.")


def missing_extra(subject: str, module: str, extra: str) -> InputError:
    """The error for a package that is not installed. `subject` ends with its verb, such as "Figures need"."""
    return InputError(f'{subject} {module}; pip install "causalbandits[{extra}]".')


def unknown(what: str, name: object, known: Iterable[object]) -> InputError:
    """The error for a name that does not exist. It suggests the most similar name, or lists the known ones."""
    options = [str(option) for option in known]
    near = difflib.get_close_matches(str(name), options, n=1)
    if near:
        return InputError(f"There is no {what} {str(name)!r}; did you mean {near[0]!r}?")
    shown = ", ".join(options[:12]) + (", ..." if len(options) > 12 else "")
    return InputError(f"There is no {what} {str(name)!r}; choose from: {shown or 'none are defined'}.")


class RepeatedKeyError(InputError):
    """A key is twice in an object of JSON, which programs read in different ways."""


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which no key may be twice: for `object_pairs_hook`."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise RepeatedKeyError(f"The key {name!r} is there twice; give it once.")
        found[name] = value
    return found
