"""What a problem file may say: its keys and the kinds of their values, checked one by one and answered in our words."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from ...errors import InputError, unknown
from ...lease import SENTENCE, is_lease
from ...problem import Objective, checked_objective
from .source import Key, Source, quoted, read_toml

try:
    from pydantic import BaseModel, ConfigDict, Discriminator, PlainValidator, Tag, ValidationError
    from pydantic_core import ErrorDetails, PydanticCustomError
except ImportError:
    raise InputError("Problem files need pydantic; install causalbandits[live].") from None

LEFT_OUT = "<"  # tags of alternatives begin with it, so that they can be left out of a key

LONGEST_SHOWN = 40


def _wrong(sentence: str) -> PydanticCustomError:
    return PydanticCustomError("ours", "{sentence}", {"sentence": sentence})


def _amount(said: Any) -> int | Decimal:
    if isinstance(said, bool) or not isinstance(said, int | Decimal):
        raise _wrong(f"This must be a number, not {shown(said)}{_unquote(said)}.")
    return said


def _number(said: Any) -> float:
    try:
        return float(_amount(said))
    except OverflowError:
        raise _wrong("This number is too large.") from None


def _whole(said: Any) -> int:
    if isinstance(said, bool) or not isinstance(said, int):
        raise _wrong(f"This must be a whole number, not {shown(said)}{_unquote(said)}.")
    return said


def _seed(said: Any) -> int:
    if _whole(said) < 0:
        raise _wrong(f"The seed must be a whole number, at least 0, not {said}.")
    return int(said)


def _lease(said: Any) -> float:
    seconds = _number(said)
    if not is_lease(seconds):
        raise _wrong(f"{SENTENCE}, not {shown(said)}.")
    return seconds


def _value(said: Any) -> str:
    if isinstance(said, bool):
        return str(said).lower()  # as TOML writes it
    if not isinstance(said, str | int | Decimal):
        raise _wrong(f"A value must be text or a number, not {shown(said)}.")
    return str(said)


def _values(said: Any) -> tuple[str, ...]:
    """The named values; none for "real"."""
    if said == "real":
        return ()
    if not isinstance(said, list) or not said:
        raise _wrong(
            f'The values must be a list such as ["no", "yes"], or "real" for a reward that is a real number, not {shown(said)}.'
        )
    return tuple(_value(value) for value in said)


def _names(said: Any) -> tuple[str, ...]:
    listed = [said] if isinstance(said, str) else said
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise _wrong(f'This must be a list of names such as ["Season", "Image"], not {shown(said)}.')
    return tuple(listed)


def _objective(said: Any) -> Objective:
    try:
        return checked_objective(said)
    except InputError as error:
        raise _wrong(str(error)) from None


def _policy(said: Any) -> dict[str, Any]:
    if isinstance(said, str):
        return {"kind": said}
    if not isinstance(said, dict) or not isinstance(said.get("kind"), str):
        raise _wrong(f'A policy is written "crm-nb" or {{ kind = "crm-nb", exploration = 2 }}, not {shown(said)}.')
    return said


def _arm(said: Any) -> str | dict[str, str]:
    if isinstance(said, dict):
        return {name: _value(value) for name, value in said.items()}
    if not isinstance(said, str):
        raise _wrong(f'An arm is written "do(X=1)", {{ X = 1 }}, or "X" for every value of X, not {shown(said)}.')
    return said


def _form(said: Any) -> str:
    return "<table>" if isinstance(said, Mapping) else "<list>" if isinstance(said, list) else "<number>"


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
CostSaid = Annotated[
    Annotated[Amount, Tag("<number>")]
    | Annotated[list[Amount], Tag("<list>")]
    | Annotated[dict[str, Amount], Tag("<table>")],
    Discriminator(_form),
]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class VariableSaid(_Section):
    """One variable. With `probabilities` (no causes), `table` (a row per configuration of its causes) or `weights` it is part of a world."""

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
    budget: Amount | None = None
    horizon: Annotated[int, PlainValidator(_whole)] | None = None
    cost: CostSaid | None = None
    arms: list[Annotated[str | dict[str, str], PlainValidator(_arm)]] | None = None
    observe: bool = True
    strict: bool = False
    objective: Annotated[Objective, PlainValidator(_objective)] = "find"
    policy: Annotated[dict[str, Any], PlainValidator(_policy)] | None = None
    seed: Annotated[int, PlainValidator(_seed)] | None = None
    lease: Annotated[float, PlainValidator(_lease)] | None = None
    reward_parents: dict[str, Row] | None = None
    variables: dict[str, VariableSaid]


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
    """The file's values, each of the right kind; the first that is not is named with its line."""
    source, values = read_toml(path)
    try:
        return source, Document.model_validate(values)
    except ValidationError as error:
        raise _in_our_words(source, error.errors(include_url=False)[0]) from None


def _in_our_words(source: Source, error: ErrorDetails) -> InputError:
    key: Key = tuple(part for part in error["loc"] if not str(part).startswith(LEFT_OUT))
    kind, last = error["type"], str(key[-1])
    if kind == "missing":
        return source.mistake(key, f"The key {last} is missing; add {EXAMPLES[last]}.")
    if kind == "extra_forbidden":
        return source.mistake(key, _no_such_key(last, VariableSaid if len(key) > 1 else Document))
    if kind == "ours":
        return source.mistake(key, error["msg"])
    return source.mistake(key, f"{KINDS[kind]}, not {shown(error['input'])}.")


def _no_such_key(name: str, section: type[Document] | type[VariableSaid]) -> InputError:
    return (
        misplaced(name)
        if section is VariableSaid and is_at_the_top(name)
        else unknown("key", name, section.model_fields)
    )


def is_at_the_top(name: str) -> bool:
    """Whether a key belongs to the file as a whole."""
    return name in Document.model_fields


def misplaced(name: str) -> InputError:
    """The error for a key of the whole file inside a section, where TOML puts all that follows the section's header."""
    return InputError(f"{name} belongs to the whole file; move it to the top, above the first section in [ ].")


def shown(said: Any) -> str:
    """A value in a sentence, a long one shortened."""
    if isinstance(said, bool):
        return str(said).lower()
    if isinstance(said, list | dict):
        return ("an empty " if not said else "a ") + ("list" if isinstance(said, list) else "table")
    text = quoted(said) if isinstance(said, str) else str(said)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def _unquote(said: Any) -> Literal["", "; leave out the quotation marks"]:
    try:
        return "; leave out the quotation marks" if isinstance(said, str) and Decimal(said) is not None else ""
    except ArithmeticError:
        return ""
