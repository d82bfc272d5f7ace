"""docs/live.md is true: its snippets are run, in order, against a service that listens."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import causalbandits as cb
from causalbandits.live.http.service import service

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "live.md").read_text()
SNIPPETS = re.findall(r"```(sh|python)\n(.*?)```", TEXT, re.DOTALL)


def script(port: int) -> str:
    """All snippets as one script; the service runs beside it until it ends."""
    parts = ["set -euo pipefail"]
    for language, code in SNIPPETS:
        if language == "python":
            parts.append(f"python <<'EOF'\n{code}EOF")
        elif code.startswith("causalbandits serve"):
            parts.append(
                f"{code.strip()} & trap 'kill %1; wait' EXIT\n"
                "until curl -s http://127.0.0.1:8000/health; do sleep 0.1; kill -0 %1; done"
            )
        else:
            parts.append(code)
    return "\n".join(parts).replace("8000", str(port))


@pytest.mark.slow
def test_the_snippets_of_the_document_run_and_say_what_the_comments_say(tmp_path: Path) -> None:
    if shutil.which("curl") is None or shutil.which("bash") is None:
        reason = "curl and bash are not installed"
        pytest.fail(reason) if os.environ.get("CAUSALBANDITS_CI") else pytest.skip(reason)
    (tmp_path / "causalbandits").write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'from causalbandits.cli import main; main()' \"$@\"\n"
    )
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for name in ("causalbandits", "python"):
        (tmp_path / name).chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "NO_PROXY": "127.0.0.1", "COLUMNS": "120"}
    done = subprocess.run(
        ["bash", "-c", script(port)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    comments = [
        comment for _, code in SNIPPETS for comment in re.findall(r"^# (.*)$|  # (\d+ do.*)$", code, re.MULTILINE)
    ]
    assert len(comments) == 4
    for piece in (piece.strip(", ") for comment in comments for piece in "".join(comment).split("...")):
        assert piece in done.stdout, piece
    status = cb.Experiment.open(f"sqlite:///{tmp_path / 'experiments.db'}", "checkout").status()
    assert (status.trials, status.pending) == (3, ())


def test_the_document_lists_every_operation() -> None:
    listed = {(method.lower(), path) for method, path in re.findall(r"^\| `(GET|POST) (/[^`?]*)", TEXT, re.MULTILINE)}
    assert listed == {
        (method, path) for path, methods in service("memory:document").openapi()["paths"].items() for method in methods
    }
