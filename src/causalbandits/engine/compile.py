"""A policy and the loop, compiled together.

A policy's parameters are passed as values (`ParametersType`), so changing one never recompiles. The compiled loop is
kept on disk under a fingerprint of the policy's functions and of everything that they use. So old code never runs
after a change.
"""

from __future__ import annotations

import types as pytypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..policies.columns import Columns
from ..policies.contract import FUNCTIONS
from .bridge.cache import compiled, inlined
from .bridge.helpers import checks_bounds, with_helpers
from .cpu import loop
from .cpu.draw import drawer
from .fingerprint import fingerprint


def loop_with(columns: Columns, functions: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The loop, bound to a policy's four functions and to the function that draws for it."""
    bound = {**vars(loop), **functions, "draw": drawer(columns)}
    return pytypes.FunctionType(loop.run_policy.__code__, bound, "run_policy")


def code_of(policy_class: Any, by_source: bool = False) -> str:
    """A hash of a policy's four functions, its view and its columns, and of everything that these use."""
    columns = policy_class.reads
    functions = (getattr(policy_class, name) for name in (*FUNCTIONS, "view"))
    return fingerprint(columns.name, columns.clear, columns.add, *functions, by_source=by_source)


def compiled_loop(policy_class: Any, code: str, allocates: bool = False) -> Callable[..., Any]:
    """The loop compiled with a policy's functions. `code` is the policy's `code_of`.

    It is compiled, or loaded from disk, when it is first called. If `ask` and `tell` do not allocate, they do not count
    references: this saves a third of the time of a short round.
    An index beyond the end of an array is an IndexError in a policy from elsewhere. Ours are tested instead.
    """
    return _compiled_loop(policy_class, code, allocates)


@lru_cache(maxsize=256)
def _compiled_loop(policy_class: Any, code: str, allocates: bool) -> Callable[..., Any]:
    functions = {}
    for name in FUNCTIONS:
        counts = allocates or name in ("init", "recommend")  # these two may allocate: they are called once a run
        function = getattr(policy_class, name)
        if is_ours(policy_class):
            functions[name] = inlined(function, counts)
        else:
            functions[name] = inlined(with_helpers(function, checks_bounds), counts, checks_bounds=True)
    return compiled(
        loop_with(policy_class.reads, functions),
        label=f"{policy_class.__name__}-{code[:16]}-{'a' if allocates else ''}",
    )


def is_ours(policy_class: Any) -> bool:
    """Whether a policy is part of this library."""
    return str(policy_class.__module__).startswith(f"{__package__.partition('.')[0]}.")
