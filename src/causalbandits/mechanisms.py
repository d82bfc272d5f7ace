"""The mechanism of a variable: a table of probabilities, or a real number that is linear in its causes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, as_list, check_kind, names_of, shown
from .graph import Variable

# The sum of a row may differ from 1 by this much, because tables are typed by hand. The row is then scaled.
SUM_TOLERANCE = 1e-9
# A row with a sum this close to 1 is kept to the last bit, so that a saved world is the same world after loading.
EXACT = 1e-15


@dataclass(frozen=True)
class Table:
    """P(variable | given): one axis for each variable of `given`, and a last one for the variable itself."""

    given: tuple[str, ...]
    probabilities: NDArray[np.float64] = field(compare=False)


@dataclass(frozen=True)
class Linear:
    """intercept + sum of weight * value + Gaussian noise. The named values of the causes must be numbers."""

    weights: Mapping[str, float]
    noise: float
    intercept: float = 0.0

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(self.weights)


@dataclass(frozen=True)
class Node:
    """A variable with its mechanism as the user wrote it. `World` checks it, because that needs the causes."""

    variable: Variable
    given: tuple[str, ...]
    unchecked: Any  # the table as the user wrote it, or a Linear

    def mechanism(self, causes: Sequence[Variable]) -> Table | Linear:
        """The checked mechanism: no row is missing, and every row is a distribution."""
        if isinstance(self.unchecked, Linear):
            return self.unchecked
        shape = tuple(len(cause.values) for cause in causes)
        if isinstance(self.unchecked, np.ndarray) or (causes and isinstance(self.unchecked, list | tuple)):
            array = _array(self.variable, self.unchecked, shape)
            rows = {at: array[at] for at in np.ndindex(shape)}
        else:
            rows = _rows(self.variable.name, self.unchecked, causes)
        table = np.empty((*shape, len(self.variable.values)))
        for at in np.ndindex(shape):
            where = ", ".join(f"{cause.name}={cause.values[i]}" for cause, i in zip(causes, at, strict=True))
            if at not in rows:
                raise InputError(f"The table of {self.variable.name} has no row for {where}; add it.")
            table[at] = _distribution(self.variable, rows[at], where)
        table.flags.writeable = False  # results computed from a world are cached
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

    Without causes: `node("Image", {"small": 0.6, "large": 0.4})`. With causes, give one row per configuration of them:
    `node("Cart", ["no", "yes"], given="Image", table={"small": 0.2, "large": 0.5})`. With several causes the keys are
    tuples. A row is a mapping from value to probability, or a list in the order of `values`. For two values it can be
    the probability of the second. The table can also be an array, or lists in lists, with one axis for each cause.
    Name `parents` if the graph has causes on which the table does not depend.
    """
    check_kind("The name of a variable", name, str, 'a text such as "X"')
    given = tuple(names_of(f"The causes of {name} in given=", given))
    parents = None if parents is None else names_of(f"The parents of {name}", parents)
    if not isinstance(values, Mapping):
        values = as_list(f"The values of {name}", values, '["no", "yes"], or values with their probabilities')
    if isinstance(values, Mapping):
        if table is not None or given:
            raise InputError(
                f"Variable {name} has both probabilities with its values and a table; give one of the two."
            )
        table = {(): dict(values)}
    elif table is None:
        raise InputError(f"Variable {name} has no probabilities; give table=, or values with their probabilities.")
    if parents is not None and not set(given) <= set(parents):
        raise InputError(
            f"The table of {name} depends on {sorted(set(given) - set(parents))}, which are not among its parents; "
            "add them to parents=."
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
    """A real variable: intercept + sum of weight * cause + Gaussian noise with standard deviation `noise`."""
    check_kind("The name of a variable", name, str, 'a text such as "Y"')
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
        raise InputError(f"{name} has no causes; name at least one cause with its weight.")
    given = tuple(numbers)
    parents = None if parents is None else names_of(f"The parents of {name}", parents)
    if parents is not None and not set(given) <= set(parents):
        raise InputError(
            f"{name} depends on {sorted(set(given) - set(parents))}, which are not among its parents; "
            "add them to parents=."
        )
    variable = Variable(name, (), given if parents is None else tuple(parents), intervenable=False)
    return Node(variable, given, Linear(numbers, noise, intercept))


def _array(variable: Variable, table: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A table that is given as an array or as lists. With two values, the probability of the second is enough."""
    try:
        array = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"The table of {variable.name} must be numbers, and its rows must have the same length, not {shown(table)}."
        ) from None
    if array.shape == shape and len(variable.values) == 2 and shape:
        return np.stack([1 - array, array], axis=-1)
    needed = (*shape, len(variable.values))
    if array.shape != needed:
        raise InputError(f"The table of {variable.name} has shape {array.shape}; it needs {needed}.")
    return array


def _rows(name: str, table: Any, causes: Sequence[Variable]) -> dict[tuple[int, ...], Any]:
    """The rows by position. The key of a row is a value (one cause) or a tuple of values."""
    if not causes and not (isinstance(table, Mapping) and () in table):
        table = {(): table}
    if not isinstance(table, Mapping):
        raise InputError(
            f"The table of {name} must map each configuration of {[c.name for c in causes]} to its probabilities."
        )
    rows: dict[tuple[int, ...], Any] = {}
    for key, row in table.items():
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


def _distribution(variable: Variable, given: Any, where: str) -> NDArray[np.float64]:
    """One row of a table as probabilities in the order of the values."""
    row_name = f"row {where} of the table of {variable.name}" if where else f"distribution of {variable.name}"
    values = variable.values
    if isinstance(given, Mapping):
        by_index = {variable.index(value): p for value, p in given.items()}
        missing = [value for i, value in enumerate(values) if i not in by_index]
        if missing:
            raise InputError(f"The {row_name} leaves out {missing}; give every value a probability.")
        given = [by_index[i] for i in range(len(values))]
    elif np.ndim(given) == 0:
        if len(values) != 2:
            raise InputError(
                f"The {row_name} is a single number, but {variable.name} has {len(values)} values; "
                "give one probability each."
            )
        given = [1 - given, given] if isinstance(given, int | float | np.number) else given
    try:
        row = np.asarray(list(given), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The {row_name} must be numbers, not {given!r}.") from None
    if row.shape != (len(values),):
        raise InputError(f"The {row_name} has {row.size} probabilities for {len(values)} values; give one each.")
    if not (np.isfinite(row).all() and (row >= 0).all()):
        raise InputError(f"The {row_name} has a probability that is negative or not a number: {row.tolist()}.")
    total = float(row.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        raise InputError(f"The {row_name} sums to {total:.6g}; probabilities must sum to 1.")
    return row if abs(total - 1) <= EXACT else row / total
