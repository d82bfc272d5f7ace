"""A hash of a function: its code, and the functions and values that it uses, wherever these are defined.

Comments, docstrings and layout do not count. The hash is the same in every process.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import inspect
import re
import sys
import textwrap
import types
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import InputError

PLAIN = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis))
# its functions count by name only: they decide how values become machine code, not what the values are
BRIDGE = "causalbandits.engine.bridge"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # in the repr of an object that is described by its memory address


_PARSING = Lock()  # Python 3.11 fails with a SystemError when two threads build syntax trees at once


def fingerprint(*functions: Any, by_source: bool = False) -> str:
    """A hash of functions and of everything that they refer to.

    `by_source` hashes the text of the functions, which is the same for every version of Python.
    Without it the compiled code is hashed, which is what will run.
    """
    walk = _Walk(by_source)
    for function in functions:
        walk.add(function)
    return walk.hasher.hexdigest()


class _Walk:
    """A walk through functions and the values that they use."""

    def __init__(self, by_source: bool) -> None:
        self.hasher = hashlib.sha256()
        self.by_source = by_source
        self._seen: set[int] = set()

    def add(self, value: Any) -> None:
        """Add a value of any kind that has a stable form; refuse the others."""
        value = _unwrapped(value)
        if isinstance(value, PLAIN):
            self._add_text(repr(value))
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.ModuleType):
            self._add_module(value)
        elif isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            self._add_text(array.dtype.str, repr(array.shape))
            self.hasher.update(array.tobytes())
        elif isinstance(value, tuple | list):
            self._add_items(value)
        elif isinstance(value, dict):
            self._add_items(item for pair in value.items() for item in pair)
        elif isinstance(value, set | frozenset):
            self._add_items(sorted(value, key=repr))
        elif isinstance(value, functools.partial):
            self._add_items((value.func, value.args, value.keywords))
        elif isinstance(value, type):
            self._add_class(value)
        else:
            self._add_text(_stable_text(value))

    def _add_text(self, *texts: str) -> None:
        for text in texts:
            self.hasher.update(text.encode() + b"\0")

    def _add_items(self, items: Any) -> None:
        self._add_text("(")
        for item in items:
            self.add(item)
        self._add_text(")")

    def _add_class(self, value: type) -> None:
        if dataclasses.is_dataclass(value):
            self._add_text(repr([(field.name, str(field.type)) for field in dataclasses.fields(value)]))
        else:
            self._add_text(f"{value.__module__}.{value.__qualname__}")

    def _add_module(self, module: types.ModuleType) -> None:
        self._add_text(module.__name__)
        if is_users(module) and getattr(module, "__file__", None):
            self.hasher.update(Path(str(module.__file__)).read_bytes())

    def _add_function(self, function: types.FunctionType) -> None:
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        if str(function.__module__).startswith(BRIDGE):
            self._add_text(function.__qualname__)
            return
        if str(function.__module__).partition(".")[0] in sys.stdlib_module_names:  # it changes only with Python
            self._add_text(f"{function.__module__}.{function.__qualname__}")
            return
        source = _source(function) if self.by_source else None
        if source is not None:
            self._add_text(source)
        else:
            self._add_code(function.__code__, function.__doc__)
        self.add(function.__defaults__)
        if function.__kwdefaults__:
            self.add(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents)
        names = names_in(function.__code__)
        for name in sorted(names & function.__globals__.keys()):
            self._add_text(name)
            used = function.__globals__[name]
            self.add(used)
            if isinstance(used, types.ModuleType) and is_users(used):
                for attribute in sorted(names & vars(used).keys()):  # for helpers.f, what f is made of
                    self.add(vars(used)[attribute])

    def _add_code(self, code: types.CodeType, doc: str | None = None) -> None:
        self.hasher.update(code.co_code)
        self._add_text(repr((code.co_names, code.co_varnames, code.co_freevars)))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._add_code(constant)
            elif doc is None or constant != doc:
                self.add(constant)  # not its repr: the order of a frozenset differs between processes


def _unwrapped(value: Any) -> Any:
    """The function inside a wrapper, such as a compiled function, a cached function or a method."""
    while not isinstance(value, types.FunctionType | type):
        inner = [getattr(value, name, None) for name in ("py_func", "__wrapped__", "__func__")]
        held = next((item for item in inner if _is_wrapped(item)), None)
        if held is None:
            break
        value = held
    return value


def _is_wrapped(value: Any) -> bool:
    """Whether a value is a function, a method, or a wrapper itself, such as a cache of a cache."""
    return isinstance(value, types.FunctionType | types.MethodType | functools._lru_cache_wrapper)


def _stable_text(value: Any) -> str:
    """The repr of a value. A repr with a memory address is refused."""
    if isinstance(value, types.BuiltinFunctionType) and isinstance(value.__self__, types.ModuleType | type(None)):
        return f"{value.__module__}.{value.__qualname__}"
    text = repr(value)
    if ADDRESS.search(text):
        raise InputError(
            f"A policy uses {ADDRESS.sub('', text)}, an object of the class {type(value).__name__}, "
            "which has no stable form; use numbers, texts, arrays, tuples and functions only."
        )
    return text


def syntax_tree(function: types.FunctionType) -> ast.Module:
    """The syntax tree of a function's source."""
    text = textwrap.dedent(inspect.getsource(function))
    with _PARSING:
        return ast.parse(text)


def _source(function: types.FunctionType) -> str | None:
    """The source without comments, docstring and layout, or None where there is none."""
    try:
        tree = syntax_tree(function)
    except (OSError, TypeError, SyntaxError):
        return None
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def is_users(module: types.ModuleType) -> bool:
    """Whether a module is the user's own: neither the standard library nor one that we know."""
    return module.__name__.partition(".")[0] not in {"numpy", "numba", "causalbandits", *sys.stdlib_module_names}


def names_in(code: types.CodeType) -> set[str]:
    """All global names and attributes that code mentions, functions inside it included."""
    inner = (names_in(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)
