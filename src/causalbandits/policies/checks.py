"""What a policy requires of a problem. It is checked before anything is spent."""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from typing import Any

from ..errors import InputError
from ..money import decimal_text
from ..problem import Problem
from .columns import Columns, columns_named
from .contract import FUNCTIONS, Policy
from .randomness import refuse_other_randomness


def accept(policy: Policy, problem: Problem) -> None:
    """Refuse a problem that the policy cannot play. Its columns and its own `check` decide."""
    columns = columns_named(getattr(policy, "reads", None))
    policy_class: Any = type(policy)
    _check_functions(policy_class)
    refuse_other_randomness(policy_class)
    columns.check(problem, policy.kind)
    _refuse_hidden(policy, problem, columns)
    policy.check(problem)


def _refuse_hidden(policy: Policy, problem: Problem, columns: Columns) -> None:
    """Refuse a problem in which no round shows a variable that the policy needs."""
    for a, arm in enumerate(problem.arms):
        for name in columns.needs(problem, a):
            if problem.graph[name].hidden:
                raise InputError(
                    f"{policy.kind} needs the value of {name} in every round of {arm}, but {name} is hidden; "
                    "make it visible, or use another policy."
                )


@lru_cache(maxsize=256)
def _check_functions(policy: Any) -> None:
    """Refuse a policy that lacks one of the four functions, or whose functions take other arguments."""
    for name in FUNCTIONS:
        function, wanted = getattr(policy, name), getattr(Policy, name)
        if function is wanted:
            raise InputError(f"{policy.__name__} has no function {name}; a policy has {', '.join(FUNCTIONS)}.")
        arguments = list(signature(wanted).parameters)
        try:
            signature(function).bind(*arguments)
        except TypeError:
            raise InputError(
                f"The function {name} of {policy.__name__} takes other arguments than it is given; "
                f"write def {name}({', '.join(arguments)})."
            ) from None


def needs_observation(policy: Policy, problem: Problem) -> None:
    """Refuse a problem without the observation."""
    if not problem.observes:
        raise InputError(
            f"{policy.kind} watches before it acts, but the problem has no observation; leave observe=True."
        )


def needs_budget(policy: Policy, problem: Problem, least: int, phase: str) -> None:
    """Refuse a budget that does not pay for the first phase."""
    if problem.exact_budget < least:
        what = "budget" if problem.horizon is None else "horizon"
        amount = decimal_text(problem.exact_budget)
        raise InputError(f"{policy.kind} needs a {what} of at least {decimal_text(least)} {phase}, not {amount}.")


def once_each(problem: Problem) -> int:
    """The cost of pulling every arm once, in millionths."""
    return sum(problem.exact_costs)
