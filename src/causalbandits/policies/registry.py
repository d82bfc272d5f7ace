"""The registry: the policies that a user can name. Every file of this folder that holds one is found by itself."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TypeVar

from ..errors import InputError, unknown
from .contract import Policy

P = TypeVar("P", bound=type[Policy])
REGISTRY: dict[str, type[Policy]] = {}


def register(policy: P) -> P:
    """Make a policy known by its kind: to the command line, to saved results and to the contract tests."""
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
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(import_module(package).__path__):
        if not module.ispkg:
            import_module(f"{package}.{module.name}")


def policies_by_kind() -> dict[str, type[Policy]]:
    """All registered policies."""
    load_all()
    return REGISTRY


def policy_named(kind: str) -> type[Policy]:
    """The registered policy of a kind."""
    load_all()
    try:
        return REGISTRY[kind]
    except KeyError:
        raise unknown("policy", kind, REGISTRY) from None
