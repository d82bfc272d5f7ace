"""A policy's functions with other versions of the helpers that its user compiled: such as versions that check indices.

A helper is a function under `numba.njit` that the policy uses by a global name. Helpers of helpers count too.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba import njit

from ..fingerprint import names_in

Version = Callable[[Any, FunctionType], Any]  # from a compiled helper and the function inside it


def checks_bounds(helper: Any, function: FunctionType) -> Any:
    """The helper compiled so that an index beyond the end of an array is an IndexError."""
    options = {name: value for name, value in helper.targetoptions.items() if name != "nopython"}
    return njit(**{**options, "boundscheck": True})(function)


def is_plain(helper: Any, function: FunctionType) -> Any:
    """The helper as plain Python, which knows the line of a mistake."""
    return function


def with_helpers(function: Any, version: Version, made: dict[int, Any] | None = None) -> Any:
    """The function with this version of every helper. Without helpers it is the function itself."""
    made = {} if made is None else made
    if not isinstance(function, FunctionType):
        return function
    replaced: dict[str, Any] = {}
    for name in names_in(function.__code__) & function.__globals__.keys():
        helper = function.__globals__[name]
        if not _is_users(helper):
            continue
        if id(helper) not in made:
            made[id(helper)] = helper  # as it is, where a helper calls itself
            made[id(helper)] = version(helper, with_helpers(helper.py_func, version, made))
        replaced[name] = made[id(helper)]
    if not replaced:
        return function
    bound = {**function.__globals__, **replaced}
    copy = FunctionType(function.__code__, bound, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
    return copy


def _is_users(helper: Any) -> bool:
    """Whether a value is a function that a user compiled."""
    function = getattr(helper, "py_func", None)
    is_compiled = isinstance(function, FunctionType) and isinstance(getattr(helper, "targetoptions", None), dict)
    return is_compiled and not str(function.__module__).startswith(__package__.partition(".")[0] + ".")
