"""`causalbandits compare`: a report of claims that hold or fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .commands import run_command


@pytest.mark.slow
def test_the_command_writes_a_report_of_claims_that_hold_or_fail(tmp_path: Path) -> None:
    answer = run_command(
        "compare", "--only", "cases", "--runs", "20", "--seed", "2", "--out", str(tmp_path / "a"), "--json"
    )
    assert answer.returncode == 0, answer.stderr
    claims = json.loads(answer.stdout)
    assert [claim["id"] for claim in claims] == ["R1", "R2", "R3"]
    assert {claim["verdict"] for claim in claims} <= {"holds", "fails", "inconclusive", "not testable"}
    assert (
        json.loads((tmp_path / "a" / "report.json").read_text())["command"]
        == "causalbandits compare --only cases --runs 20 --seed 2"
    )
    again = run_command("compare", "--only", "R1", "--runs", "20", "--seed", "2", "--out", str(tmp_path / "b"))
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "a" / "data" / "cases.csv").read_bytes() == (tmp_path / "b" / "data" / "cases.csv").read_bytes()


def test_an_unknown_part_is_answered_with_one_sentence(tmp_path: Path) -> None:
    answer = run_command("compare", "--only", "5", "--out", str(tmp_path / "a"))
    assert answer.returncode != 0
    assert "worlds-earn" in answer.stderr
    assert answer.stderr.count("\n") == 1
    paper = run_command("paper", "ours")
    assert paper.returncode != 0  # it is not a paper
    assert "nair2021" in paper.stderr
