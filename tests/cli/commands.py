"""Two ways to run a command in a test: in this process, and in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from typer.testing import CliRunner

from causalbandits.cli import app


def output_of(*words: object) -> str:
    """What a command prints that succeeds; it runs in this process."""
    outcome = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert outcome.exit_code == 0
    return outcome.stdout


def run_command(*words: str) -> subprocess.CompletedProcess[str]:
    """The outcome of a command in a process of its own."""
    code = "from causalbandits.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
