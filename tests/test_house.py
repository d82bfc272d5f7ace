"""Rules of the house that a machine can check: line lengths, long argument lists, names."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from causalbandits.errors import missing_extra

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MOST_POSITIONAL = 8
MEASURED: set[str] = set()  # functions with more arguments, because a measurement at the place says so
NOT_NAMES = {"said", "told", "meant"}  # verbs of the past are no names for values


def test_there_is_something_to_look_at() -> None:
    assert len(SOURCES) > 100
    assert len(DOCUMENTS) > 5


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_of_documents_are_at_most_100_characters_long(path: Path) -> None:
    """Tables, links and blocks of code are excepted."""
    assert list(_long_lines(path.read_text())) == []


def _long_lines(text: str) -> Iterator[str]:
    in_code = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            in_code = not in_code
        is_excepted = in_code or line.lstrip().startswith(("|", "<", "![")) or re.search(r"\]\([^)]*\)|https?://", line)
        if len(line) > 100 and not is_excepted:
            yield line


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_no_function_takes_a_caravan_of_positional_arguments(path: Path) -> None:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args]]
            number = len(names) - (names[:1] in (["self"], ["cls"]))
            if number > MOST_POSITIONAL and node.name not in MEASURED:
                found.append(f"{node.name} takes {number}")
        if isinstance(node, ast.Call) and len(node.args) > MOST_POSITIONAL:
            name = ast.unparse(node.func)
            if name not in MEASURED and name.rpartition(".")[2] not in ("Table", "create_table"):  # of SQLAlchemy
                found.append(f"{name} is called with {len(node.args)} in line {node.lineno}")
    assert found == []


def test_only_one_function_says_how_to_install_an_extra() -> None:
    """It writes quotation marks that every shell accepts."""
    naming = [path.name for path in SOURCES if re.search(r"install\b.*causalbandits\[", path.read_text())]
    assert naming == ["errors.py"]
    assert str(missing_extra("Figures need", "matplotlib", "plot")) == (
        'Figures need matplotlib; pip install "causalbandits[plot]".'
    )


def test_every_extra_that_a_message_names_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    calls = [
        [ast.literal_eval(node.args[i]) for i in (0, 2) if isinstance(node.args[i], ast.Constant)]
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "missing_extra"
    ]
    assert len(calls) > 6
    assert all(extra in extras for _, *named in calls for extra in named)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_a_value_has_a_noun_for_its_name(path: Path) -> None:
    tree = ast.parse(path.read_text())
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    assert stored & NOT_NAMES == set()
