"""The policy contract, and the registry of the policies that a user can name.

A policy is a class with parameters as fields and four functions over a small state:

    init(problem)                           -> state
    ask(problem, state, pending, left, rng) -> arm, count   the choice stands for `count` rounds whatever they show; reads only
    tell(problem, state, arm, tally)                        learn from 1 .. count rounds of that arm; it alone changes the state
    recommend(problem, state, rng)          -> arm          the answer when the money is gone; reads only

`problem` is an engine View, `tally` an engine Tally, `left` the money neither spent nor reserved, in millionths. `pending[a]` are rounds of
arm a handed out and not told: they count in phases and radii, never in means. Count 0 means "nothing until a pending round is told"; with
nothing pending it means "done", and what is left is left over.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform

import numpy as np

from ..engine.compile import CONTRACT, numba_knows
from ..engine.contract import View
from ..engine.streams import key_of
from ..engine.tables import READS
from ..errors import InputError, unknown
from ..money import in_words
from ..problem import Problem


@numba_knows
@dataclasses.dataclass(frozen=True, kw_only=True)
@dataclass_transform(frozen_default=True, kw_only_default=True)
class Policy:
    """Base of all policies: subclasses become frozen dataclasses whose fields are numbers."""

    kind: ClassVar[str]  # the name in tables and on the command line
    reads: ClassVar[Literal["rewards", "arms", "parents", "both"]]  # what of a tally is computed for it
    paper: ClassVar[str] = ""  # where it comes from

    name: str | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)

    def __post_init__(self) -> None:
        if not isinstance(getattr(self, "kind", None), str):
            raise InputError(f'{type(self).__name__} has no kind; give the class a name for tables, such as kind = "mine".')
        for field in dataclasses.fields(self):
            if field.name == "name":
                continue
            value, default = getattr(self, field.name), field.default
            wanted = type(default) if isinstance(default, bool | int | float) else float
            is_number = isinstance(value, bool | int | float | np.number) and math.isfinite(value)
            if isinstance(value, bool) != (wanted is bool) or not is_number or (wanted is int and value != int(value)):
                raise InputError(f"The parameter {field.name} of {self.kind} must be a finite {wanted.__name__}, not {value!r}.")
            object.__setattr__(self, field.name, wanted(value))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "name"}

    @property
    def label(self) -> str:
        """What it is called in results: its name, or its kind with the parameters that are not the default ones."""
        if self.name is not None:
            return self.name
        changed = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "name" and getattr(self, f.name) != f.default}
        inside = ", ".join(f"{name}={_short(value)}" for name, value in changed.items())
        return f"{self.kind}({inside})" if inside else self.kind

    @property
    def key(self) -> Any:
        """The part of its random streams' names that is its own: kind and parameters."""
        return key_of(f"{self.kind} {sorted(self.parameters.items())}")

    def check(self, problem: Problem) -> None:
        """Refuse a problem that this policy cannot play, before anything is spent. That parents are revealed if it reads them goes without saying."""

    def view(self, problem: Problem) -> View:
        """The numbers of a problem that the four functions work with; here, outside of compiled code, a policy may have more of them computed."""
        view = problem.view()
        return dataclasses.replace(view, by_configuration=np.zeros(problem.configurations)) if self.reads == "both" else view

    def init(self, problem: Any) -> Any:
        raise NotImplementedError

    def ask(self, problem: Any, state: Any, pending: Any, left: Any, rng: Any) -> Any:
        raise NotImplementedError

    def tell(self, problem: Any, state: Any, arm: Any, tally: Any) -> None:
        raise NotImplementedError

    def recommend(self, problem: Any, state: Any, rng: Any) -> Any:
        raise NotImplementedError


class InBlocks(Policy):
    """Base of policies whose choice stands for more rounds the more is known of the arm: 1 + `block` times its samples."""

    block: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        not_negative(self, "block")


def _short(value: float) -> str:
    """A number as people write it, 8 for 8.0, if that is the same number."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


P = TypeVar("P", bound=type[Policy])
REGISTRY: dict[str, type[Policy]] = {}


def register(policy: P) -> P:
    """Make a policy known by its kind: to the command line, to saved results and to the contract tests."""
    known = REGISTRY.get(policy.kind, policy)
    if (known.__module__, known.__qualname__) != (policy.__module__, policy.__qualname__):
        raise InputError(f"There is a policy {policy.kind!r} already, {known.__name__}; give {policy.__name__} another kind.")
    REGISTRY[policy.kind] = policy
    return policy


def policy_named(kind: str) -> type[Policy]:
    """The registered policy of a kind."""
    try:
        return REGISTRY[kind]
    except KeyError:
        raise unknown("policy", kind, REGISTRY) from None


def accept(policy: Policy, problem: Problem) -> None:
    """Refuse a problem that the policy cannot play: by what it reads, and by its own check."""
    said = type(policy).__name__
    if getattr(policy, "reads", None) not in READS:
        raise InputError(f"{said} must say what it reads of a tally: reads = one of {', '.join(READS)}.")
    for name in CONTRACT:
        if getattr(type(policy), name) is getattr(Policy, name):
            raise InputError(f"{said} has no function {name}; a policy has {', '.join(CONTRACT)}.")
    if policy.reads == "parents":
        needs_parents(policy, problem)
    if policy.reads == "both":
        problem.demand_visible_parents(policy.kind)
    policy.check(problem)


def needs_observation(policy: Policy, problem: Problem) -> None:
    """Refuse a problem without the observation."""
    if not problem.observes:
        raise InputError(f"{policy.kind} watches before it acts, but the problem has no observation; leave observe=True.")


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
        raise InputError(f"{policy.kind} needs a {what} of at least {in_words(least)} {phase}, not {in_words(problem.budget)}.")


def not_negative(policy: Policy, name: str) -> None:
    """Refuse a parameter below 0."""
    if getattr(policy, name) < 0:
        raise InputError(f"The parameter {name} of {policy.kind} must be at least 0, not {getattr(policy, name):g}.")


def once_each(problem: Problem) -> int:
    """What pulling every arm once costs, in millionths."""
    return sum(problem.costs)
