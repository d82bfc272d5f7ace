"""The summary of docs/comparison.md shows the best of the others beside our policies, computed from the data."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path
from typing import Any

import pytest

from causalbandits.comparison import PAPER, networks

for module in ("matplotlib", "jinja2", "scipy"):
    pytest.importorskip(module, reason="the extra [report] is not installed")

ROOT = Path(__file__).parents[2]
MEANS = {"factor-ucb": 0.1, "factor-find": 0.2, "causal-kl": 0.3, "top-two": 0.4, "causal-ucb": 0.5, "KL-UCB": 0.6}
SHOWN = {"1": 0.06, "3-along-0.3-1.1": 30_000, "fair-3-0.3": 1.1}  # values of an axis that a row shows alone


@pytest.fixture
def update() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "update.py"))


def write_data(folder: Path, **means: float) -> None:
    """Data of the whole comparison, in which a policy has the same mean in all its studies. Others have 0.9.

    The other measures of a study, and the values that no row shows, have other means.
    """
    (folder / "data").mkdir(parents=True)
    parts = [part for part in PAPER.parts if part.id != "networks"]
    studies = [study for part in parts for study in part.studies]
    for study in [*studies, *(networks.study_of(network) for network in networks.NETWORKS)]:
        with open(folder / "data" / f"{study.id}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([study.axis.name, "measure", "curve", "mean"])
            for value in study.values:
                for measure in study.measures:
                    for policy in study.policies:
                        mean = (MEANS | means).get(policy.label, 0.9)
                        is_shown = value == SHOWN.get(study.id, value) and measure is study.measures[-1]
                        writer.writerow([f"{value:.10g}", measure.name, policy.label, mean if is_shown else 77 + mean])


def rows_of(table: str) -> dict[str, tuple[str, str]]:
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()[2:] if not line.startswith("| **")]
    return {row[0]: (row[1], row[2]) for row in cells}


def test_every_row_has_the_best_of_the_others_and_ours(update: dict[str, Any], tmp_path: Path) -> None:
    write_data(tmp_path)
    table = update["summary"](tmp_path)
    rows = rows_of(table)
    assert table.count("**") == 4
    assert len(rows) == sum(len(update[name]) for name in ("PAPERS_ROWS", "FAIR_ROWS", "UNREVEALED_ROWS")) == 19
    paper, fair = rows["find: simple regret, 100 random worlds"], rows["earn: 100 random worlds with backdoor paths"]
    assert paper == ("0.900 (OBS-ALG)", "0.400 (`top-two`), 0.200 (`factor-find`)")
    assert rows["earn: Experiment 3, ε = 0.3, γ = 1.1, budget 10,000"] == (
        "1 (KL-UCB)",
        "0 (`causal-kl`), 0 (`factor-ucb`)",
    )
    assert fair == ("30.0% (causal-kl)", "10.0% (`factor-ucb`)")
    assert rows["find: 5 published networks"] == ("0.1000 (factor-ucb)", "0.2000 (`factor-find`)")
    assert rows["earn: 5 published networks"][1] == "7710.0% (`factor-ucb`)"  # another measure
    assert rows["earn: the same, γ = 1.5"][0] == "78 (KL-UCB)"  # another value
    assert rows["find: the same, 2 of 8 variables hidden"][0] == "0.4000 (top-two)"
    assert rows["earn: regret, 200 random tables"] == ("0.9 (causal-ucb-learned)", "0.1 (`factor-ucb`)")


def test_our_policies_with_another_constant_are_no_baselines(update: dict[str, Any], tmp_path: Path) -> None:
    labels = {policy.label for part in PAPER.parts for study in part.studies for policy in study.policies}
    tuned = {label: 0.01 for label in labels if label.startswith("causal-") and "tuned" in label}
    assert tuned
    write_data(tmp_path, **tuned)
    assert rows_of(update["summary"](tmp_path))["find: 100 random worlds with backdoor paths"][0].endswith("(top-two)")
    fair = update["summary"](tmp_path).split("**all baselines")[1].split("**nothing revealed")[0]
    assert "tuned" not in fair


def test_the_rows_of_the_networks_are_left_out_where_they_were_not_run(update: dict[str, Any], tmp_path: Path) -> None:
    write_data(tmp_path)
    for network in networks.NETWORKS:
        (tmp_path / "data" / f"{network.study}.csv").unlink()
    assert not [row for row in rows_of(update["summary"](tmp_path)) if "networks" in row]
    (tmp_path / "data" / "factors-earn-2-3-3000.csv").unlink()
    with pytest.raises(FileNotFoundError):  # a row that should be there is not left out
        update["summary"](tmp_path)
