"""An intervention do(X=x, ...): the variables that are set, and their values. The empty one is the observation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import InputError, shown


class Intervention(Mapping[str, str]):
    """An immutable assignment of values to variables. The order of the variables does not matter."""

    __slots__ = ("_assigned", "_hash")

    def __init__(self, assigned: Mapping[str, Any] | None = None) -> None:
        if assigned is not None and not isinstance(assigned, Mapping):
            raise InputError(f'An intervention assigns values to variables, as in {{"X": 1}}, not {shown(assigned)}.')
        items = {str(name): str(value) for name, value in (assigned or {}).items()}
        self._assigned = dict(sorted(items.items()))
        self._hash = hash(tuple(self._assigned.items()))

    @classmethod
    def of(cls, given: str | Mapping[str, Any]) -> Intervention:
        """The intervention that is given as text "do(X=1, Z=high)", as a mapping {"X": 1}, or as an Intervention."""
        if isinstance(given, Intervention):
            return given
        if isinstance(given, Mapping):
            return cls(given)
        match = re.fullmatch(r"\s*do\((.*)\)\s*", str(given), flags=re.DOTALL)
        if match is None:
            raise InputError(f'An intervention is written "do(X=1)" or {{"X": 1}}, not {given!r}.')
        assigned: dict[str, str] = {}
        for part in filter(str.strip, match[1].split(",")):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not (name and equals and value):
                raise InputError(f'{given!r} is not an intervention: {part.strip()!r} should read "variable=value".')
            if name in assigned:
                raise InputError(f"{given!r} sets {name} twice; name each variable once.")
            assigned[name] = value
        return cls(assigned)

    def __getitem__(self, name: str) -> str:
        return self._assigned[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._assigned)

    def __len__(self) -> int:
        return len(self._assigned)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Intervention):
            return self._assigned == other._assigned
        return isinstance(other, Mapping) and self._assigned == dict(other)  # a plain {"X": "1"} is equal too

    def __str__(self) -> str:
        return "do(" + ", ".join(f"{name}={value}" for name, value in self.items()) + ")"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return Intervention, (self._assigned,)


OBSERVATION = Intervention()
