"""How functions are compiled: each decorator is Numba's njit with options, and some keep the result on disk.

Where Numba's internals cannot be used, each of them is njit with public options, and nothing is kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

from ..fingerprint import fingerprint
from . import internals
from .folder import cache_folder

F = TypeVar("F", bound=Callable[..., Any])
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

if internals.USED:
    from . import disk
    from .parts import Part, PartCompiler, PlainPart


def _options(allocates: bool, is_inlined: bool = False) -> dict[str, Any]:
    """The options of njit."""
    if not internals.USED:
        return OPTIONS
    # References are not counted in a function that allocates nothing: 11.2 instead of 4.1 million rounds per second.
    options = {**OPTIONS, "_nrt": allocates}
    if is_inlined:
        # LLVM then inlines the function into its callers, however long it is: 11.2 instead of 8.1 million.
        options["forceinline"] = not allocates
        # Only compiled code calls it, so it needs no entry for Python or C: 6.5 s instead of 7.7 s to the first result.
        options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return options


def compiled(function: F, label: str = "", allocates: bool = True) -> F:
    """Compile a function on first use, without the interpreter lock, and keep the result on disk.

    Functions that share code but not globals need different labels.
    """
    dispatcher = njit(**_options(allocates))(function)
    if internals.USED and cache_folder() is not None:
        disk.keep_on_disk(dispatcher, label)
    return dispatcher


def unallocating(function: F) -> F:
    """`compiled` for a function that allocates nothing."""
    return compiled(function, allocates=False)


def compiled_alone(function: F) -> F:
    """A part as a function of its own, labelled by a fingerprint: it may use code outside of the engine."""
    return compiled(function, f"{fingerprint(function)[:16]}-", allocates=False)


def lean(function: F) -> F:
    """Compile a part: it allocates nothing and is inlined into compiled callers. Python can call it too."""
    if not internals.USED:
        return njit(**OPTIONS)(function)
    options = {"nopython": True, **_options(allocates=False, is_inlined=True)}
    return Part(function, locals={}, targetoptions=options, pipeline_class=PartCompiler)


def shared(function: F) -> F:
    """A part of compiled code that stays plain Python for Python: for short functions over records and lists."""
    if not internals.USED:
        return register_jitable(**OPTIONS)(function)
    options = {"nopython": True, **_options(allocates=False, is_inlined=True)}
    return PlainPart(function, locals={}, targetoptions=options, pipeline_class=PartCompiler)


def helper(function: F) -> F:
    """A `lean` function that Python never calls."""
    return _part(function)


def fused(function: F) -> F:
    """A `helper` in which a product and a sum may become one operation, where the last bit does not matter."""
    return _part(function, fastmath={"contract"})


def _part(function: F, **options: Any) -> F:
    if internals.USED:
        options["pipeline_class"] = PartCompiler
    return njit(**_options(allocates=False, is_inlined=True), **options)(function)


def inlined(function: F, allocates: bool, checks_bounds: bool = False) -> F:
    """Compile a function of a policy for the loop. Unless it allocates, references are not counted in it."""
    checks = {"boundscheck": True} if checks_bounds else {}
    return njit(**_options(allocates, is_inlined=True), **checks)(function)


def is_on_disk(dispatcher: Any) -> bool:
    """Whether an earlier process left this function on disk."""
    return internals.USED and disk.is_kept(dispatcher)


def forget_failures() -> None:
    """Let Numba try again what it could not compile without allocation."""
    if internals.USED:
        disk.forget_failures()
