"""Worlds, problems and policies as plain JSON values, and back: the one place where JSON is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError
from .graph import Variable
from .mechanisms import Linear, Node
from .money import in_words
from .problem import Problem
from .world import World

if TYPE_CHECKING:
    from .policies.base import Policy


def world_to(world: World) -> dict[str, Any]:
    nodes = []
    for variable in world.graph.variables:
        mechanism = world.mechanisms[variable.name]
        saved: dict[str, Any] = {
            "name": variable.name,
            "values": list(variable.values),
            "parents": list(variable.parents),
            "hidden": variable.hidden,
            "intervenable": variable.intervenable,
            "given": list(mechanism.given),
        }
        if isinstance(mechanism, Linear):
            saved["linear"] = {"weights": dict(mechanism.weights), "noise": mechanism.noise, "intercept": mechanism.intercept}
        else:
            saved["table"] = mechanism.probabilities.tolist()
        nodes.append(saved)
    reward = world.reward
    bounds = [reward.low, reward.high] if reward.kind == "bounded" else None
    return {"nodes": nodes, "reward": reward.variable, "success": reward.success, "bounds": bounds, "reference": world.reference}


def world_from(saved: dict[str, Any]) -> World:
    nodes = []
    for item in saved["nodes"]:
        variable = Variable(item["name"], tuple(item["values"]), tuple(item["parents"]), item["hidden"], item["intervenable"])
        said = Linear(**item["linear"]) if "linear" in item else np.array(item["table"])
        nodes.append(Node(variable, tuple(item["given"]), said))
    bounds = None if saved["bounds"] is None else tuple(saved["bounds"])
    return World(nodes, reward=saved["reward"], success=saved["success"], bounds=bounds, reference=saved["reference"])


def problem_to(problem: Problem) -> dict[str, Any]:
    return {
        "arms": [dict(arm) for arm in problem.arms],
        "costs": None if problem.horizon is not None else [in_words(cost) for cost in problem.costs],
        "budget": None if problem.horizon is not None else in_words(problem.budget),
        "horizon": problem.horizon,
        "parents": None if problem.parents is None else problem.parents.tolist(),
        "strict": problem.strict,
    }


def problem_from(world: World, saved: dict[str, Any]) -> Problem:
    return Problem(
        world.graph,
        world.reward,
        budget=saved["budget"],
        horizon=saved["horizon"],
        cost=saved["costs"],
        arms=saved["arms"],
        observe={} in saved["arms"],
        parents=None if saved["parents"] is None else np.array(saved["parents"]),
        strict=saved["strict"],
    )


def policy_to(policy: Policy) -> dict[str, Any]:
    return {"kind": policy.kind, "parameters": policy.parameters, "name": policy.name}


def policy_from(saved: dict[str, Any]) -> Policy:
    from .policies.base import REGISTRY

    if saved["kind"] not in REGISTRY:
        raise InputError(f"The result is of a policy {saved['kind']!r} that is not known here; import and cb.register its class first.")
    try:
        return REGISTRY[saved["kind"]](name=saved["name"], **saved["parameters"])
    except TypeError:
        raise InputError(f"The result is of {saved['kind']} with the parameters {saved['parameters']}, which it no longer has.") from None
