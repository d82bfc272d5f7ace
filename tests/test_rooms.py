"""Who may import whom: the rooms of docs/architecture.md, held to the imports in the sources."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import causalbandits

ROOT = Path(causalbandits.__file__).parent
GROUND = {"errors", "money", "intervention", "graph", "lease"}
CONTRACT = {"policies.contract", "policies.columns", "policies.view"}  # what the engine knows of policies
# cli sees everything
MAY: dict[str, set[str]] = {
    "errors": set(),
    "display": set(),
    "money": {"errors"},
    "intervention": {"errors"},
    "graph": {"display", "errors", "intervention"},
    "identify": {"display", "errors", "graph", "intervention"},
    "lease": set(),
    "mechanisms": {"errors", "graph"},
    "arms": GROUND,
    "reward": {"errors", "graph"},
    "problem": GROUND | {"arms", "display", "identify", "reward"},
    "world": GROUND | {"arms", "mechanisms", "problem", "reward"},
    "worlds": {"errors", "mechanisms", "world"},
    "engine": {"errors", *CONTRACT},
    "bounds": {"errors", "engine", "policies.maths"},
    "policies": GROUND | {"engine.bridge", "engine.fingerprint", "engine.streams", "identify", "problem"},
    "advice": {"display", "errors", "money", "policies", "problem"},
    "files": GROUND | {"advice", "arms", "display", "identify", "mechanisms", "policies", "problem", "reward"},
    "regret": {"errors", "money", "problem"},
    "simulation": GROUND | {"advice", "display", "engine", "files", "policies", "problem", "regret", "world"},
    "plot": {"display", "errors", "regret", "simulation"},
    "live": GROUND
    | {
        "advice",
        "display",
        "engine.bridge",
        "engine.compile",
        "engine.fingerprint",
        "engine.streams",
        "files",
        "policies",
        "problem",
    },
    "studies": {"errors", "money", "plot", "policies", "problem", "regret", "simulation", "world"},
    "papers": {
        "bounds",
        "errors",
        "mechanisms",
        "plot",
        "policies",
        "problem",
        "studies",
        "world",
        "worlds",
    },
    "comparison": {
        "bounds",
        "errors",
        "files",
        "mechanisms",
        "money",
        "papers",
        "policies",
        "problem",
        "studies",
        "world",
        "worlds",
    },
    "adversary": {
        "advice",
        "errors",
        "files",
        "mechanisms",
        "plot",
        "policies",
        "problem",
        "regret",
        "simulation",
        "world",
    },
    "testing": {
        "engine.compile",
        "engine.streams",
        "errors",
        "live",
        "policies",
        "problem",
        "simulation",
        "world",
        "worlds",
    },
    "bench": {"engine", "mechanisms", "policies", "problem", "simulation", "world", "worlds"},
}
ALSO: dict[str, set[str]] = {  # single files that may see more than their room
    "engine/cpu/tables.py": {"mechanisms"},  # the arrays of the sampler are built from a world's mechanisms
    "problem.py": {"policies.view"},  # Problem.view, for policies of version 0.1
    "files/world_files.py": {"world"},
    "files/json_world.py": {"world"},
}


def imports_of(path: Path) -> set[str]:
    """The modules of the package that a file imports when it runs. Imports for type checking alone do not count."""
    tree = ast.parse(path.read_text())
    typing_only = {
        id(n)
        for top in ast.walk(tree)
        if isinstance(top, ast.If) and "TYPE_CHECKING" in ast.dump(top.test)
        for n in ast.walk(top)
    }
    package = list(path.relative_to(ROOT).parts[:-1])
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and id(node) not in typing_only:
            base = [*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                inner = ROOT.joinpath(*base, alias.name)
                found.add(
                    ".".join([*base, alias.name] if inner.is_dir() or inner.with_suffix(".py").exists() else base)
                )
    return found


def is_allowed(module: str, allowed: set[str]) -> bool:
    parts = module.split(".")
    return any(".".join(parts[:n]) in allowed for n in range(1, len(parts) + 1))


FILES = sorted(
    path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in {"__init__.py", "__main__.py", "cli"}
)


def test_all_rooms_are_looked_at() -> None:
    assert len(FILES) > 90
    assert {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES} == set(MAY)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_what_its_room_may(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    room = name.partition("/")[0].removesuffix(".py")
    allowed = MAY[room] | {room} | ALSO.get(name, set())
    assert [module for module in sorted(imports_of(path)) if not is_allowed(module, allowed)] == []


def test_nothing_imports_the_command_line() -> None:
    assert [path for path in FILES if is_allowed("cli", imports_of(path))] == []


def test_reading_a_problem_needs_no_world() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "files/toml/reading.py"]
    while waiting:
        path = waiting.pop()
        if path not in reached and path.exists():
            reached.add(path)
            waiting += [ROOT.joinpath(*module.split(".")).with_suffix(".py") for module in imports_of(path)]
    names = {path.relative_to(ROOT).as_posix() for path in reached}
    assert {"problem.py", "policies/registry.py"} <= names
    assert not names & {"world.py", "worlds.py", "simulation/simulate.py"}


def test_neither_the_engine_nor_a_simulation_names_a_policy() -> None:
    for path in [*(ROOT / "engine").rglob("*.py"), *(ROOT / "simulation").rglob("*.py")]:
        tree = ast.parse(path.read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
            a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names
        }
        assert not names & {policy.__name__ for policy in causalbandits.policies.REGISTRY.values()}, path.name


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        (
            "import causalbandits",
            (
                "numba",
                "networkx",
                "numpy",
                "opt_einsum",
                "matplotlib",
                "pandas",
                "pydantic",
                "rich",
                "typer",
                "sqlalchemy",
            ),
        ),
        (
            "import causalbandits as cb; cb.Graph, cb.Intervention, cb.InputError; import causalbandits.money",
            ("numba", "networkx"),
        ),
        (
            "import causalbandits.identify.teaching, causalbandits.files.bif",
            ("numba", "networkx", "opt_einsum", "pandas", "pydantic", "rich", "typer"),
        ),
        (
            "import causalbandits as cb; cb.simulate",
            ("networkx", "opt_einsum", "matplotlib", "pandas", "pydantic", "rich", "typer", "sqlalchemy"),
        ),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(statement: str, heavy: tuple[str, ...]) -> None:
    code = f"import sys; {statement}; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
