"""What policies that were written for version 0.1 may still use of a view."""

from __future__ import annotations

from dataclasses import fields, replace
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..engine.bridge.record import record
from ..engine.fingerprint import is_users, names_in
from .view import View

FIELDS = {"by_arm", "by_configuration", "dearest", "design"}


@record
class EarlierView(View):
    """A view with the fields that version 0.1 had. New policies keep working memory in their state."""

    by_arm: np.ndarray  # (arms,) working memory
    by_configuration: np.ndarray  # (configurations,) working memory
    dearest: int  # `highest_cost`
    design: np.ndarray  # empty


def with_earlier_fields(policy_class: Any, view: View) -> View:
    """The view, with the fields of version 0.1 if the policy's functions name one of them."""
    if not FIELDS & _names_used([getattr(policy_class, name) for name in ("init", "ask", "tell", "recommend")]):
        return view
    return EarlierView(
        **{field.name: getattr(view, field.name) for field in fields(view)},
        by_arm=np.zeros(view.arms),
        by_configuration=np.zeros(view.configurations),
        dearest=view.highest_cost,
        design=np.zeros(0),
    )


def _names_used(functions: list[Any]) -> set[str]:
    """The names in some functions and in the functions that these call."""
    names: set[str] = set()
    waiting, seen = list(functions), set()
    while waiting:
        function = waiting.pop()
        function = getattr(function, "py_func", function)
        if isinstance(function, FunctionType) and function not in seen and not _is_ours(function):
            seen.add(function)
            found = names_in(function.__code__)
            names |= found
            used = [function.__globals__[name] for name in found if name in function.__globals__]
            waiting += used
            modules = [value for value in used if isinstance(value, ModuleType) and is_users(value)]
            waiting += [vars(module)[name] for module in modules for name in found if name in vars(module)]
    return names


def _is_ours(function: FunctionType) -> bool:
    return str(function.__module__).startswith(__package__)


def own_copy(view: View) -> View:
    """The view for one thread: working memory is not shared."""
    if not isinstance(view, EarlierView):
        return view
    return replace(view, by_arm=view.by_arm.copy(), by_configuration=view.by_configuration.copy())
