"""docs/problem-files.md is true: it has every key that the reader accepts, and its examples are read."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import TypeAdapter

import causalbandits as cb
from causalbandits.cli.options import KEYS
from causalbandits.files.toml.document import Document, VariableSection
from causalbandits.files.toml.keys import FILE, VARIABLE, WORLD

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
    for command in ("check", "init"):
        assert KEYS in " ".join(output_of(command, "--help").split())


def test_the_command_keys_explains_the_same_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = json.loads(output_of("keys", "--json"))
    assert [key["name"] for key in listed] == keys_in("The whole file") + keys_in("Variables")
    for width in (60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        text = output_of("keys")
        assert max(map(len, text.splitlines())) <= width
        assert all(re.search(rf"^{key['name']}\b", text, re.MULTILINE) for key in listed)


def test_an_example_of_a_key_is_one_that_the_reader_accepts() -> None:
    for section, model in ((FILE, Document), ((*VARIABLE, *WORLD), VariableSection)):
        for key in section:
            if "section" not in key.example:
                value = tomllib.loads(f"x = {key.example}", parse_float=Decimal)["x"]
                field = model.model_fields[key.name]
                TypeAdapter(Annotated[field.annotation, *field.metadata, None]).validate_python(value)
