"""What the documents say is true: examples run, tables are current, commands, links and files exist."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

import causalbandits as cb
from causalbandits.cli import app
from causalbandits.policies.reference import LIBRARY

from .cli.commands import output_of, run_command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LONGEST_README = 90  # lines: one screen and a half
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]


def examples(document: str, language: str = "python") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document, re.DOTALL)


def anchor(heading: str) -> str:
    """The address of a heading inside its page."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# Examples


def test_the_readme_shows_the_output_of_its_example() -> None:
    (example,) = examples(README)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "README.md", "exec", dont_inherit=True), {"__name__": "readme"})
    assert f"```python\n{example}```\n\n```\n{printed.getvalue()}```\n" in README


def test_the_live_lines_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAUSALBANDITS_STORAGE", f"sqlite:///{tmp_path}/experiments.db")
    (snippet,) = examples(README, "sh")
    setting, *lines = snippet.replace("\\\n", " ").splitlines()
    assert setting.startswith("export CAUSALBANDITS_STORAGE=")
    answers = [output_of(*shlex.split(line, comments=True)[1:]) for line in lines]
    assert len(answers) == 5
    assert "Trial 1: do() (watch), 1 round, cost 1, pending" in answers[2]
    assert "1 spent, 0 reserved, 499 left" in answers[4]


def test_the_examples_of_the_guide_run_and_say_what_the_comments_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "guide"}
    found = examples((ROOT / "docs/guide.md").read_text())
    assert len(found) == 2
    for example in found:
        exec(compile(example.replace("runs=1000", "runs=50"), "guide.md", "exec", dont_inherit=True), names)
    assert cb.load("result.npz").summary().keys() == {"gamma-nb", "pb"}
    assert names["world"].mean("do(X1=1)") == pytest.approx(0.8, abs=1e-12)  # type: ignore[attr-defined]
    assert "\nPromotion <- Season -> Purchase\n" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["docs/guide.md", "src/causalbandits/examples/marketing.toml"])
