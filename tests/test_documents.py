"""What the documents say is true: the README's examples run, its names exist, the commands are there."""

from __future__ import annotations

import csv
import json
import re
import runpy
from pathlib import Path

import pytest

import causalbandits as cb

from .cli.commands import output_of, run_command
from .files.texts import EXAMPLE

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_examples_of_the_readme_run_and_say_what_the_comments_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "readme"}
    examples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example.replace("runs=1000", "runs=50"), "README.md", "exec", dont_inherit=True), names)
    assert (tmp_path / "result.npz").exists()
    assert cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3).mean("do(X1=1)") == pytest.approx(
        0.8, abs=1e-12
    )
    assert names["problem"].backdoor_path("do(Promotion=yes)") == "Promotion <- Season -> Purchase"  # type: ignore[attr-defined]


def test_the_readme_lists_every_policy() -> None:
    listed = dict(re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", README, re.MULTILINE))
    assert listed == {kind: policy.__name__ for kind, policy in cb.policies.REGISTRY.items()}


def test_every_public_name_exists() -> None:
    for name in cb.__all__:
        assert getattr(cb, name) is not None


@pytest.mark.xdist_group("report")
@pytest.mark.slow
def test_the_readme_shows_the_verdicts_of_the_whole_paper(tmp_path: Path) -> None:
    assert run_command("paper", "--out", str(tmp_path)).returncode == 0
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert len(claims) == 18
    listed_claims = re.findall(r"^\| ([ET]\d\w?) \| (.*) \| (.*) \| (.*) \|$", README, re.MULTILINE)
    assert listed_claims == [(c["id"], c["statement"], c["verdict"], c["evidence"]["summary"]) for c in claims]
    with open(tmp_path / "data" / "4-tables.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    one, other = (
        {r["table"]: float(r["mean"]) for r in rows if r["curve"] == name and r["measure"] != "ratio"}
        for name in ("C-UCB-2", "C-UCB")
    )
    assert len(one) == 200
    assert sum(one[table] > other[table] for table in one) > 100  # "loses more than C-UCB on most of"


def test_the_tables_of_speed_are_those_of_the_measurement() -> None:
    """What docs/performance.py would write stands there already: no number is typed by hand."""
    made = runpy.run_path(str(ROOT / "docs/performance.py"))
    assert set(made["BLOCKS"]) == {"docs/performance.md", "README.md"}
    for path, blocks in made["BLOCKS"].items():
        text = (ROOT / path).read_text()
        assert all(f"<!-- {name} -->\n{block}\n<!-- end -->" in text for name, block in blocks.items()), (
            f"{path}: run docs/performance.py"
        )


@pytest.mark.parametrize("document", [README, EXAMPLE.read_text()], ids=["readme", "example"])
def test_the_commands_of_the_documents_run(document: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    commands = re.findall(r"^(?:# +)?causalbandits ((?:check|simulate) .*?)(?:  |$)", document, re.MULTILINE)
    assert {command.split()[0] for command in commands} == {"check", "simulate"}
    for command in commands:
        assert ("crm-nb" if "crm-nb" in command else "causal-kl is recommended") in output_of(
            *command.replace("--runs 1000", "--runs 5").split()
        )
