"""Graphs, problems and policies as plain JSON values, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..graph import Graph, Variable
from ..money import in_words
from ..problem import Problem, Reward

if TYPE_CHECKING:
    from ..policies.contract import Policy


def variable_to(variable: Variable) -> dict[str, Any]:
    return {**asdict(variable), "values": list(variable.values), "parents": list(variable.parents)}


def variable_from(saved: dict[str, Any]) -> Variable:
    return Variable(
        saved["name"], tuple(saved["values"]), tuple(saved["parents"]), saved["hidden"], saved["intervenable"]
    )


def task_to(problem: Problem) -> dict[str, Any]:
    """A problem with its graph and reward: all that a learner is told."""
    return {
        "variables": [variable_to(v) for v in problem.graph.variables],
        "reward": asdict(problem.reward),
        **problem_to(problem),
    }


def task_from(saved: dict[str, Any]) -> Problem:
    graph = Graph(tuple(variable_from(item) for item in saved["variables"]))
    return problem_from(graph, Reward(**saved["reward"]), saved)


def problem_to(problem: Problem) -> dict[str, Any]:
    return {
        "arms": [dict(arm) for arm in problem.arms],
        "costs": None if problem.horizon is not None else [in_words(cost) for cost in problem.costs],
        "budget": None if problem.horizon is not None else in_words(problem.budget),
        "horizon": problem.horizon,
        "parents": None if problem.parents is None else problem.parents.tolist(),
        "strict": problem.strict,
        **(
            {} if problem.objective == "find" else {"objective": problem.objective}
        ),  # what was saved before there were objectives stays as it was
    }


def problem_from(graph: Graph, reward: Reward, saved: dict[str, Any]) -> Problem:
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
    )


def policy_to(policy: Policy) -> dict[str, Any]:
    return {"kind": policy.kind, "parameters": policy.parameters, "name": policy.name}


def policy_from(saved: dict[str, Any], what: str = "result") -> Policy:
    from ..policies.registry import policies_by_kind

    known = policies_by_kind()
    if saved["kind"] not in known:
        raise InputError(
            f"The {what} is of a policy {saved['kind']!r} that is not known here; import and cb.register its class first."
        )
    try:
        return known[saved["kind"]](name=saved["name"], **saved["parameters"])
    except TypeError:
        raise InputError(
            f"The {what} is of {saved['kind']} with the parameters {saved['parameters']}, which it no longer has."
        ) from None
