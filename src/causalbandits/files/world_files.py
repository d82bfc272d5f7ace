"""Read a world from a problem file that gives the probabilities of its variables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..graph import Graph, Variable
from ..mechanisms import Node, linear
from ..world import World
from .problem_files import read_problem

if TYPE_CHECKING:
    from .toml.distributions import Rows, Weights
    from .toml.reading import Setup
    from .toml.source import Source


def read_world(path: str | Path) -> World:
    """Read the world of a problem file that gives the probabilities of its variables. It needs the extra [live]."""
    return world_of(read_problem(path))


def world_of(setup: Setup) -> World:
    """The world of a problem file that was read. Its graph and reward are those of the file's problem."""
    if setup.tables is None:
        raise InputError(
            f"{setup.source.file}: The file has no probabilities, so it is a problem and not a world; "
            "give every variable probabilities = [...], or a table with a row for each configuration of its parents."
        )
    graph, reward = setup.problem.graph, setup.problem.reward
    nodes = [_node(setup.source, graph, variable, setup.tables[variable.name]) for variable in graph.variables]
    bounds = (reward.low, reward.high) if reward.kind == "bounded" else None
    with setup.source.at():
        return World(nodes, reward=reward.variable, success=reward.success, bounds=bounds, reference=setup.reference)


def _node(source: Source, graph: Graph, variable: Variable, distribution: Rows | Weights) -> Node:
    """The variable with its mechanism. Each row is checked alone, so that an error names its key."""
    from .toml.distributions import Weights  # imported here because it needs pydantic

    if isinstance(distribution, Weights):
        with source.at("variables", variable.name):
            node = linear(
                variable.name,
                distribution.weights,
                noise=distribution.noise,
                intercept=distribution.intercept,
                parents=variable.parents,
            )
        return replace(node, variable=variable)
    for configuration, row in distribution.rows.items():
        with source.at(*distribution.keys[configuration]):
            Node(variable, (), {(): row}).mechanism([])
    node = Node(variable, distribution.given, distribution.rows)
    with source.at("variables", variable.name, *(["table"] if distribution.given else [])):
        node.mechanism([graph[cause] for cause in distribution.given])
    return node