def test_the_commands_about_problem_files_run(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output_of("init", "--example", "marketing")
    document = (ROOT / path).read_text()
    commands = re.findall(r"^(?:# +)?causalbandits ((?:check|simulate) .*?)(?:  |$)", document, re.MULTILINE)
    assert {command.split()[0] for command in commands} == {"check", "simulate"}
    for command in commands:
        answer = output_of(*command.replace("--runs 1000", "--runs 5").split())
        assert ("crm-nb" if "crm-nb" in command else "factor-ucb is recommended") in answer


# Tables


def test_the_tables_from_the_registry_and_of_the_rooms_are_current(tmp_path: Path) -> None:
    """What docs/update.py would write is there already."""
    update = runpy.run_path(str(ROOT / "docs/update.py"))
    found = dict(update["documents"](tmp_path / "no report", tmp_path / "no comparison"))
    assert {path.name for path in found} == {"policies.md", "architecture.md", "problem-files.md", "stress.md"}
    for path, text in found.items():
        assert text == path.read_text(), f"{path.name}: run docs/update.py"


def test_the_page_of_policies_lists_every_policy_of_the_library() -> None:
    page = (ROOT / "docs/policies.md").read_text()
    listed = dict(re.findall(r"^\| \[?`([\w-]+)`(?:\]\(.*?\))? \| `(\w+)` \|", page, re.MULTILINE))
    assert listed == {
        kind: policy.__name__
        for kind, policy in cb.policies.REGISTRY.items()
        if policy.__module__.startswith("causalbandits.")
    }


def test_the_tables_of_speed_are_those_of_the_measurement() -> None:
    """What docs/performance.py would write is there already: no number is typed by hand."""
    made = runpy.run_path(str(ROOT / "docs/performance.py"))
    assert set(made["BLOCKS"]) == {"docs/performance.md"}
    for path, blocks in made["BLOCKS"].items():
        text = (ROOT / path).read_text()
        assert made["written"](text, blocks) == text, f"{path}: run docs/performance.py"
        assert all(f"<!-- {name} -->\n" in text for name in blocks)


@pytest.mark.xdist_group("report")
@pytest.mark.slow
def test_the_page_on_the_paper_shows_the_verdicts_of_the_whole_paper(tmp_path: Path) -> None:
    assert run_command("paper", "--out", str(tmp_path)).returncode == 0
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert len(claims) == 18 + 18
    page = (ROOT / "docs/paper.md").read_text()
    shown = re.findall(r"^\| ([EFT]\d+\w?) \| (.*) \| (.*) \| (.*) \|$", page, re.MULTILINE)
    assert [tuple(cell.replace("\\|", "|") for cell in row) for row in shown] == [
        (c["id"], c["statement"], c["verdict"], c["evidence"]["summary"]) for c in claims
    ]
    made = runpy.run_path(str(ROOT / "docs/update.py"))
    cap = (ROOT / "docs/theory/cap.md").read_text()
    assert made["put"](cap, {"cap": made["cap_table"](tmp_path)}) == cap
    met = [  # by the readings that fit: "With these readings 235 of the 240 published points are met"
        [int(number) for number in counts]
        for claim in claims
        if claim["id"] in {"F1", "F2", "F3", "F5", "F6", "F9", "F12", "F14", "F16", "F18"}
        for counts in re.findall(r"(\d+) of (\d+) published points", claim["evidence"]["summary"])
    ]
    assert f"With these readings {sum(m for m, _ in met)} of the {sum(n for _, n in met)}" in " ".join(page.split())
    with open(tmp_path / "data" / "4-tables.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    one, other = (
        {r["table"]: float(r["mean"]) for r in rows if r["curve"] == name and r["measure"] != "ratio"}
        for name in ("C-UCB-2", "C-UCB")
    )
    assert len(one) == 200
    assert sum(one[table] > other[table] for table in one) > 100  # "loses more than C-UCB on most of"


# Commands, names, files


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_the_commands_in_a_document_exist(document: Path) -> None:
    known = get_command(app).commands  # type: ignore[attr-defined]
    named = re.findall(r"(?:^|`|\$\()causalbandits ([a-z]+)", document.read_text(), re.MULTILINE)
    assert [word for word in named if word not in known] == []
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    made = re.findall(r"(?:^|`)make ([a-z-]+)", document.read_text(), re.MULTILINE)
    assert [target for target in made if target not in targets] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        path, _, section = link.partition("#")
        if path.startswith(("http://", "https://")):
            continue
        target = document.parent / path if path else document
        assert target.exists(), link
        if section:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            assert section in map(anchor, headings), link


def test_the_readme_is_one_screen_and_a_half() -> None:
    assert len(README.splitlines()) <= LONGEST_README
    assert "|---" not in README  # tables are on pages of docs
    assert README.count("![") == 1


def test_every_public_name_exists() -> None:
    for name in cb.__all__:
        assert getattr(cb, name) is not None


def test_the_files_that_the_architecture_names_exist() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    moved = page.partition("## Where things moved")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", moved, re.MULTILINE)[1:]
    assert len(rows) > 60
    paths = [path for _, new in rows for path in re.findall(r"`([\w/.]+)`", new)]
    paths += re.findall(r"`([a-z_0-9/]+/[a-z_0-9]+\.py)`", page.replace(moved, ""))
    places = (ROOT / "src/causalbandits", ROOT)
    assert [path for path in paths if not any((place / path).exists() for place in places)] == []


def test_the_citation_agrees_with_the_package_and_its_bibtex() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^([a-z-]+): \"?(.*?)\"?$", citation, re.MULTILINE))
    assert (fields["version"], fields["license"]) == (project["version"], project["license"])
    assert f"{fields['title']}." == f"{project['name']}: {project['description']}"
    assert re.findall(r"^  - name: \"(.*)\"$", citation, re.MULTILINE) == list(LIBRARY.authors)
