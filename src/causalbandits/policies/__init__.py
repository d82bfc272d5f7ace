"""The policies, one file each. They are loaded when the first of them is named."""

from __future__ import annotations

from typing import Any

_HOMES = {"Policy": "contract", "Reference": "reference", "policy_named": "registry", "register": "registry"}


def __getattr__(name: str) -> Any:
    """`Policy`, `Reference`, `register`, `policy_named`, `REGISTRY`, or the class of a registered policy."""
    from importlib import import_module

    if name == "__all__":
        return __dir__()
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .registry import policies_by_kind

    known = policies_by_kind()
    if name == "REGISTRY":
        return known
    for policy in known.values():
        if policy.__name__ == name:
            return policy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from .registry import policies_by_kind

    return sorted([*_HOMES, "REGISTRY", *(policy.__name__ for policy in policies_by_kind().values())])
