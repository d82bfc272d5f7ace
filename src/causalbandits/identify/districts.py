"""Districts: visible variables that hidden causes connect (confounded components)."""

from __future__ import annotations

from collections.abc import Set

from .projection import Projection


def district(projection: Projection, name: str, within: Set[str]) -> frozenset[str]:
    """The variables that hidden causes connect with one variable inside `within`. It is one of them itself."""
    found = {name}
    waiting = [name]
    while waiting:
        new = (projection.siblings[waiting.pop()] & within) - found
        found |= new
        waiting += new
    return frozenset(found)


def districts(projection: Projection, within: Set[str]) -> tuple[frozenset[str], ...]:
    """All districts inside `within`. Each variable is in one of them."""
    found: list[frozenset[str]] = []
    for name in projection.sorted(within):
        if not any(name in known for known in found):
            found.append(district(projection, name, within))
    return tuple(found)
