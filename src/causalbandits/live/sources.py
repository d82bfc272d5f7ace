"""The source of a policy as a hash, which a journal records; and the earlier hashes of policies that choose the same.

An experiment continues only with the policy that it has used. Code can change although no choice does: between 0.1 and
0.2 the files and the definition of the hash changed, and some policies got a new parameter. `sources.json` has the
earlier hashes, and what is needed to recognise a user's own policy of 0.1.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import json
from functools import cache, lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..engine.compile import code_of
from ..engine.fingerprint import is_users, names_in, syntax_tree
from ..policies.contract import FUNCTIONS, Policy

PREFIX = "2:"  # marks hashes of this version; those of 0.1 have no mark
NO_STABLE_HASH = "importance-sampling"  # in 0.1 every process gave it another hash


def source_of(policy: Policy) -> str:
    """A hash of the source of a policy and of everything that it uses."""
    return PREFIX + code_of(type(policy), by_source=True)


@lru_cache(maxsize=256)  # every call of an experiment asks
def is_same_source(recorded: str, current: str, policy: Policy) -> bool:
    """Whether the hash that a journal records belongs to the policy, whose present hash is `current`."""
    if recorded == current:
        return True
    is_of_0_1 = not recorded.startswith(PREFIX)
    ours = _earlier()["policies"].get(policy.kind)
    if ours is not None and type(policy).__module__.startswith(__package__.partition(".")[0]):
        is_known = recorded in ours["then"] or (is_of_0_1 and policy.kind == NO_STABLE_HASH)
        return bool(is_known and current == ours["now"])
    return is_of_0_1 and recorded == _EarlierHash().of(type(policy))


@cache
def _earlier() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found


class _EarlierHash:
    """The hash that version 0.1 gave to a user's own policy. Functions of this library count as they were then."""

    def __init__(self) -> None:
        self._hasher = hashlib.sha256()
        self._seen: set[object] = set()

    def of(self, policy_class: Any) -> str:
        self._add(policy_class.reads.name)
        for name in (*FUNCTIONS, "view"):
            self._add(getattr(policy_class, name))
        return self._hasher.hexdigest()

    def _add(self, value: Any) -> None:
        value = getattr(value, "py_func", value)  # a compiled function
        if isinstance(value, FunctionType):
            root = _earlier()["roots"].get(value.__qualname__)
            if root is not None and str(value.__module__).startswith("causalbandits."):
                self._add_program(root)
            else:
                self._add_function(value)
        elif isinstance(value, ModuleType):
            self._hasher.update(value.__name__.encode())
            if is_users(value) and getattr(value, "__file__", None):
                self._hasher.update(Path(str(value.__file__)).read_bytes())
        elif dataclasses.is_dataclass(value) and isinstance(value, type):
            self._hasher.update(repr([(f.name, str(f.type)) for f in dataclasses.fields(value)]).encode())
        elif isinstance(value, np.ndarray):
            self._hasher.update(value.dtype.str.encode() + repr(value.shape).encode() + value.tobytes())
        elif isinstance(value, tuple | list):
            for item in value:
                self._add(item)
        else:
            self._hasher.update(repr(value).encode())

    def _add_program(self, name: str) -> None:
        """A function of this library: the texts that 0.1 hashed for it, in their order."""
        if name not in self._seen:
            self._seen.add(name)
            for step in _earlier()["programs"][name]:
                if isinstance(step, str):
                    self._hasher.update(step.encode())
                else:
                    self._add_program(step["function"])

    def _add_function(self, function: FunctionType) -> None:
        if function in self._seen:
            return
        self._seen.add(function)
        try:
            source = ast.unparse(syntax_tree(function))
        except (OSError, TypeError, SyntaxError):
            # 0.1 hashed the compiled code, which depends on the version of Python. The user must accept such a policy.
            source = ""
        self._hasher.update(source.encode())
        self._add(function.__defaults__)
        for cell in function.__closure__ or ():
            self._add(cell.cell_contents)
        names = names_in(function.__code__)
        for name in sorted(names & function.__globals__.keys()):
            self._hasher.update(name.encode())
            used = function.__globals__[name]
            self._add(used)
            if isinstance(used, ModuleType) and is_users(used):
                for attribute in sorted(names & vars(used).keys()):
                    self._add(vars(used)[attribute])
