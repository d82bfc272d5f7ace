"""What people read stays readable at 60 and 80 columns, in a terminal and in a pipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.cli.live_printing import as_text

from ..files.texts import EXAMPLE
from .commands import output_of, run_command

SEEN = {"Image": "small", "Description": "short", "Comparison": "none"}
LONG = "do(Comparison=competitor)"


@pytest.fixture
def experiment(memory: str) -> cb.Experiment:
    made = cb.Experiment.create(memory, "checkout", cb.read_problem(EXAMPLE), "ucb")
    for reward in (1, 0):
        trial = made.ask(worker="web-3")
        made.tell(trial.number, reward, {**SEEN, **trial.intervention})
    made.ask(worker="web-3")
    made.import_observations([{**SEEN, "Purchase": "no"}] * 40)
    return made


def fits(text: str, width: int) -> None:
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text  # nothing is cut off


@pytest.mark.parametrize("width", [60, 80])
def test_status_and_recommendation_fit(width: int, experiment: cb.Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for record in (experiment.status(), experiment.recommend()):
        text = as_text(record)
        fits(text, width)
        words = " ".join(text.split())
        assert "rounds" in words
        assert "what watching added" in words.lower()
        assert "(its pulls)" in words
        assert "effective pulls" in words
        assert not re.search(r"\de-\d", words)
    status = as_text(experiment.status())
    assert all(str(arm) in status for arm in experiment.problem.arms)  # every name is whole
    assert "web-3" in status


def test_the_columns_count_rounds_and_what_watching_added(
    experiment: cb.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = as_text(experiment.status()).splitlines()
    assert re.fullmatch(r"arm +rounds  what watching added +mean  interval", lines[3])
    row = next(line for line in lines if line.startswith("do(Image=small)"))
    arm = experiment.status().arms[experiment.problem.arm("do(Image=small)")]
    assert row.split()[1:3] == [str(arm.pulls), str(arm.effective_pulls - arm.pulls)]
    assert (arm.pulls, arm.effective_pulls) == (1, 42)


@pytest.mark.parametrize("width", [60, 80])
def test_policies_and_check_fit(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (["policies"], ["policies", "--for", EXAMPLE], ["check", EXAMPLE]):
        fits(output_of(*words), width)
    listed = output_of("policies")
    for kind, policy in cb.policies.REGISTRY.items():
        assert f"{kind} ({policy.__name__})\n" in listed
    assert LONG in output_of("check", EXAMPLE)


@pytest.mark.parametrize("width", ["1", "0", "wide"])
def test_an_impossible_width_is_no_error(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    for words in (["policies"], ["check", EXAMPLE], ["keys"]):
        assert output_of(*words)


def test_in_a_pipe_a_line_has_80_columns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    longest = max(map(len, run_command("check", str(EXAMPLE)).stdout.splitlines()))
    assert 60 < longest <= 80
