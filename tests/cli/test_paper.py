"""`causalbandits paper`: mistakes are found before anything is run, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .commands import run_command


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--only", "5"], "4-tables"),
        (["--only", ","], "4-tables"),
        (["--runs", "1"], "at least 2"),
        (["--seed", "-1"], "at least 0"),
        (["nair2022"], "nair2021"),
        (["--out", "FILE"], "cannot be written"),
        (["--out", "FILE/report"], "cannot be written"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence_before_anything_is_run(
    words: list[str], named: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    start = time.perf_counter()
    answer = run_command("paper", *(word.replace("FILE", str(tmp_path / "file")) for word in words))
    assert answer.returncode != 0
    assert named in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert "Traceback" not in answer.stderr
    assert time.perf_counter() - start < 20
    assert not (tmp_path / "report").exists()


def test_a_missing_extra_is_named_before_anything_is_run(tmp_path: Path) -> None:
    for module in ("jinja2", "scipy", "matplotlib"):
        code = f"import sys; sys.modules[{module!r}] = None; from causalbandits.cli import main; main()"
        words = [sys.executable, "-c", code, "paper", "--out", str(tmp_path / "report")]
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
        assert answer.stderr == f'causalbandits: The report needs {module}; pip install "causalbandits[report]".\n'
        assert not (tmp_path / "report").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc to see processes in")
@pytest.mark.parametrize(
    "after", [0.0, 0.2, 0.6, 1.5, 4.0]
)  # seconds after the first process was born: while they start, compile, simulate
def test_after_an_interrupt_no_file_and_no_process_is_left(tmp_path: Path, after: float) -> None:
    out = tmp_path / "report"
    code = "from causalbandits.cli import main; main()"
    words = [sys.executable, "-c", code, "paper", "--only", "3", "--runs", "100000", "--out", str(out)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        born = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not born.read_text():
            time.sleep(0.01)
        time.sleep(after)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)  # the runs would go on for hours
        raise
    assert process.returncode == 130
    assert errors == "causalbandits: stopped.\n"
    assert not out.exists()
    for _ in range(50):
        group = [p for p in Path("/proc").glob("[0-9]*/stat") if _group(p) == process.pid]
        if not group:
            break
        time.sleep(0.1)
    assert not group


def _group(stat: Path) -> int:
    try:
        after_name = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return -1
    return int(after_name[2]) if after_name[0] != "Z" else -1
