"""Numba's internals stay in engine/bridge, and code that was compiled from older sources never runs."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import causalbandits
from causalbandits.engine.bridge import internals

PACKAGE = Path(causalbandits.__file__).parent
ROOT = Path(__file__).parents[3]
PUBLIC = {"numba", "numba.types", "numba.extending", "numba.experimental", "numba.experimental.structref"}
DOCUMENTED = {("numba.core", "cgutils")}  # Numba's guide to extensions shows its use
PRIVATE_WORDS = (
    "_nrt",
    "forceinline",
    "no_cpython_wrapper",
    "no_cfunc_wrapper",
    "pipeline_class",
    "overloads",
    "_cache",
)


def imports_of_numba(path: Path) -> Iterator[tuple[str, str]]:
    """The module and the name of everything that a file imports from Numba beyond its public interface."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            pairs = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            pairs = [(str(node.module), alias.name) for alias in node.names]
        else:
            continue
        for module, name in pairs:
            is_numba = module.partition(".")[0] == "numba"
            is_private = module not in PUBLIC or name == "core" or name.startswith("_")
            if is_numba and is_private and (module, name) not in DOCUMENTED:
                yield module, name


def private_words_of(path: Path) -> set[str]:
    """The options and attributes of compiled functions that a file uses, and that Numba does not document."""
    used = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.keyword) and node.arg:
            used.add(node.arg)
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            used.add(node.value)
    return used & set(PRIVATE_WORDS)


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(PACKAGE.rglob("*.py")) if "bridge" not in path.relative_to(PACKAGE).parts],
    ids=lambda path: path.name,
)
def test_no_file_outside_of_the_bridge_uses_numbas_internals(path: Path) -> None:
    assert (list(imports_of_numba(path)), private_words_of(path)) == ([], set())


def test_the_test_above_sees_internals() -> None:
    bridge = PACKAGE / "engine" / "bridge"
    found = {module for path in bridge.rglob("*.py") for module, _ in imports_of_numba(path)}
    assert "numba.core.caching" in found
    assert {"_nrt", "pipeline_class"} <= private_words_of(bridge / "cache.py")


def test_every_internal_name_that_the_bridge_imports_is_looked_for_first() -> None:
    bridge = PACKAGE / "engine" / "bridge"
    used = {pair for path in bridge.rglob("*.py") for pair in imports_of_numba(path)}
    listed = {(module, name.partition(".")[0]) for module, names in internals.PIECES.items() for name in names}
    assert used <= listed


def test_the_installed_numba_has_all_of_them() -> None:
    assert internals.USED
    assert internals.obstacle() is None


