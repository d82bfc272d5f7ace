"""Variables, problems and policies as JSON values, and back.

Results and databases hold these values, so their fields cannot change. Worlds are in json_world.py.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..graph import Graph, Variable
from ..money import decimal_text
from ..problem import Problem
from ..reward import Reward

if TYPE_CHECKING:
    from ..policies.contract import Policy


def variable_to_json(variable: Variable) -> dict[str, Any]:
    """The fields of a variable."""
    return {**asdict(variable), "values": list(variable.values), "parents": list(variable.parents)}


def variable_from_json(saved: dict[str, Any]) -> Variable:
    """The variable with these fields."""
    return Variable(
        saved["name"], tuple(saved["values"]), tuple(saved["parents"]), saved["hidden"], saved["intervenable"]
    )


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """A whole problem: its graph, its reward and its terms."""
    return {
        "variables": [variable_to_json(v) for v in problem.graph.variables],
        "reward": asdict(problem.reward),
        **problem_terms_to_json(problem),
    }


def problem_from_json(saved: dict[str, Any]) -> Problem:
    """The problem that `problem_to_json` wrote."""
    graph = Graph(tuple(variable_from_json(item) for item in saved["variables"]))
    return problem_from_terms(saved, graph, Reward(**saved["reward"]))


def problem_terms_to_json(problem: Problem) -> dict[str, Any]:
    """The terms of a problem: arms, costs, budget and options. Graph and reward are saved elsewhere."""
    terms = {
        "arms": [dict(arm) for arm in problem.arms],
        "costs": None if problem.horizon is not None else [decimal_text(cost) for cost in problem.exact_costs],
        "budget": None if problem.horizon is not None else decimal_text(problem.exact_budget),
        "horizon": problem.horizon,
        "parents": None if problem.parents is None else problem.parents.tolist(),
        "strict": problem.strict,
    }
    if problem.objective != "find":  # files written before there were objectives have no such field
        terms["objective"] = problem.objective
    if problem.reward_scale is not None:
        terms["reward_scale"] = problem.reward_scale
    if problem.keep_money:
        terms["keep_money"] = True
    return terms


def problem_from_terms(saved: dict[str, Any], graph: Graph, reward: Reward) -> Problem:
    """The problem with these terms, on a graph with a reward."""
    return Problem(
        graph,
        reward,
        budget=saved["budget"],
        horizon=saved["horizon"],
        cost=saved["costs"],
        arms=saved["arms"],
        observe={} in saved["arms"],
        parents=None if saved["parents"] is None else np.array(saved["parents"]),
        strict=saved["strict"],
        objective=saved.get("objective", "find"),
        reward_scale=saved.get("reward_scale"),
        keep_money=saved.get("keep_money", False),
    )


def policy_to_json(policy: Policy) -> dict[str, Any]:
    """The kind, the parameters and the name of a policy."""
    return {"kind": policy.kind, "parameters": policy.parameters, "name": policy.name}


def policy_from_json(saved: dict[str, Any], what: str = "result") -> Policy:
    """The policy that was saved. `what` names the thing that was made with it, for error messages."""
    from ..policies.registry import policies_by_kind

    known = policies_by_kind()
    if saved["kind"] not in known:
        raise InputError(
            f"The {what} was made with the policy {saved['kind']!r}, which is not registered; "
            "import its class and call cb.register first."
        )
    try:
        return known[saved["kind"]](name=saved["name"], **saved["parameters"])
    except TypeError:
        raise InputError(
            f"The {what} was made with {saved['kind']} and the parameters {saved['parameters']}, "
            "which it no longer has; use the version that wrote it."
        ) from None
