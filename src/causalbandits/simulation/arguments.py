"""Check the arguments of a simulation and fill in defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..advice.recommend import recommend_policy
from ..errors import InputError, check_kind, check_truth, shown
from ..policies.contract import Policy
from ..policies.registry import policy_named
from ..problem import Problem
from ..world import World


def chosen_policies(given: Policy | str | Sequence[Policy | str] | None, problem: Problem) -> list[Policy]:
    """The policies that are given, by instance or by name, or the recommended one. Their labels must differ."""
    return recommended_for(problem) if given is None else named_policies(given)


def recommended_for(problem: Problem) -> list[Policy]:
    """The recommended policy, as a list."""
    return [recommend_policy(problem).policy]


def named_policies(given: Any) -> list[Policy]:
    """The policies that are given, by instance or by name. Their labels must differ."""
    listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not listed:
        raise InputError("Name at least one policy.")
    chosen = [policy_named(policy)() if isinstance(policy, str) else policy for policy in listed]
    for policy in chosen:
        if not isinstance(policy, Policy):
            raise InputError(
                f"A policy is an instance such as GammaNB(), or a name such as 'gamma-nb', not {shown(policy)}."
            )
    labels = [policy.label for policy in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"Two policies are called {label!r}; give one of them another name=.")
    return chosen


def check_world(world: Any, problem: Any) -> None:
    """Refuse what is no world or no problem, and a problem that was not made for this world."""
    check_kind("The world", world, World, "a cb.World such as cb.worlds.marketing()")
    check_kind("The problem", problem, Problem, "a cb.Problem, such as world.problem(budget=50)")
    if problem.graph != world.graph or problem.reward != world.reward:
        raise InputError("The problem belongs to another world; make it with world.problem(...).")


def check_options(*, executor: Any = None, progress: Any = None, compiled: Any = None) -> None:
    """Refuse options of another kind. None stands for the default."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise InputError(
            f"The executor must be one of concurrent.futures, such as ProcessPoolExecutor(), not {shown(executor)}."
        )
    for name, value in (("progress", progress), ("compiled", compiled)):
        if value is not None:
            check_truth(name, value)


def whole_number(what: str, value: int, least: int) -> int:
    """The value as an int. Refuse a value that is not whole or below `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"The {what} must be a whole number, at least {least}, not {shown(value)}.")
    return int(value)
