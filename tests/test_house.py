"""Rules of the house that a machine can check: line lengths, long argument lists, names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_a_value_has_a_noun_for_its_name(path: Path) -> None:
    tree = ast.parse(path.read_text())
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    assert stored & NOT_NAMES == set()
