"""The probabilities in a problem file, as they are written there. world_files.py makes a world of them.

Either every variable has probabilities, or none has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, unknown
from ...graph import Graph, Variable
from ...intervention import Intervention
from ...problem import LARGEST_PARENT_TABLE
from .document import Document, VariableSection
from .source import Key, Source

Floats = NDArray[np.float64]
Row = float | Sequence[float] | Mapping[str, float]
OF_A_REAL = ("weights", "noise", "intercept")  # the keys of a real variable
PROBABILITIES = ("given", "probabilities", "table", *OF_A_REAL)  # the keys that make a variable part of a world


@dataclass(frozen=True)
class Rows:
    """The probabilities of a variable: a row for each configuration of `given`, and the key of that row in the file."""

    given: tuple[str, ...]
    rows: Mapping[tuple[str, ...], Row]
    keys: Mapping[tuple[str, ...], Key] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Weights:
    """A real variable: intercept + sum of weight * value + Gaussian noise."""

    weights: Mapping[str, float]
    noise: float
    intercept: float


Distributions = Mapping[str, Rows | Weights]  # by variable


def distributions_of(source: Source, document: Document, graph: Graph) -> Distributions | None:
    """The probabilities of all variables, or None if no variable has any."""
    if not any(getattr(variable, key) is not None for variable in document.variables.values() for key in PROBABILITIES):
        return None
    return {name: _distribution(source, graph, graph[name], section) for name, section in document.variables.items()}


def _distribution(source: Source, graph: Graph, variable: Variable, section: VariableSection) -> Rows | Weights:
    """The probabilities of one variable. An error names the key that is wrong or missing."""
    here: Key = ("variables", variable.name)
    given = variable.parents if section.given is None else section.given
    wanted = "table" if given else "probabilities"
    allowed = (wanted,) if variable.values else OF_A_REAL
    for key in PROBABILITIES[1:]:
        if getattr(section, key) is not None and key not in allowed:
            raise source.mistake((*here, key), _other_key(variable, given))
    if getattr(section, allowed[0]) is None:
        raise source.mistake(
            here,
            f"{variable.name} has no {allowed[0]}, but other variables have; "
            f"{_to_add(variable, given)}, or leave them out everywhere.",
        )
    for cause in section.weights or given:
        if cause not in variable.parents:
            raise source.mistake(
                (*here, "given" if section.given is not None else "weights"),
                f"{variable.name} depends on {cause!r}, which is not among its parents; add it to parents.",
            )
    if section.weights is not None:
        if section.noise is None:
            raise source.mistake(
                here,
                f"{variable.name} has weights and no noise; add noise = 0.1 (its standard deviation), or noise = 0.",
            )
        return Weights(section.weights, section.noise, section.intercept or 0.0)
    if section.probabilities is not None:
        return Rows((), {(): section.probabilities}, {(): (*here, "probabilities")})
    return _rows(source, (*here, "table"), [graph[cause] for cause in given], section.table or {})


def _rows(source: Source, here: Key, causes: Sequence[Variable], table: Mapping[str, Row]) -> Rows:
    """The rows of a table by the configuration of the causes."""
    rows: dict[tuple[str, ...], Row] = {}
    keys: dict[tuple[str, ...], Key] = {}
    for key, row in table.items():
        with source.at(*here, key):
            at = tuple(cause.values[i] for cause, i in zip(causes, _configuration(key, causes), strict=True))
            if at in rows:
                raise InputError("This row is listed twice; keep one.")
        rows[at], keys[at] = row, (*here, key)
    return Rows(tuple(cause.name for cause in causes), rows, keys)


def _other_key(variable: Variable, given: Sequence[str]) -> str:
    """The sentence about a key that does not fit the variable."""
    if not variable.values:
        return (
            f"{variable.name} is a real number, which has no table of probabilities; give weights, noise and intercept."
        )
    if given:
        return (
            f"{variable.name} depends on {', '.join(given)}; "
            f"give a row for each of their configurations in [variables.{variable.name}.table]."
        )
    return (
        f"{variable.name} has no causes; give probabilities = [...], one for each of its values, or name its parents."
    )


def _to_add(variable: Variable, given: Sequence[str]) -> str:
    """What the file should add for a variable without probabilities."""
    if not variable.values:
        return "add weights = { ... } and noise = ..."
    return f"add a section [variables.{variable.name}.table]" if given else "add probabilities = [...]"


def _configuration(key: str, causes: Sequence[Variable]) -> tuple[int, ...]:
    """The positions of the values in a key such as "small, no", in the order of the causes."""
    parts = [part.strip() for part in key.split(",")]
    if len(parts) != len(causes):
        raise InputError(
            f"A key here names a value for each of {_listed(causes)}, with commas between them; "
            f"this one names {len(parts)}."
        )
    return tuple(cause.index(part) for cause, part in zip(causes, parts, strict=True))


def reward_parents(
    source: Source, rows: Mapping[str, Row], graph: Graph, reward: str, arms: Sequence[Intervention]
) -> Floats:
    """P(parents of the reward | do(arm)), (arms, configurations), from rows whose keys are the texts of the arms."""
    here = "reward_parents"
    causes = [graph[name] for name in graph[reward].parents]
    size = math.prod(len(cause.values) for cause in causes)
    if not causes or not 0 < size <= LARGEST_PARENT_TABLE:
        raise source.mistake(
            (here,), f"The parents of {reward} have no distribution that can be listed; leave this section out."
        )
    found: dict[Intervention, Floats] = {}
    for text, row in rows.items():
        with source.at(here, text):
            arm = Intervention.of(text)
            if arm not in arms:
                raise unknown("arm", arm, arms)
            if arm in found:
                raise InputError(f"The arm {arm} is listed twice; keep one.")
            found[arm] = _by_configuration(source, (here, text), row, causes)
    missing = [arm for arm in arms if arm not in found]
    if missing:
        raise source.mistake((here,), f"There is no row for the arm {missing[0]}; give one for each arm.")
    return np.array([found[arm] for arm in arms])


def _by_configuration(source: Source, here: Key, row: Row, causes: Sequence[Variable]) -> Floats:
    """One row in the order of the configurations. The last cause changes fastest."""
    shape = tuple(len(cause.values) for cause in causes)
    if not isinstance(row, Mapping):
        listed = np.atleast_1d(np.asarray(row, dtype=np.float64))
        if len(listed) != math.prod(shape):
            raise InputError(
                f"There must be {math.prod(shape)} probabilities, one for each configuration of {_listed(causes)}, "
                f"not {len(listed)}."
            )
        return listed
    table = {}
    for key, probability in row.items():
        with source.at(*here, key):
            table[_configuration(key, causes)] = probability
    for at in np.ndindex(shape):
        if at not in table:
            where = ", ".join(cause.values[i] for cause, i in zip(causes, at, strict=True))
            raise InputError(
                f'There is no probability for "{where}"; give one for each configuration of {_listed(causes)}.'
            )
    return np.array([table[at] for at in np.ndindex(shape)])


def _listed(causes: Sequence[Variable]) -> str:
    return ", ".join(cause.name for cause in causes)
