"""Check the arguments of a simulation and fill in defaults."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..advice.recommend import recommend_policy
from ..errors import InputError
from ..policies.contract import Policy
from ..policies.registry import policy_named
from ..problem import Problem
from ..world import World


def chosen_policies(given: Policy | str | Sequence[Policy | str] | None, problem: Problem) -> list[Policy]:
    """The policies that are given, by instance or by name, or the recommended one. Their labels must differ."""
    if given is None:
        return [recommend_policy(problem).policy]
    listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not listed:
        raise InputError("Name at least one policy.")
    chosen = [policy_named(policy)() if isinstance(policy, str) else policy for policy in listed]
    for policy in chosen:
        if not isinstance(policy, Policy):
            raise InputError(
                f"A policy is an instance such as GammaNB(), or a name such as 'gamma-nb', not {policy!r}."
            )
    labels = [policy.label for policy in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"Two policies are called {label!r}; give one of them another name=.")
    return chosen


def check_world(world: World, problem: Problem) -> None:
    """Refuse a problem that was not made for this world."""
    if problem.graph != world.graph or problem.reward != world.reward:
        raise InputError("The problem belongs to another world; make it with world.problem(...).")


def whole_number(what: str, value: int, least: int) -> int:
    """The value as an int. Refuse a value that is not whole or below `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"The {what} must be a whole number, at least {least}, not {value!r}.")
    return int(value)
