"""The command line as a whole: mistakes are answered in one sentence, without a traceback."""

from __future__ import annotations

import re

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


def test_a_mistake_in_the_words_of_a_command_is_answered_in_ours() -> None:
    answer = run_command("ask", "checkout", "--count", "x")
    assert answer.returncode == 1
    assert "Input" not in answer.stderr
    assert re.fullmatch(
        r"causalbandits: Invalid value for '--count': .*(whole number|integer).*; .* ask --help explains it\.\n",
        answer.stderr,
    )
    assert "Missing argument" in run_command("status").stderr
    assert run_command("status").stderr.endswith("status --help explains it.\n")
    assert run_command("polices").stderr.endswith("Did you mean 'policies'?\n")
