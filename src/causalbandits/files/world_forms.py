"""Worlds as plain JSON values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanisms import Linear, Node
from ..world import World
from .forms import variable_from, variable_to


def world_to(world: World) -> dict[str, Any]:
    nodes = []
    for variable in world.graph.variables:
        mechanism = world.mechanisms[variable.name]
        saved = {**variable_to(variable), "given": list(mechanism.given)}
        if isinstance(mechanism, Linear):
            saved["linear"] = {
                "weights": dict(mechanism.weights),
                "noise": mechanism.noise,
                "intercept": mechanism.intercept,
            }
        else:
            saved["table"] = mechanism.probabilities.tolist()
        nodes.append(saved)
    reward = world.reward
    bounds = [reward.low, reward.high] if reward.kind == "bounded" else None
    return {
        "nodes": nodes,
        "reward": reward.variable,
        "success": reward.success,
        "bounds": bounds,
        "reference": world.reference,
    }


def world_from(saved: dict[str, Any]) -> World:
    nodes = []
    for item in saved["nodes"]:
        said = Linear(**item["linear"]) if "linear" in item else np.array(item["table"])
        nodes.append(Node(variable_from(item), tuple(item["given"]), said))
    bounds = None if saved["bounds"] is None else tuple(saved["bounds"])
    return World(nodes, reward=saved["reward"], success=saved["success"], bounds=bounds, reference=saved["reference"])