@pytest.mark.parametrize(
    ("version", "is_newer"),
    [("0.63.0", False), ("0.68.1", False), ("0.68.2", True), ("0.69.0rc1", True), ("1.0.0", True)],
)
def test_a_numba_beyond_the_newest_tested_one_is_an_obstacle(
    version: str, is_newer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(internals.numba, "__version__", version)
    monkeypatch.setattr(internals, "NEWEST_TESTED", "0.68.1")
    assert (internals.obstacle() is not None) == is_newer


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in internals.PIECES.items() for name in names]
)
def test_a_missing_piece_is_an_obstacle_that_is_named(module: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    *holders, last = name.split(".")
    holder: Any = import_module(module)
    for part in holders:
        holder = getattr(holder, part)
    for owner in holder.__mro__ if holders else [holder]:  # a class may inherit it
        if last in vars(owner):
            monkeypatch.delattr(owner, last)
    assert f"has no {module}.{name}" in str(internals.obstacle())


TINY = '''
import numpy as np

from ..engine.bridge.record import record
from ..engine.bridge.vectors import ones
from .columns import {columns}
from .contract import Policy
from .registry import register
{imports}

@record
class {name}State:
    sums: np.ndarray


@register
class {name}(Policy):
    """A policy for a test."""

    kind = "{kind}"
    paper = "none"
    reads = {columns}

    def init(self, view):
        return {name}State(np.zeros(view.arms))

    def ask(self, view, state, pending, left, rng):
        return {choice}, 1

    def tell(self, view, state, arm, tally):
        state.sums[arm] += tally.reward - 1.0 - {extra}

    def recommend(self, view, state, rng):
        return 0
'''
TIES = {
    "name": "Tiny",
    "kind": "tiny",
    "columns": "BOTH",
    "imports": "from .maths.ties import best\n",
    "choice": "best(state.sums, rng)",
    "extra": "0.01 * tally.seen[0] - 0.003 * ones(arm)",
}
SIMPLE = {"name": "Simple", "kind": "simple", "columns": "REWARDS", "imports": "", "choice": "0", "extra": "0.0"}
USE = """
import json, sys
import causalbandits as cb
from causalbandits.engine.compile import code_of, compiled_loop
assert cb.__file__.startswith(sys.argv[1]), cb.__file__
world = cb.worlds.confounded_chain()
problem = world.problem(budget=80, cost="1.7", reveal_parents=True)
found = {}
for kind in sys.argv[2:]:
    pulls = cb.simulate(world, problem, kind, runs=20, seed=1, threads=1).pulls[kind].tolist()
    policy = cb.policies.REGISTRY[kind]
    stats = compiled_loop(policy, code_of(policy)).stats
    found[kind] = [pulls, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]
print(json.dumps(found))
"""


class Copy:
    """A copy of the package that a test may edit, with a compile cache of its own, and two small policies in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "causalbandits"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        policies = self.package / "policies"
        (policies / "tiny.py").write_text(TINY.format(**TIES))
        (policies / "simple.py").write_text(TINY.format(**SIMPLE))

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file of the package, which must have it."""
        file = self.package / path
        text = file.read_text()
        assert old in text, f"{path} no longer has {old!r}; choose another edit for this test."
        file.write_text(text.replace(old, new))

    def play(self, *kinds: str) -> dict[str, Any]:
        """Pulls, loads from the cache and compilations of policies, in a new process."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CAUSALBANDITS_CACHE_DIR": str(self.folder / "cache"),
        }
        command = [sys.executable, "-W", "error", "-c", USE, str(self.folder), *kinds]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))


EDITS = [
    ("engine/streams.py", "GOLDEN = np.uint64(0x9E3779B97F4A7C15)", "GOLDEN = np.uint64(0x9E3779B97F4A7C17)"),
    ("engine/bridge/vectors.py", "return builder.ctpop(args[0])", "return builder.add(args[0], args[0])"),
    ("engine/cpu/loop.py", "left -= count * cost", "left = max(left - 2 * count * cost, 0)"),
    ("policies/tiny.py", "tally.reward - 1.0", "tally.reward - 0.9"),
    ("policies/maths/ties.py", "TIE = 1e-12", "TIE = 0.5"),
    ("policies/columns/both.py", "tally.seen[y] += 1", "tally.seen[y] += 100"),
]


def test_a_file_of_every_folder_of_compiled_code_is_edited() -> None:
    """A new folder in engine/ or policies/ needs an edit in the test of stale code."""
    folders = {
        path.parent.relative_to(PACKAGE).as_posix()
        for room in ("engine", "policies")
        for path in (PACKAGE / room).rglob("*.py")
    }
    assert folders == {path.rpartition("/")[0] for path, _, _ in EDITS}


@pytest.mark.slow
def test_no_edit_of_any_folder_runs_stale_code(tmp_path: Path) -> None:
    """Each edit changes the choices of a policy. The next process must show that."""
    copy = Copy(tmp_path)
    first = copy.play("tiny")["tiny"][0]
    for path, old, new in EDITS:
        copy.edit(path, old, new)
        assert copy.play("tiny")["tiny"][0] != first, path
        copy.edit(path, new, old)
        assert copy.play("tiny")["tiny"] == [first, 1, 0], path  # as at first, and loaded from disk


@pytest.mark.slow
def test_an_edit_of_policy_mathematics_recompiles_only_the_policies_that_use_the_changed_code(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    loaded, compiled = [1, 0], [0, 1]

    def how() -> dict[str, list[int]]:
        return {kind: counts for kind, (_, *counts) in copy.play("tiny", "simple").items()}

    assert how() == {"tiny": compiled, "simple": compiled}
    copy.edit(
        "policies/maths/ties.py", '    """The position', '    # A comment.\n    """Another docstring. The position'
    )
    assert how() == {"tiny": loaded, "simple": loaded}
    copy.edit(
        "policies/maths/phases.py",
        "@lean\ndef rarity_threshold(q):\n",
        "@lean\ndef rarity_threshold(q):\n    q = 2.0 * q\n",
    )
    assert how() == {"tiny": loaded, "simple": loaded}
    copy.edit("policies/maths/ties.py", "TIE = 1e-12", "TIE = 1e-11")
    assert how() == {"tiny": compiled, "simple": loaded}
