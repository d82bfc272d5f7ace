"""What the documents say is true: the README's examples run, its names exist, the commands are there."""

from __future__ import annotations

import csv
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import causalbandits as cb

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def command(*words: str) -> subprocess.CompletedProcess[str]:
    code = "from causalbandits.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


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


def test_the_policies_command_lists_the_registry_with_papers() -> None:
    rows = json.loads(command("policies", "--json").stdout)
    assert {row["name"]: row["class"] for row in rows} == {
        kind: policy.__name__ for kind, policy in cb.policies.REGISTRY.items()
    }
    assert all(row["paper"] and row["about"] for row in rows)
    table = command("policies").stdout
    assert all(kind in table for kind in cb.policies.REGISTRY)


@pytest.mark.xdist_group("report")
@pytest.mark.slow
def test_the_readme_shows_the_verdicts_of_the_whole_paper(tmp_path: Path) -> None:
    assert command("paper", "--out", str(tmp_path)).returncode == 0
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert len(claims) == 18
    said = re.findall(r"^\| ([ET]\d\w?) \| (.*) \| (.*) \| (.*) \|$", README, re.MULTILINE)
    assert said == [(c["id"], c["statement"], c["verdict"], c["evidence"]["summary"]) for c in claims]
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


def test_an_unknown_command_is_answered_without_a_traceback() -> None:
    answer = command("papers")
    assert answer.returncode != 0
    assert "Traceback" not in answer.stderr
    assert "paper" in answer.stderr


def test_a_figure_shows_every_policy(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    matplotlib.use("Agg")
    from causalbandits import plot

    world = cb.worlds.marketing()
    result = cb.simulate(
        world, world.problem(budget=100, cost=2), [cb.UCB(), cb.FKube()], runs=5, checkpoints=[50, 100]
    )
    axes = plot.cumulative_regret(result).axes[0]
    assert [line.get_label() for line in axes.lines] == ["ucb", "f-kube"]
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(result.summary()["ucb"].cumulative_regret.mean)
