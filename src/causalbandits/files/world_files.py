"""Worlds from problem files: a file that gives the probabilities of its variables is a world as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import InputError
from ..graph import Graph, Variable
from ..mechanisms import Node, linear
from ..world import World
from . import Setup, read
from .toml.distributions import Rows, Weights
from .toml.source import Source


def world_of(said: str | Path | Setup) -> World:
    """The world of a problem file, or of what was read from one; its graph and reward are those of the file's problem."""
    setup = said if isinstance(said, Setup) else read(said)
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


def _node(source: Source, graph: Graph, variable: Variable, said: Rows | Weights) -> Node:
    """The variable with its mechanism, each row checked for itself, so that a mistake is told with its key."""
    if isinstance(said, Weights):
        with source.at("variables", variable.name):
            node = linear(
                variable.name, said.weights, noise=said.noise, intercept=said.intercept, parents=variable.parents
            )
        return replace(node, variable=variable)
    for at, row in said.rows.items():
        with source.at(*said.keys[at]):
            Node(variable, (), {(): row}).mechanism([])
    node = Node(variable, said.given, said.rows)
    with source.at("variables", variable.name, *(["table"] if said.given else [])):
        node.mechanism([graph[cause] for cause in said.given])
    return node
