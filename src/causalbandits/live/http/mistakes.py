"""Mistakes in a request, as sentences of ours: which value, what it must be, and what it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import isclass
from typing import Any, get_args, get_type_hints

from ...errors import unknown
from .bodies import MOST_KEYS, Page, RequestBody, Round

LONGEST_PLACE = 500  # characters of a key in an answer
LONGEST_VALUE = 40  # characters of a value in an answer: a mistake is quoted, but not sent back whole
EXPECTED = {  # by the validator's kind of error: what the value must be
    "string_type": "a text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "float_type": "a number",
    "finite_number": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "dict_type": "an object, in {{ }}",
    "model_type": "an object, in {{ }}",
    "model_attributes_type": "an object, in {{ }}",
    "list_type": "a list, in [ ]",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "string_too_short": "a text of at least {min_length} character",
    "string_too_long": "a text of at most {max_length} characters",
    "value_error": f"an object with at most {MOST_KEYS} keys",
    "too_short": "a list with at least {min_length} entry",
}


def mistakes(errors: Iterable[Mapping[str, Any]], endpoint: Callable[..., Any]) -> list[dict[str, str]]:
    """Each mistake with its place. A value that could have several kinds is one mistake and not several."""
    by_place: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for error in errors:
        by_place.setdefault(_place(error), []).append(error)
    return [{"at": _written(place), "message": _sentence(place, found, endpoint)} for place, found in by_place.items()]


def _place(error: Mapping[str, Any]) -> tuple[Any, ...]:
    """The place of an error. The validator adds the name of a type where a value could have several."""
    place = tuple(error["loc"])
    if error["type"] == "json_invalid":
        return place[:1]
    has_branch = len(place) > 2 and place[-1] in ("str", "int", "float", "bool")
    return place[:-1] if has_branch and error["type"] not in ("missing", "extra_forbidden") else place


def _sentence(place: tuple[Any, ...], errors: Sequence[Mapping[str, Any]], endpoint: Callable[..., Any]) -> str:
    first = errors[0]
    kind, name = first["type"], place[-1]
    if kind == "json_invalid":
        return f"The body is not JSON ({first['ctx']['error']}, after {first['loc'][-1]} characters); correct it."
    if kind == "missing":
        return "The request has no body; send JSON." if len(place) == 1 else f"The key {name} is missing; add it."
    if kind == "extra_forbidden":
        return str(unknown("key", str(name)[:LONGEST_VALUE], _keys(place, endpoint)))
    if isinstance(first["input"], bytes):
        return "The body is not sent as JSON; send the header Content-Type: application/json."
    kinds = list(dict.fromkeys(_expected(error) for error in errors))
    if "a number" in kinds and "a whole number" in kinds:
        kinds.remove("a whole number")
    return f"This must be {' or '.join(kinds)}, not {_shown(first['input'])}."


def _expected(error: Mapping[str, Any]) -> str:
    words = EXPECTED.get(error["type"], "what GET /openapi.json says")
    return words.format(**error.get("ctx") or {})


def _keys(place: tuple[Any, ...], endpoint: Callable[..., Any]) -> list[str]:
    """The keys that a request may have at a place."""
    if len(place) > 2:  # in a row
        return list(Round.model_fields)
    hints = [part for hint in get_type_hints(endpoint).values() for part in (hint, *get_args(hint))]
    bodies = [part for part in hints if isclass(part) and issubclass(part, RequestBody | Page)]
    return [name for body in bodies for name in body.model_fields]


def _shown(value: Any) -> str:
    """A value as JSON in ASCII. A long one is shortened."""
    text = json.dumps(value, default=str)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "..."


def _written(place: Iterable[Any]) -> str:
    """Where in the request a mistake is, in ASCII, such as body.rows.0.reward."""
    return ".".join(str(part)[:LONGEST_PLACE].encode("ascii", "backslashreplace").decode() for part in place)
