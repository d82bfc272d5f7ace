"""docs/problem-files.md is true: it has every key that the reader accepts, and its examples are read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.cli.options import KEYS
from causalbandits.files.toml.document import Document, VariableSection

from .cli.commands import output_of

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "problem-files.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def keys_in(heading: str) -> list[str]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_the_page_has_every_key_that_the_reader_accepts_and_no_other() -> None:
    for heading, section in (("The whole file", Document), ("Variables", VariableSection)):
        documented = keys_in(heading)
        assert len(documented) == len(set(documented))
        assert set(documented) == set(section.model_fields)


def test_every_key_that_is_needed_is_marked_so() -> None:
    needed = re.findall(r"^\| `(\w+)` \|.*\| needed \|$", PAGE, re.MULTILINE)
    sections = (Document, VariableSection)
    assert needed == [name for s in sections for name, field in s.model_fields.items() if field.is_required()]


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_of_the_page_is_read_and_its_policy_accepts_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(text)
    setup = cb.read_problem(path)
    assert setup.policies()
    assert (setup.tables is not None) == ("noise" in text or "table]" in text)
    if setup.tables is not None:
        world = cb.read_world(path)
        assert cb.simulate(world, setup.problem, "ucb", runs=2).runs == 2
    output_of("check", path)


def test_the_examples_show_the_keys_that_are_hard_to_guess() -> None:
    shown: set[str] = set()
    for text in EXAMPLES:
        file = tomllib.loads(text)
        shown |= set(file).union(*(set(section) for section in file["variables"].values()))
    assert {"given", "table", "weights", "noise", "intercept", "reward_parents", "cost", "arms", "bounds"} <= shown
    assert 'values = "real"' in PAGE


def test_the_page_is_where_users_look() -> None:
    assert "(docs/problem-files.md)" in (ROOT / "README.md").read_text()
    assert "(problem-files.md)" in (ROOT / "docs" / "guide.md").read_text()
    assert KEYS.rsplit(" ", 1)[1].rstrip(".") == "docs/problem-files.md"
    assert "docs/problem-files.md" in " ".join(output_of("check", "--help").split())
