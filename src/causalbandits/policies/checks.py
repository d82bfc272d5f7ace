"""What a policy demands of a problem, checked before anything is spent."""

from __future__ import annotations

from ..engine.cpu.tables import READS
from ..errors import InputError
from ..money import in_words
from ..problem import Problem
from .contract import FUNCTIONS, Policy


def accept(policy: Policy, problem: Problem) -> None:
    """Refuse a problem that the policy cannot play: by what it reads, and by its own check."""
    said = type(policy).__name__
    if getattr(policy, "reads", None) not in READS:
        raise InputError(f"{said} must say what it reads of a tally: reads = one of {', '.join(READS)}.")
    for name in FUNCTIONS:
        if getattr(type(policy), name) is getattr(Policy, name):
            raise InputError(f"{said} has no function {name}; a policy has {', '.join(FUNCTIONS)}.")
    if policy.reads == "parents":
        needs_parents(policy, problem)
    if policy.reads == "both":
        problem.demand_visible_parents(policy.kind)
    policy.check(problem)


def needs_observation(policy: Policy, problem: Problem) -> None:
    """Refuse a problem without the observation."""
    if not problem.observes:
        raise InputError(
            f"{policy.kind} watches before it acts, but the problem has no observation; leave observe=True."
        )


def needs_parents(policy: Policy, problem: Problem) -> None:
    """Refuse a problem that does not reveal the parents' distribution."""
    if problem.parents is None:
        raise InputError(
            f"{policy.kind} must know P(parents of {problem.reward.variable} | do(a)); "
            "make the problem with reveal_parents=True, or give [reward_parents] in its file."
        )


def needs_budget(policy: Policy, problem: Problem, least: int, phase: str) -> None:
    """Refuse a budget that does not pay for the first phase."""
    if problem.budget < least:
        what = "budget" if problem.horizon is None else "horizon"
        raise InputError(
            f"{policy.kind} needs a {what} of at least {in_words(least)} {phase}, not {in_words(problem.budget)}."
        )


def once_each(problem: Problem) -> int:
    """What pulling every arm once costs, in millionths."""
    return sum(problem.costs)
