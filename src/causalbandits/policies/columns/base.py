"""The kind of tally that a policy reads, as an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...intervention import Intervention
from ...problem import Problem

NO_ARM = -1  # for `tell`: the rounds were logged under an intervention that is no arm, and only the columns count

_KNOWN: dict[str, Columns] = {}


class Columns:
    """One kind of tally. A new kind is one file with a subclass and one instance of it.

    The engine compiles `add` and `clear`; a live experiment calls them as they are. So they use only indexing,
    arithmetic, and helpers marked `shared`.
    """

    name: str
    # Faster ways to draw rounds, which the engine has for some kinds. Others are drawn and counted round by round.
    in_bulk = False  # settled blocks are drawn many rounds at a time
    counts_arms = False  # the observation is counted for every arm
    counts_factors = False  # blocks are counted in tables of several variables, as in factors.py
    by_parents = False  # the configuration of the reward's parents is drawn first, and then the reward
    # What may be told in a live experiment
    may_leave_out = False  # a round may leave out variables that it needs, and then counts for less
    takes_others = False  # logged rounds under any intervention are counted, also if it is no arm

    def __init__(self) -> None:
        known = _KNOWN.setdefault(self.name, self)
        if type(known).__qualname__ != type(self).__qualname__:
            raise InputError(
                f"There already is a kind of tally {self.name!r}; give {type(self).__name__} another name."
            )
        _KNOWN[self.name] = self

    def __repr__(self) -> str:
        return f"<columns {self.name}>"

    def check(self, problem: Problem, policy: str) -> None:
        """Refuse a problem whose rounds cannot be counted this way."""

    def needs(self, problem: Problem, arm: int) -> tuple[str, ...]:
        """The variables, apart from the reward, that a round of this arm must show."""
        return ()

    def tally(self, problem: Problem) -> Any:
        """A tally of no rounds."""
        raise NotImplementedError

    def layout(self, problem: Problem, position: Mapping[str, int]) -> tuple[Any, ...]:
        """The numbers that `add` needs to find its columns; `position` is the place of a variable in `values`."""
        return ()

    def layout_of_other(
        self, problem: Problem, position: Mapping[str, int], intervention: Intervention
    ) -> tuple[Any, ...]:
        """The layout for rounds of an intervention that is no arm, where `takes_others`. `add` takes them as arm 0."""
        raise NotImplementedError

    def watched(self, problem: Problem) -> NDArray[np.bool_]:
        """For every arm, whether observations are counted for it, where `counts_arms`."""
        return problem.teaches

    def tabled(self, problem: Problem) -> tuple[str, ...]:
        """The variables in tables of several variables, where `counts_factors`."""
        return ()

    def most_rows(self, problem: Problem) -> int:
        """The rows of the largest of these tables."""
        return 0

    @staticmethod
    def clear(tally: Any) -> None:
        """Set all columns of a tally to 0. The driver sets `rounds` and `reward`."""
        raise NotImplementedError

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        """Count one round of an arm in the columns.

        `values[i]` is the number of the value that the variable at place i has.
        """
        raise NotImplementedError


def columns_named(name: Any) -> Columns:
    """The kind of tally with this name; an object is returned as it is."""
    if isinstance(name, Columns):
        return name
    if name not in _KNOWN:
        raise InputError(
            f"A policy must say what it reads of a tally: reads = one of {', '.join(_KNOWN)}, not {name!r}."
        )
    return _KNOWN[name]
