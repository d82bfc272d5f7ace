"""Worlds as JSON values, and back. Kept apart from json_forms.py because live experiments import no world."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mechanisms import Linear, Node
from ..world import World
from .json_forms import variable_from_json, variable_to_json


def world_to_json(world: World) -> dict[str, Any]:
    """The variables with their mechanisms, and the reward."""
    nodes = []
    for variable in world.graph.variables:
        mechanism = world.mechanisms[variable.name]
        saved = {**variable_to_json(variable), "given": list(mechanism.given)}
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


def world_from_json(saved: dict[str, Any]) -> World:
    """The world that `world_to_json` wrote."""
    nodes = []
    for item in saved["nodes"]:
        mechanism = Linear(**item["linear"]) if "linear" in item else np.array(item["table"])
        nodes.append(Node(variable_from_json(item), tuple(item["given"]), mechanism))
    bounds = None if saved["bounds"] is None else tuple(saved["bounds"])
    return World(nodes, reward=saved["reward"], success=saved["success"], bounds=bounds, reference=saved["reference"])
