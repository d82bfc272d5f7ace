"""The report of the whole paper with few runs: made once for all tests that read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..cli.commands import run_command


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole paper with few runs, made by the command."""
    out = tmp_path_factory.mktemp("made") / "report"
    answer = run_command("paper", "--runs", "12", "--seed", "3", "--out", str(out))
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("\n") == 1
    assert answer.stdout.startswith(f"The report is in {out / 'index.html'} (")
    return out


@pytest.fixture(scope="session")
def claims(report: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((report / "claims.json").read_text())
    return found
