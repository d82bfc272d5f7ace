"""What a problem file amounts to: arms and costs, what watching tells about, and whether the policy takes it."""

from __future__ import annotations

from typing import Any

from ...advice.recommend import recommend_policy
from ...errors import InputError
from ...money import in_words
from ...policies.checks import accept
from ...policies.contract import Policy
from ...problem import Problem, Reward
from .reading import Setup


def about(setup: Setup) -> dict[str, Any]:
    """Everything that `check` says, as JSON values; money as text, for it is exact."""
    problem, policy, advice = setup.problem, setup.policy, recommend_policy(setup.problem)
    return {
        "name": setup.name,
        "reward": problem.reward.variable,
        "counts": _counts(problem.reward),
        "budget": in_words(problem.budget) if problem.horizon is None else None,
        "horizon": problem.horizon,
        "hidden": [variable.name for variable in problem.graph.variables if variable.hidden],
        "arms": [
            {"arm": str(arm), "cost": in_words(cost), "watching_tells": bool(tells), "backdoor_path": path}
            for arm, cost, tells, path in zip(
                problem.arms, problem.costs, problem.teaches, problem.backdoor_paths, strict=True
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


def in_lines(said: dict[str, Any]) -> str:
    """The same for people."""
    money = f"budget {said['budget']}" if said["horizon"] is None else f"horizon {said['horizon']} rounds"
    lines = [f"{said['name']}: {len(said['arms'])} arms, {money}; the reward is {said['reward']} ({said['counts']})."]
    if said["hidden"]:
        lines.append(f"Hidden: {', '.join(said['hidden'])}.")
    wide = max(len(arm["arm"]) for arm in said["arms"])
    costly = max(4, *(len(arm["cost"]) for arm in said["arms"]))
    lines.append(f"{'arm':<{wide}}  {'cost':>{costly}}  does watching tell about it?")
    lines += [f"{arm['arm']:<{wide}}  {arm['cost']:>{costly}}  {_tells(arm)}" for arm in said["arms"]]
    lines.append(f"The objective: {said['objective']}.")
    if said["why"] is not None:
        lines.append(f"The file names no policy; {said['policy']} is recommended. {said['why']}")
    else:
        lines.append(
            f"The policy {said['policy']} {'accepts it.' if said['refusal'] is None else 'refuses it: ' + said['refusal']}"
        )
    lines.append(
        "It is a world as well: it can be simulated."
        if said["is_world"]
        else "It has no probabilities: it cannot be simulated."
    )
    return "\n".join(lines)


def _tells(arm: dict[str, Any]) -> str:
    if arm["backdoor_path"] is not None:
        return f"no: {arm['backdoor_path']}"
    return "yes" if arm["watching_tells"] else "no: the observation is not an arm"


def _counts(reward: Reward) -> str:
    if reward.kind == "binary":
        return f"{reward.success} counts as 1"
    return f"{reward.low:g} to {reward.high:g}" if reward.kind == "bounded" else "a real number"
