"""The command line as a whole: mistakes are answered in one sentence, without a traceback."""

from __future__ import annotations

from .commands import run_command


def test_an_unknown_command_is_answered_without_a_traceback() -> None:
    answer = run_command("papers")
    assert answer.returncode != 0
    assert "Traceback" not in answer.stderr
    assert "paper" in answer.stderr


def test_the_command_line_answers_a_mistake_without_a_traceback() -> None:
    answer = run_command("paper", "--runs", "0")
    assert answer.returncode != 0
    assert answer.stdout == ""
    assert (
        answer.stderr.strip()
        == "causalbandits: The number of runs must be at least 2, not 0; one run tells nothing about a mean."
    )
