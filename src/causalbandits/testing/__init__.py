"""Check that a policy keeps the contract: `causalbandits.testing.check_policy(MyPolicy())`.

It plays the policy in random worlds and compares what must be equal. It needs neither pytest nor hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InputError
from ..policies.checks import accept
from ..policies.contract import Policy
from ..problem import Problem
from ..simulation.arguments import check_options, check_world, whole_number
from ..world import World
from .cases import Case, random_case
from .clauses import CLAUSES, Skipped
from .elsewhere import check_process

__all__ = ["CLAUSES", "Case", "Report", "Skipped", "check_policy", "random_case"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Report:
    """What was checked, by clause of the contract, and what was skipped and why."""

    policy: str
    cases: int
    checked: tuple[str, ...]
    skipped: Mapping[str, str]

    def __str__(self) -> str:
        lines = [f"{self.policy} keeps the contract in {self.cases} cases."]
        lines += [f"  checked: {promise}." for promise in self.checked]
        lines += [f"  skipped: {promise}, because {reason}." for promise, reason in self.skipped.items()]
        return "\n".join(lines)


def check_policy(
    policy: Policy,
    *,
    world: World | None = None,
    problem: Problem | None = None,
    cases: int = 5,
    seed: int = 0,
    compiled: bool | None = None,
) -> Report:
    """Check all clauses of the contract, and report what was checked.

    The cases are random worlds and problems, or the world and the problem given. An AssertionError names the first
    clause that is broken and the seed of the case. `compiled=False` compiles nothing, which is quick and checks less.
    """
    if not isinstance(policy, Policy):
        raise InputError(f"check_policy takes a policy, such as MyPolicy(), not {policy!r}.")
    if (world is None) != (problem is None):
        raise InputError("Give a world and its problem together, or neither of them.")
    cases, seed = whole_number("number of cases", cases, 1), whole_number("seed", seed, 0)
    check_options(compiled=compiled)
    seeds = range(seed, seed + cases)
    if world is not None and problem is not None:
        check_world(world, problem)
        accept(policy, problem)
        chosen = [Case(world, problem, policy, number, compiled) for number in seeds]
    else:
        chosen = [random_case(policy, number, compiled=compiled) for number in seeds]
    checked, skipped = [], {}
    for promise, check in CLAUSES.items():
        try:
            for case in chosen[:1] if check is check_process else chosen:  # a process takes seconds
                check(case)
            checked.append(promise)
        except Skipped as reason:
            skipped[promise] = str(reason)
    return Report(policy.label, cases, tuple(checked), skipped)
