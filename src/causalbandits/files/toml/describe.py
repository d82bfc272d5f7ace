"""Describe a problem file: its arms and costs, what the observation teaches, and whether the policy accepts it."""

from __future__ import annotations

from typing import Any

from ...advice.recommend import recommend_policy
from ...errors import InputError
from ...money import decimal_text
from ...policies.checks import accept
from ...policies.contract import Policy
from ...problem import Problem
from ...reward import Reward
from .reading import Setup


def describe(setup: Setup) -> dict[str, Any]:
    """A summary of the file as JSON values. Money is text, because it is exact."""
    problem, policy, advice = setup.problem, setup.policy, recommend_policy(setup.problem)
    return {
        "name": setup.name,
        "reward": problem.reward.variable,
        "counts": _reward_kind(problem.reward),
        "budget": decimal_text(problem.exact_budget) if problem.horizon is None else None,
        "horizon": problem.horizon,
        "hidden": [variable.name for variable in problem.graph.variables if variable.hidden],
        "arms": [
            {"arm": str(arm), "cost": decimal_text(cost), "watching_tells": bool(teaches), "backdoor_path": path}
            for arm, cost, teaches, path in zip(
                problem.arms, problem.exact_costs, problem.teaches, problem.backdoor_paths, strict=True
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


def refusal(policy: Policy, problem: Problem) -> str | None:
    """Why the policy cannot play the problem, or None if it can."""
    try:
        accept(policy, problem)
    except InputError as error:
        return str(error)
    return None


def summary_text(summary: dict[str, Any]) -> str:
    """The summary as lines of text."""
    money = f"budget {summary['budget']}" if summary["horizon"] is None else f"horizon {summary['horizon']} rounds"
    reward = f"{summary['reward']} ({summary['counts']})"
    lines = [f"{summary['name']}: {len(summary['arms'])} arms, {money}; the reward is {reward}."]
    if summary["hidden"]:
        lines.append(f"Hidden: {', '.join(summary['hidden'])}.")
    arm_width = max(len(arm["arm"]) for arm in summary["arms"])
    cost_width = max(4, *(len(arm["cost"]) for arm in summary["arms"]))
    lines.append(f"{'arm':<{arm_width}}  {'cost':>{cost_width}}  can it be learned by observing?")
    lines += [f"{arm['arm']:<{arm_width}}  {arm['cost']:>{cost_width}}  {_teaches(arm)}" for arm in summary["arms"]]
    lines.append(f"The objective: {summary['objective']}.")
    if summary["why"] is not None:
        lines.append(f"The file names no policy; {summary['policy']} is recommended. {summary['why']}")
    else:
        answer = "accepts it." if summary["refusal"] is None else f"refuses it: {summary['refusal']}"
        lines.append(f"The policy {summary['policy']} {answer}")
    lines.append(
        "The file gives probabilities: it can be simulated."
        if summary["is_world"]
        else "The file gives no probabilities: it cannot be simulated."
    )
    return "\n".join(lines)


def _teaches(arm: dict[str, Any]) -> str:
    if arm["backdoor_path"] is not None:
        return f"no: {arm['backdoor_path']}"
    return "yes" if arm["watching_tells"] else "no: the observation is not an arm"


def _reward_kind(reward: Reward) -> str:
    if reward.kind == "binary":
        return f"{reward.success} counts as 1"
    return f"{reward.low:g} to {reward.high:g}" if reward.kind == "bounded" else "a real number"
