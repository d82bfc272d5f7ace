"""How a variable comes about: a probability table, or a real number that is linear in its causes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .graph import Variable

EXACT = 1e-15  # rounding alone: such a row is kept to the last bit, so that a saved world is the same world
SUM_TOLERANCE = (
    1e-9  # how far a row of probabilities may be from 1 (tables typed by hand; rows are then scaled to sum to 1)
)


@dataclass(frozen=True)
class Table:
    """P(variable | given): one axis per variable of `given`, the last for the variable itself."""

    given: tuple[str, ...]
    probabilities: NDArray[np.float64] = field(compare=False)


@dataclass(frozen=True)
class Linear:
    """intercept + sum of weight * value + Gaussian noise; named values of the causes must be numbers."""

    weights: Mapping[str, float]
    noise: float
    intercept: float = 0.0

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(self.weights)


@dataclass(frozen=True)
class Node:
    """A variable with its mechanism, before the world puts names to its table's rows."""

    variable: Variable
    given: tuple[str, ...]
    said: Any  # the table as the user wrote it, or a Linear

    def mechanism(self, causes: Sequence[Variable]) -> Table | Linear:
        """The mechanism, checked: every row there, every row a distribution."""
        if isinstance(self.said, Linear):
            return self.said
        shape = tuple(len(cause.values) for cause in causes)
        if isinstance(self.said, np.ndarray):
            if self.said.shape != (*shape, len(self.variable.values)):
                raise InputError(
                    f"The table of {self.variable.name} has shape {self.said.shape}; it needs {(*shape, len(self.variable.values))}."
                )
            rows = {at: self.said[at] for at in np.ndindex(shape)}
        else:
            rows = _rows(self.variable.name, self.said, causes)
        table = np.empty((*shape, len(self.variable.values)))
        for at in np.ndindex(shape):
            where = ", ".join(f"{cause.name}={cause.values[i]}" for cause, i in zip(causes, at, strict=True))
            if at not in rows:
                raise InputError(f"The table of {self.variable.name} has no row for {where}; add it.")
            table[at] = _distribution(self.variable, rows[at], where)
        table.flags.writeable = False  # what is worked out from a world is kept
        return Table(self.given, table)


def node(
    name: str,
    values: Sequence[Any] | Mapping[Any, float],
    *,
    given: str | Sequence[str] = (),
    table: Any = None,
    parents: str | Sequence[str] | None = None,
    hidden: bool = False,
    intervenable: bool = True,
) -> Node:
    """A variable with named values and its probabilities.

    Without causes: `node("Image", {"small": 0.6, "large": 0.4})`. With causes, a row per configuration of `given`:
    `node("Cart", ["no", "yes"], given="Image", table={"small": 0.2, "large": 0.5})`. A row is a mapping from value to probability, a
    list in the order of `values` or, for two values, the probability of the second. The keys of several causes are tuples.
    `parents` are the causes in the graph, when the table depends on only some of them.
    """
    given = (given,) if isinstance(given, str) else tuple(given)
    parents = (parents,) if isinstance(parents, str) else parents
    if isinstance(values, Mapping):
        if table is not None or given:
            raise InputError(f"Variable {name} has probabilities with its values and a table too; give one of the two.")
        table = {(): dict(values)}
    elif table is None:
        raise InputError(f"Variable {name} has no probabilities; give table=, or values with their probabilities.")
    if parents is not None and not set(given) <= set(parents):
        raise InputError(
            f"The table of {name} depends on {sorted(set(given) - set(parents))}, not among its parents; add them to parents=."
        )
    variable = Variable(
        name, tuple(str(value) for value in values), given if parents is None else tuple(parents), hidden, intervenable
    )
    if not variable.values:
        raise InputError(f"Variable {name} has no values; name at least two.")
    return Node(variable, given, table)


def linear(
    name: str,
    weights: Mapping[str, float],
    *,
    noise: float,
    intercept: float = 0.0,
    parents: str | Sequence[str] | None = None,
) -> Node:
    """A real variable: intercept + sum of weight * cause + a normal with standard deviation `noise`."""
    try:
        numbers = {str(cause): float(weight) for cause, weight in weights.items()}
        noise, intercept = float(noise), float(intercept)
    except (TypeError, ValueError, AttributeError):
        raise InputError(
            f"{name} is linear: give a number for each cause, as in {{'X': 0.5}}, and numbers for noise and intercept."
        ) from None
    if not (
        math.isfinite(noise) and noise >= 0 and math.isfinite(intercept) and all(map(math.isfinite, numbers.values()))
    ):
        raise InputError(f"The weights, intercept and noise of {name} must be finite numbers, the noise not negative.")
    if not numbers:
        raise InputError(f"{name} is linear in nothing; name at least one cause with its weight.")
    given = tuple(numbers)
    parents = (parents,) if isinstance(parents, str) else parents
    if parents is not None and not set(given) <= set(parents):
        raise InputError(
            f"{name} depends on {sorted(set(given) - set(parents))}, not among its parents; add them to parents=."
        )
    variable = Variable(name, (), given if parents is None else tuple(parents), intervenable=False)
    return Node(variable, given, Linear(numbers, noise, intercept))


def _rows(name: str, said: Any, causes: Sequence[Variable]) -> dict[tuple[int, ...], Any]:
    """The rows by position: keys are a value (one cause) or a tuple of values."""
    if not causes and not (isinstance(said, Mapping) and () in said):
        said = {(): said}
    if not isinstance(said, Mapping):
        raise InputError(
            f"The table of {name} must map each configuration of {[c.name for c in causes]} to its probabilities."
        )
    rows: dict[tuple[int, ...], Any] = {}
    for key, row in said.items():
        values = key if isinstance(key, tuple) else (key,)
        if len(values) != len(causes):
            raise InputError(
                f"The table of {name} has the row {key!r}; a row names a value for each of {[c.name for c in causes]}."
            )
        at = tuple(cause.index(value) for cause, value in zip(causes, values, strict=True))
        if at in rows:
            raise InputError(f"The table of {name} has two rows for {key!r}; keep one.")
        rows[at] = row
    return rows


def _distribution(variable: Variable, said: Any, where: str) -> NDArray[np.float64]:
    """One row as probabilities in the order of the values."""
    row_name = f"row {where} of the table of {variable.name}" if where else f"distribution of {variable.name}"
    values = variable.values
    if isinstance(said, Mapping):
        by_index = {variable.index(value): p for value, p in said.items()}
        missing = [value for i, value in enumerate(values) if i not in by_index]
        if missing:
            raise InputError(f"The {row_name} leaves out {missing}; give every value a probability.")
        said = [by_index[i] for i in range(len(values))]
    elif np.ndim(said) == 0:
        if len(values) != 2:
            raise InputError(
                f"The {row_name} is a single number, but {variable.name} has {len(values)} values; give one probability each."
            )
        said = [1 - said, said] if isinstance(said, int | float | np.number) else said
    try:
        row = np.asarray(list(said), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The {row_name} must be numbers, not {said!r}.") from None
    if row.shape != (len(values),):
        raise InputError(f"The {row_name} has {row.size} probabilities for {len(values)} values; give one each.")
    if not (np.isfinite(row).all() and (row >= 0).all()):
        raise InputError(f"The {row_name} has a probability that is negative or not a number: {row.tolist()}.")
    total = float(row.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        raise InputError(f"The {row_name} sums to {total:.6g}; probabilities must sum to 1.")
    return row if abs(total - 1) <= EXACT else row / total
