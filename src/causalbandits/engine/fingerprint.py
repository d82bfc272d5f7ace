"""What a function is made of, as a hash: the functions and values that it uses, wherever these stand."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import sys
import textwrap
import types as pytypes
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher


def fingerprint(*functions: Any, by_source: bool = False) -> str:
    """A hash of functions and of everything they refer to: code, constants, global values, other functions, modules of the user.

    By their source, where there is one, it is the same for every version of Python; by what that was compiled to, it is what will run.
    """
    digest = hashlib.sha256()
    seen: set[int] = set()

    def add(value: Any) -> None:
        if isinstance(value, Dispatcher):
            value = value.py_func
        if isinstance(value, pytypes.FunctionType):
            if id(value) in seen:
                return
            seen.add(id(value))
            source = _source(value) if by_source else None
            if source is not None:
                digest.update(source.encode())
            else:
                add_code(value.__code__)
            add(value.__defaults__)
            for cell in value.__closure__ or ():
                add(cell.cell_contents)
            names = _names(value.__code__)
            for name in sorted(names & value.__globals__.keys()):
                digest.update(name.encode())
                used = value.__globals__[name]
                add(used)
                if isinstance(used, pytypes.ModuleType) and _is_users(used):
                    for attribute in sorted(names & vars(used).keys()):  # helpers.f: what f is made of, wherever that stands
                        add(vars(used)[attribute])
        elif isinstance(value, pytypes.ModuleType):
            digest.update(value.__name__.encode())
            if _is_users(value) and getattr(value, "__file__", None):
                digest.update(Path(str(value.__file__)).read_bytes())
        elif dataclasses.is_dataclass(value) and isinstance(value, type):
            digest.update(repr([(field.name, str(field.type)) for field in dataclasses.fields(value)]).encode())
        elif isinstance(value, np.ndarray):
            digest.update(value.dtype.str.encode() + repr(value.shape).encode() + value.tobytes())
        elif isinstance(value, tuple | list):
            for item in value:
                add(item)
        else:
            digest.update(repr(value).encode())

    def add_code(code: pytypes.CodeType) -> None:
        digest.update(code.co_code + repr((code.co_names, code.co_varnames, code.co_freevars)).encode())
        for constant in code.co_consts:
            if isinstance(constant, pytypes.CodeType):
                add_code(constant)
            else:
                digest.update(repr(constant).encode())

    for function in functions:
        add(function)
    return digest.hexdigest()


def _source(function: pytypes.FunctionType) -> str | None:
    """The source without comments and layout, or None where there is none."""
    try:
        return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError):
        return None


def _is_users(module: pytypes.ModuleType) -> bool:
    return module.__name__.partition(".")[0] not in {"numpy", "numba", "causalbandits", *sys.stdlib_module_names}


def _names(code: pytypes.CodeType) -> set[str]:
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, pytypes.CodeType))
    return set(code.co_names).union(*inner)
