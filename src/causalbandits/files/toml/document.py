"""The keys of a problem file and the kinds of their values. Errors are reworded, with the key and its line."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from ...errors import InputError, missing_extra, unknown
from ...lease import SENTENCE, is_lease
from ...problem import Objective, checked_objective
from .habits import plain_number
from .source import Key, Source, quoted, read_toml

try:
    from pydantic import BaseModel, ConfigDict, Discriminator, PlainValidator, Tag, ValidationError
    from pydantic_core import ErrorDetails, PydanticCustomError
except ImportError:
    raise missing_extra("Problem files need", "pydantic", "live") from None

TAG = "<"  # the tags of alternatives begin with it; they are not part of a key in the file
LONGEST_SHOWN = 40  # characters of a value in an error message


def _wrong(sentence: str) -> PydanticCustomError:
    """An error with our own sentence."""
    return PydanticCustomError("ours", "{sentence}", {"sentence": sentence})


def _amount(value: Any) -> int | Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _wrong(f"This must be a number, not {shown(value)}{_unquote(value)}.")
    return value


def _number(value: Any) -> float:
    try:
        return float(_amount(value))
    except OverflowError:
        raise _wrong("This number is too large.") from None


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(f"This must be a whole number, not {shown(value)}{_unquote(value)}.")
    return value


def _seed(value: Any) -> int:
    if _whole(value) < 0:
        raise _wrong(f"The seed must be a whole number, at least 0, not {value}.")
    return int(value)


def _lease(value: Any) -> float:
    seconds = _number(value)
    if not is_lease(seconds):
        raise _wrong(f"{SENTENCE}, not {shown(value)}.")
    return seconds


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()  # as TOML writes it
    if not isinstance(value, str | int | Decimal):
        raise _wrong(f"A value must be text or a number, not {shown(value)}.")
    return str(value)


def _values(value: Any) -> tuple[str, ...]:
    """The named values, none for "real"."""
    if value == "real":
        return ()
    if not isinstance(value, list) or not value:
        raise _wrong(
            'The values must be a list such as ["no", "yes"], or "real" for a reward that is a real number, '
            f"not {shown(value)}."
        )
    return tuple(_value(entry) for entry in value)


def _names(value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise _wrong(f'This must be a list of names such as ["Season", "Image"], not {shown(value)}.')
    return tuple(listed)


def _objective(value: Any) -> Objective:
    try:
        return checked_objective(value)
    except InputError as error:
        raise _wrong(str(error)) from None


def _policy(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"kind": value}
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise _wrong(f'A policy is written "crm-nb" or {{ kind = "crm-nb", exploration = 2 }}, not {shown(value)}.')
    return value


def _arm(value: Any) -> str | dict[str, str]:
    if isinstance(value, dict):
        return {name: _value(setting) for name, setting in value.items()}
    if not isinstance(value, str):
        raise _wrong(f'An arm is written "do(X=1)", {{ X = 1 }}, or "X" for every value of X, not {shown(value)}.')
    return value


def _form(value: Any) -> str:
    """The tag of the alternative that a value is."""
    return "<table>" if isinstance(value, Mapping) else "<list>" if isinstance(value, list) else "<number>"


Amount = Annotated[int | Decimal, PlainValidator(_amount)]
Number = Annotated[float, PlainValidator(_number)]
Value = Annotated[str, PlainValidator(_value)]
Names = Annotated[tuple[str, ...], PlainValidator(_names)]
Row = Annotated[
    Annotated[Number, Tag("<number>")]
    | Annotated[list[Number], Tag("<list>")]
    | Annotated[dict[str, Number], Tag("<table>")],
    Discriminator(_form),
]
Cost = Annotated[
    Annotated[Amount, Tag("<number>")]
    | Annotated[list[Amount], Tag("<list>")]
    | Annotated[dict[str, Amount], Tag("<table>")],
    Discriminator(_form),
]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class VariableSection(_Section):
    """The section of a variable. A world needs its `probabilities`, or a `table` by its causes, or its `weights`."""

    values: Annotated[tuple[str, ...], PlainValidator(_values)]
    parents: Names | None = None
    hidden: bool = False
    intervenable: bool | None = None
    given: Names | None = None
    probabilities: Row | None = None
    table: dict[str, Row] | None = None
    weights: dict[str, Number] | None = None
    noise: Number | None = None
    intercept: Number | None = None


class Document(_Section):
    """The whole file."""

    name: str | None = None
    reference: str = ""
    reward: str
    success: Value | None = None
    bounds: list[Number] | None = None
    reward_scale: Number | None = None
    budget: Amount | None = None
    horizon: Annotated[int, PlainValidator(_whole)] | None = None
    cost: Cost | None = None
    arms: list[Annotated[str | dict[str, str], PlainValidator(_arm)]] | None = None
    observe: bool = True
    strict: bool = False
    keep_money: bool = False
    objective: Annotated[Objective, PlainValidator(_objective)] = "find"
    policy: Annotated[dict[str, Any], PlainValidator(_policy)] | None = None
    seed: Annotated[int, PlainValidator(_seed)] | None = None
    lease: Annotated[float, PlainValidator(_lease)] | None = None
    reward_parents: dict[str, Row] | None = None
    variables: dict[str, VariableSection]


EXAMPLES = {
    "reward": 'reward = "Purchase"',
    "variables": "a section [variables.Name] for each variable",
    "values": 'values = ["no", "yes"]',
}
KINDS: dict[str, str] = {
    "string_type": "This must be text in quotation marks",
    "bool_type": "This must be true or false",
    "list_type": "This must be a list, in [ ]",
    "dict_type": "This must be a section, or a table in { }",
    "model_type": "This must be a section, or a table in { }",
}


def read_document(path: str | Path) -> tuple[Source, Document]:
    """The values of the file. An error names the first value of a wrong kind, with its line."""
    source, values = read_toml(path)
    try:
        return source, Document.model_validate(values)
    except ValidationError as error:
        raise _reworded(source, error.errors(include_url=False)[0]) from None


def _reworded(source: Source, error: ErrorDetails) -> InputError:
    """An error of pydantic as one sentence with its place."""
    key: Key = tuple(part for part in error["loc"] if not str(part).startswith(TAG))
    kind, last = error["type"], str(key[-1])
    if kind == "missing":
        return source.mistake(key, f"The key {last} is missing; add {EXAMPLES[last]}.")
    if kind == "extra_forbidden":
        return source.mistake(key, _no_such_key(last, VariableSection if len(key) > 1 else Document))
    if kind == "ours":
        return source.mistake(key, error["msg"])
    return source.mistake(key, f"{KINDS[kind]}, not {shown(error['input'])}.")


def _no_such_key(name: str, section: type[Document] | type[VariableSection]) -> InputError:
    if section is VariableSection and is_at_the_top(name):
        return misplaced(name)
    return unknown("key", name, section.model_fields)


def is_at_the_top(name: str) -> bool:
    """Whether a key belongs to the file as a whole."""
    return name in Document.model_fields


def misplaced(name: str) -> InputError:
    """The error for a key of the whole file inside a section. In TOML everything below a header belongs to it."""
    return InputError(f"{name} belongs to the whole file; move it to the top, above the first section in [ ].")


def shown(value: Any) -> str:
    """A value as text for a sentence. A long one is shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return ("an empty " if not value else "a ") + ("list" if isinstance(value, list) else "table")
    text = quoted(value) if isinstance(value, str) else str(value)
    return shortened(text)


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def _unquote(value: Any) -> str:
    """The remedy for a number in quotation marks, as "50" or "$4,000"; nothing for other values."""
    number = plain_number(value) if isinstance(value, str) else None
    if number is None:
        return ""
    return "; leave out the quotation marks" if number == value.strip() else f"; write {shortened(number)}"
