"""The registry: the policies that a user can name. Every file of this folder that holds a policy is found by itself."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TypeVar

from ..errors import InputError, shown, unknown
from .contract import Policy
from .reference import LIBRARY, bibtex_of

P = TypeVar("P", bound=type[Policy])
PACKAGE = __name__.rpartition(".")[0]
REGISTRY: dict[str, type[Policy]] = {}


def register(policy: P) -> P:
    """Make a policy known by its kind: to the command line, to saved results and to the contract tests."""
    if not isinstance(policy, type) or not issubclass(policy, Policy):
        raise InputError(f"register takes the class of a policy, as in @cb.register above it, not {shown(policy)}.")
    if not isinstance(getattr(policy, "kind", None), str):
        raise InputError(f'{policy.__name__} has no kind; give the class a name for tables, such as kind = "mine".')
    known = REGISTRY.get(policy.kind, policy)
    if (known.__module__, known.__qualname__) != (policy.__module__, policy.__qualname__):
        raise InputError(
            f"There is a policy {policy.kind!r} already, {known.__name__}; give {policy.__name__} another kind."
        )
    REGISTRY[policy.kind] = policy
    return policy


@cache
def load_all() -> None:
    """Import every file of this folder, so that each registers the policies that it holds."""
    for module in pkgutil.iter_modules(import_module(PACKAGE).__path__):
        if not module.ispkg:
            import_module(f"{PACKAGE}.{module.name}")


def policies_by_kind() -> dict[str, type[Policy]]:
    """All registered policies."""
    load_all()
    return REGISTRY


def policy_named(kind: str) -> type[Policy]:
    """The registered policy of a kind."""
    load_all()
    try:
        return REGISTRY[kind]
    except (KeyError, TypeError):  # a list cannot be looked up
        raise unknown("policy", kind, REGISTRY) from None


def home_of(policy: type[Policy]) -> str | None:
    """The name of the file of this folder that holds a policy; None for a policy from elsewhere."""
    package, _, module = policy.__module__.rpartition(".")
    return module if package == PACKAGE else None


def policy_rows() -> list[dict[str, str]]:
    """What tables show of every registered policy: name, class, about, goal and paper."""
    return [
        {
            "name": kind,
            "class": policy.__name__,
            "about": (policy.__doc__ or "").splitlines()[0],
            "goal": policy.goal,
            "paper": policy.paper,
        }
        for kind, policy in policies_by_kind().items()
    ]


def citation(kinds: Iterable[str]) -> str:
    """BibTeX for policies and for this library. A policy without a reference becomes a comment with its paper."""
    policies = [policy_named(kind) for kind in kinds]
    comments = [
        f"% {policy.kind}: {policy.paper or 'no paper is stated'}" for policy in policies if policy.reference is None
    ]
    references = [policy.reference for policy in policies if policy.reference is not None]
    return "\n\n".join([*comments, bibtex_of([*references, LIBRARY])])
