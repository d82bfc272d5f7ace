"""Fingerprints of code: what changes the work of a function changes its fingerprint, and nothing else does."""

from __future__ import annotations

import functools
import gc
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.fingerprint import fingerprint

BOTH_WAYS = pytest.mark.parametrize("by_source", [False, True], ids=["by code", "by source"])

ORIGINAL = """
LIMIT = 1

def helper(x):
    "What it is for."
    return x

def make(step):
    def ask(x, most=5, *, least=0):
        return min(max(helper(x) + LIMIT + step, least), most)
    return ask

ask = make(2)
"""
CHANGES = {
    "its own code": ("+ LIMIT + step", "- LIMIT + step"),
    "a function that it calls": ("return x\n", "return x + 1\n"),
    "a global value": ("LIMIT = 1", "LIMIT = 2"),
    "a value that it encloses": ("make(2)", "make(3)"),
    "a default": ("most=5", "most=6"),
    "a keyword's default": ("least=0", "least=1"),
}


def functions_of(text: str, folder: Path) -> dict[str, Any]:
    """The names that a module defines. It lies in a file, so that its source can be read."""
    path = folder / f"module_{len(list(folder.iterdir()))}.py"
    path.write_text(text)
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(text, str(path), "exec", dont_inherit=True), names)
    return names


def print_of(text: str, folder: Path, by_source: bool) -> str:
    return fingerprint(functions_of(text, folder)["ask"], by_source=by_source)


@BOTH_WAYS
@pytest.mark.parametrize(("old", "new"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_a_function_uses_changes_its_fingerprint(
    old: str, new: str, by_source: bool, tmp_path: Path
) -> None:
    assert ORIGINAL.count(old) == 1
    before, again = (print_of(ORIGINAL, tmp_path, by_source) for _ in range(2))
    assert before == again
    assert print_of(ORIGINAL.replace(old, new), tmp_path, by_source) != before


@BOTH_WAYS
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return x\n", "# why\n    return x  # what\n"),
        ("What it is for.", "Other words for it."),
        ("LIMIT = 1\n", "LIMIT = 1\nUNUSED = 2\n\n\n"),
    ],
    ids=["comments", "words of a docstring", "what is not used"],
)
def test_comments_words_of_docstrings_and_unused_values_do_not_count(
    old: str, new: str, by_source: bool, tmp_path: Path
) -> None:
    assert print_of(ORIGINAL.replace(old, new), tmp_path, by_source) == print_of(ORIGINAL, tmp_path, by_source)


def double(x: int) -> int:
    return 2 * x


def triple(x: int) -> int:
    return 3 * x


class Holder:
    def double(self, x: int) -> int:
        return 2 * x

    def triple(self, x: int) -> int:
        return 3 * x


WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "lru_cache": functools.lru_cache(maxsize=8),
    "a cache of a cache": lambda function: functools.cache(functools.lru_cache(maxsize=8)(function)),
    "wraps": lambda function: functools.wraps(function)(functools.lru_cache(function)),
    "partial": lambda function: functools.partial(function, 1),
    "partial of a cache": lambda function: functools.partial(functools.cache(function), 1),
    "a compiled function": numba.njit,
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_a_wrapper_counts_by_what_it_wraps(wrap: Callable[[Any], Any]) -> None:
    """Two wrappers lie at two places in memory; the fingerprint must not depend on that."""
    assert fingerprint(wrap(double)) == fingerprint(wrap(double))
    assert fingerprint(wrap(double)) != fingerprint(wrap(triple))


@BOTH_WAYS
def test_a_bound_method_counts_by_its_function(by_source: bool) -> None:
    assert fingerprint(Holder().double, by_source=by_source) == fingerprint(Holder.double, by_source=by_source)
    assert fingerprint(Holder().double, by_source=by_source) != fingerprint(Holder().triple, by_source=by_source)


def test_the_arguments_of_a_partial_count() -> None:
    prints = {
        fingerprint(functools.partial(double, *args, **more)) for args, more in [((1,), {}), ((2,), {}), ((), {"x": 1})]
    }
    assert len(prints) == 3


def test_functions_that_call_each_other_have_a_fingerprint(tmp_path: Path) -> None:
    text = "def ask(x):\n    return other(x)\n\n\ndef other(x):\n    return ask(x - 1) if x else {}\n"
    assert print_of(text.format(0), tmp_path, False) != print_of(text.format(1), tmp_path, False)


@pytest.mark.parametrize(
    "value", [object(), np.random.default_rng(1), iter([1])], ids=lambda value: type(value).__name__
)
def test_an_object_without_a_stable_form_is_refused_in_one_sentence(value: object) -> None:
    """Its repr names a place in memory, which is another one in every process."""

    def ask(x: int) -> object:
        return value, x

    with pytest.raises(cb.InputError, match=r"^A policy uses .*, which has no stable form; use [^\n]*\.$") as caught:
        fingerprint(ask)
    assert type(value).__name__ in str(caught.value)
    assert "0x" not in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}),
        ({"a", "b", "c"}, {"a", "b", "d"}),
        (np.arange(3), np.arange(3.0)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        ((1, (2, 3)), (1, 2, 3)),
        ((1, 2), ("1", "2")),
        (True, 1),
    ],
    ids=["dicts", "sets", "types of arrays", "shapes of arrays", "nested tuples", "texts and numbers", "true and one"],
)
def test_different_values_have_different_fingerprints(one: object, other: object) -> None:
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(other)


def test_values_have_the_same_fingerprint_in_every_process(tmp_path: Path) -> None:
    """The order of a set differs between processes, because texts have other hashes there."""
    program = """
    import numpy as np
    from causalbandits.engine.fingerprint import fingerprint

    NAMES = {"alpha", "beta", "gamma", "delta"}
    COSTS = {"alpha": 1.5, "beta": frozenset({"x", "y", "z"})}
    TABLE = np.arange(6.0).reshape(2, 3)

    def ask(x):
        return x in NAMES, x in {"one", "two", "three", "four"}, COSTS, TABLE

    print(fingerprint(ask), fingerprint(ask, by_source=True))
    """
    (tmp_path / "values.py").write_text(textwrap.dedent(program))
    outputs = set()
    for seed in range(4):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, str(tmp_path / "values.py")]
        outputs.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(outputs) == 1


class Garbage:
    """Runs Python code when it is collected, so another thread may go on in the middle of building a syntax tree."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        sum(range(50))


def test_many_threads_can_compute_fingerprints_at_once() -> None:
    """Python 3.11 fails with a SystemError when two threads build syntax trees at once; a lock prevents that."""

    def of_top_two(_: int) -> str:
        for _ in range(20):
            Garbage()
        return fingerprint(cb.TopTwo.ask, by_source=True)

    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10, 1, 1)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = set(pool.map(of_top_two, range(100)))
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)
    assert len(found) == 1
