"""Small graphs, written as text."""

from __future__ import annotations

import causalbandits as cb


def graph_of(text: str, hidden: str = "") -> cb.Graph:
    """The graph with these edges, such as "X->Y Z->Y". Variables come in the order of the text, all with two values."""
    pairs = [edge.split("->") for edge in text.split()]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return cb.Graph(
        tuple(
            cb.Variable(name, ("0", "1"), tuple(a for a, b in pairs if b == name), hidden=name in hidden.split())
            for name in names
        )
    )


def problem_of(text: str, hidden: str = "", **options: object) -> cb.Problem:
    """A problem with the reward Y."""
    return cb.Problem(graph_of(text, hidden), "Y", success="1", **{"horizon": 50, **options})  # type: ignore[arg-type]
