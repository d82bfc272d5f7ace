"""Latent projection: what a graph with hidden variables says about the visible ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from ..graph import Graph


@dataclass(frozen=True)
class HiddenCause:
    """A hidden variable that reaches several visible ones. Each path goes through hidden variables only."""

    name: str
    paths: tuple[tuple[str, ...], ...]  # each begins with the hidden cause, and ends with a visible variable


@dataclass(frozen=True)
class Projection:
    """The visible variables of a graph: which causes which, and which have a hidden cause in common.

    A visible variable is a parent of another if a directed path leads there through hidden variables only.
    """

    order: tuple[str, ...]  # the visible variables, causes before effects
    parents: tuple[tuple[str, ...], ...]  # of each of them
    hidden: tuple[HiddenCause, ...]

    @cached_property
    def parents_of(self) -> dict[str, tuple[str, ...]]:
        """The visible parents of every variable, in the order of the graph."""
        return dict(zip(self.order, self.parents, strict=True))

    @cached_property
    def siblings(self) -> dict[str, frozenset[str]]:
        """For every variable those that have a hidden cause in common with it (its bidirected edges)."""
        found: dict[str, set[str]] = {name: set() for name in self.order}
        for cause in self.hidden:
            reached = {path[-1] for path in cause.paths}
            for name in reached:
                found[name] |= reached - {name}
        return {name: frozenset(others) for name, others in found.items()}

    def sorted(self, names: Collection[str]) -> tuple[str, ...]:
        """The names with causes before effects."""
        return tuple(name for name in self.order if name in names)

    def ancestors(self, names: Iterable[str], cut: Collection[str] = ()) -> frozenset[str]:
        """The variables and all their causes, in the graph without the variables in `cut`."""
        found = set(names) - set(cut)
        waiting = list(found)
        while waiting:
            new = [cause for cause in self.parents_of[waiting.pop()] if cause not in found and cause not in cut]
            found.update(new)
            waiting += new
        return frozenset(found)

    def hidden_path(self, one: str, other: str) -> str | None:
        """The shortest path between two variables through a hidden cause, such as "X <- U -> Y", or None."""
        paths = []
        for cause in self.hidden:
            ends = {path[-1]: path for path in cause.paths}
            if one != other and one in ends and other in ends:
                paths.append((ends[one], ends[other]))
        if not paths:
            return None
        climb, descent = min(paths, key=lambda path: (len(path[0]) + len(path[1]), path))
        return " <- ".join(climb[::-1]) + "".join(f" -> {name}" for name in descent[1:])


def project(graph: Graph) -> Projection:
    """The latent projection of a graph onto its visible variables."""
    order = tuple(name for name in graph.order if not graph[name].hidden)
    place = {name: i for i, name in enumerate(graph.order)}
    causes: dict[str, set[str]] = {}  # of every variable, hidden ones included
    for name in graph.order:
        causes[name] = set()
        for parent in graph[name].parents:
            causes[name] |= causes[parent] if graph[parent].hidden else {parent}
    parents = tuple(tuple(sorted(causes[name], key=place.__getitem__)) for name in order)
    return Projection(order, parents, _hidden_causes(graph))


def _hidden_causes(graph: Graph) -> tuple[HiddenCause, ...]:
    """The hidden variables that reach at least two visible ones, with a shortest path to each of these."""
    reached: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in graph.order}  # from every hidden variable
    for name in reversed(graph.order):
        own = {name: (name,)} if not graph[name].hidden else reached[name]
        for parent in graph[name].parents:
            if graph[parent].hidden:
                for end, path in own.items():
                    known = reached[parent].get(end)
                    if known is None or len(path) + 1 < len(known):
                        reached[parent][end] = (parent, *path)
    return tuple(
        HiddenCause(name, tuple(paths[end] for end in graph.order if end in paths))
        for name, paths in reached.items()
        if len(paths) > 1
    )
