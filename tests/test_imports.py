"""Who may import whom: the layers of the design, read off the sources."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import causalbandits

ROOT = Path(causalbandits.__file__).parent
BASICS = {"errors", "money", "intervention", "graph"}
MAY: dict[str, set[str]] = {
    "errors": set(),
    "money": {"errors"},
    "intervention": {"errors"},
    "graph": {"errors", "intervention"},
    "engine": set(),
    "bounds": {"engine", "errors"},
    "design": set(),
    "mechanisms": {"errors", "graph"},
    "problem": BASICS | {"engine"},
    "world": BASICS | {"mechanisms", "problem"},
    "worlds": {"errors", "mechanisms", "world"},
    "policies": BASICS | {"engine", "bounds", "design", "problem"},
    "recommend": {"errors", "money", "policies", "problem"},
    "regret": {"problem"},
    "saving": {"errors", "graph", "money", "policies", "problem"},
    "saving_world": {"mechanisms", "saving", "world"},
    "result": {"errors", "money", "policies", "problem", "regret", "saving", "saving_world", "world"},
    "jobs": {"engine", "errors", "policies"},
    "digest": {"errors", "jobs", "money", "problem", "regret", "result"},
    "simulate": {"digest", "engine", "errors", "intervention", "jobs", "money", "policies", "problem", "recommend", "regret", "result", "world"},
    "sweep": {"engine", "errors", "money", "policies", "problem", "result", "saving", "saving_world", "simulate", "world"},
    "lease": set(),
    "live": BASICS | {"engine", "lease", "policies", "problem", "recommend", "saving"},
    "plot": {"errors", "regret", "result"},
    "files": BASICS | {"lease", "mechanisms", "policies", "problem", "recommend"},  # no world: an experiment reads them
    "world_files": {"errors", "files", "graph", "mechanisms", "world"},
    "telling": {"regret", "result"},
    "bench": {"engine", "mechanisms", "policies", "problem", "result", "simulate", "world", "worlds"},
}  # cli, cli_live, papers and the package itself see everything


def imports_of(path: Path) -> set[str]:
    """The parts of the package that a file imports when it runs; imports for the type checker alone do not count."""
    tree = ast.parse(path.read_text())
    typing_only = {id(n) for top in ast.walk(tree) if isinstance(top, ast.If) and "TYPE_CHECKING" in ast.dump(top.test) for n in ast.walk(top)}
    depth = len(path.relative_to(ROOT).parts)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and id(node) not in typing_only and node.level == depth:
            found |= {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
    return found


def test_every_file_imports_only_what_its_layer_may() -> None:
    files = [
        path
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] not in {"__init__.py", "__main__.py", "cli.py", "cli_live.py", "papers"}
    ]
    assert len(files) > 25
    for path in files:
        layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
        extra = imports_of(path) - MAY[layer] - {layer}
        # The sampler's tables are built from a world's mechanisms, which the engine is handed and does not choose.
        assert extra <= ({"mechanisms"} if path == ROOT / "engine" / "tables.py" else set()), f"{path.relative_to(ROOT)} imports {sorted(extra)}"


def test_reading_a_problem_needs_no_world() -> None:
    reached, waiting = set(), ["files"]
    while waiting:
        layer = waiting.pop()
        if layer not in reached:
            reached.add(layer)
            waiting += MAY[layer]
    assert {"problem", "policies"} <= reached
    assert not reached & {"world", "worlds", "simulate"}


def test_neither_the_engine_nor_simulate_names_a_policy() -> None:
    for path in [*(ROOT / "engine").glob("*.py"), ROOT / "simulate.py", ROOT / "jobs.py"]:
        tree = ast.parse(path.read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
            a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names
        }
        assert not names & {policy.__name__ for policy in causalbandits.policies.REGISTRY.values()}, path.name


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("networkx", "opt_einsum", "matplotlib", "pandas", "pydantic", "rich", "typer", "sqlalchemy")
    code = f"import sys, causalbandits; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
