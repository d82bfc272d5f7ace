"""Describe a problem file: its arms and costs, what the observation teaches, and whether the policy accepts it."""

from __future__ import annotations

from typing import Any

from ...advice.recommend import recommend_policy
from ...display.sheets import Sheet
from ...errors import InputError
from ...identify.teaching import ArmTeaching
from ...money import decimal_text
from ...policies.checks import accept
from ...policies.contract import Policy
from ...problem import Problem
from .reading import Setup


def describe(setup: Setup) -> dict[str, Any]:
    """A summary of the file as JSON values. Money is text, because it is exact."""
    problem, policy, advice = setup.problem, setup.policy, recommend_policy(setup.problem)
    return {
        "name": setup.name,
        "reward": problem.reward.variable,
        "counts": problem.reward.counts,
        "reward_scale": problem.reward_scale,
        "budget": decimal_text(problem.exact_budget) if problem.horizon is None else None,
        "horizon": problem.horizon,
        "hidden": [variable.name for variable in problem.graph.variables if variable.hidden],
        "arms": [
            {
                "arm": str(arm),
                "cost": decimal_text(cost),
                "watching_tells": bool(teaches),
                "backdoor_path": path,
                **_learned(entry),
            }
            for arm, cost, teaches, path, entry in zip(
                problem.arms,
                problem.exact_costs,
                problem.teaches,
                problem.backdoor_paths,
                problem.teaching(),
                strict=True,
            )
        ],
        "objective": problem.objective,
        "policy": advice.policy.label if policy is None else policy.label,
        "why": advice.why if policy is None else None,
        "refusal": None if policy is None else refusal(policy, problem),
        "seed": setup.seed,
        "lease": setup.lease,
        "is_world": setup.tables is not None,
    }


def _learned(entry: ArmTeaching) -> dict[str, Any]:
    """How an arm is learned, and what watching does not teach about it."""
    return {
        "learned": entry.learned,
        "not_by_watching": [
            {
                "variable": need.factor.variable,
                "conditions": list(need.factor.conditions),
                "learned": need.learned,
                "hidden_path": need.hidden_path,
            }
            for need in entry.unwatched
        ],
    }


def _scale(reward_scale: float | None) -> str:
    """Which standard deviation of the reward the policies use."""
    if reward_scale is None:
        return "Policies take its standard deviation to be 1/2; if it is not about that, state reward_scale."
    return f"Policies use the standard deviation {reward_scale:g} that the file states (reward_scale)."


def refusal(policy: Policy, problem: Problem) -> str | None:
    """Why the policy cannot play the problem, or None if it can."""
    try:
        accept(policy, problem)
    except InputError as error:
        return str(error)
    return None


def summary_parts(summary: dict[str, Any], problem: Problem) -> list[str | Sheet]:
    """The summary as sentences and a sheet of the arms."""
    money = f"budget {summary['budget']}" if summary["horizon"] is None else f"horizon {summary['horizon']} rounds"
    reward = f"{summary['reward']} ({summary['counts']})"
    parts: list[str | Sheet] = [f"{summary['name']}: {len(summary['arms'])} arms, {money}; the reward is {reward}."]
    if problem.reward.kind == "real":
        parts.append(_scale(summary["reward_scale"]))
    if summary["hidden"]:
        parts.append(f"Hidden: {', '.join(summary['hidden'])}.")
    parts.append(problem.sheet)
    parts.append("How each arm can be learned if every round counts:")
    parts.append(problem.teaching().sheet)
    parts.append(f"The objective: {summary['objective']}.")
    if summary["why"] is not None:
        parts.append(f"The file names no policy; {summary['policy']} is recommended. {summary['why']}")
    else:
        answer = "accepts it." if summary["refusal"] is None else f"refuses it: {summary['refusal']}"
        parts.append(f"The policy {summary['policy']} {answer}")
    parts.append(
        "The file gives probabilities: it can be simulated."
        if summary["is_world"]
        else "The file gives no probabilities: it cannot be simulated."
    )
    return parts
