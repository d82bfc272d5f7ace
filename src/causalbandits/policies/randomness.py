"""Find random numbers that do not come from a policy's own stream. They would give other results every time."""

from __future__ import annotations

import dis
import random
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..errors import InputError
from .contract import FUNCTIONS

MODULES = {"random", "secrets", "numpy.random"}
GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


@lru_cache(maxsize=256)
def refuse_other_randomness(policy: Any) -> None:
    """Refuse a policy whose functions, or functions of the user that these call, use np.random or random."""
    waiting: list[Any] = [getattr(policy, name) for name in FUNCTIONS]
    seen: set[FunctionType] = set()
    while waiting:
        function = waiting.pop()
        function = getattr(function, "py_func", function)  # a compiled function
        if not isinstance(function, FunctionType) or function in seen or _is_ours(function):
            continue
        seen.add(function)
        for name, value, line in _used(function):
            if _is_random(value):
                raise InputError(
                    f"{policy.kind} uses {name} at {function.__code__.co_filename}, line {line}, and would give other "
                    "results with the same seed; use cb.uniform(rng) or cb.below(rng, n) for random numbers."
                )
            waiting.append(value)


def _used(function: FunctionType) -> Iterator[tuple[str, Any, int]]:
    """What a function refers to by global names and their attributes, with the text and the line of each."""
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    for code in _codes(function.__code__):
        name, value, line = "", None, code.co_firstlineno
        for instruction in dis.get_instructions(code):
            line = instruction.positions.lineno or line if instruction.positions else line
            text = str(instruction.argval)
            if instruction.opname in GLOBALS and text in function.__globals__:
                name, value = text, function.__globals__[text]
            elif instruction.opname == "LOAD_DEREF" and text in closure:
                name, value = text, closure[text].cell_contents
            elif instruction.opname == "IMPORT_NAME":
                yield text, ModuleType(text), line
                continue
            elif instruction.opname in ATTRIBUTES and isinstance(value, ModuleType):
                name, value = f"{name}.{text}", getattr(value, text, None)
            elif instruction.opname in ("CACHE", "PUSH_NULL", "EXTENDED_ARG", "NOP"):
                continue
            else:
                value = None
            if value is not None:
                yield name, value, line


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code and the codes of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_random(value: Any) -> bool:
    """Whether a value is a source of random numbers: a module of them, one of its functions, or a generator."""
    if isinstance(value, ModuleType):
        return value.__name__ in MODULES
    kinds = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)
    if isinstance(value, kinds) or isinstance(getattr(value, "__self__", None), kinds):
        return True
    module = str(getattr(value, "__module__", None))
    return callable(value) and (module in MODULES or module.startswith("numpy.random."))


def _is_ours(function: FunctionType) -> bool:
    return str(function.__module__).startswith("causalbandits.")
