"""The folder of a report: a new report replaces the old one as a whole, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from causalbandits.errors import InputError
from causalbandits.studies.folder import publish


def test_a_wrong_list_of_files_in_a_report_deletes_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    out = tmp_path / "report"
    out.mkdir()
    (out / "report.json").write_text(json.dumps({"files": ["../precious", 3]}))
    publish({"index.html": b"page"}, out)
    assert (tmp_path / "precious").exists()


def test_a_failure_while_writing_leaves_the_report_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report"
    publish({"index.html": b"old", "report.json": b'{"files": ["index.html", "report.json"]}'}, out)
    monkeypatch.setattr(
        Path, "write_bytes", lambda path, content: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(InputError, match="No space left"):
        publish({"index.html": b"new"}, out)
    assert {path.name for path in out.iterdir()} == {"index.html", "report.json"}
    assert (out / "index.html").read_bytes() == b"old"


@pytest.mark.parametrize("blocked", ["index.html/x", "data", "figures/T4.svg/x"])
def test_a_file_in_the_way_of_a_report_leaves_the_old_report_complete(tmp_path: Path, blocked: str) -> None:
    out = tmp_path / "report"
    before = {"claims.json": b"old", "report.json": b'{"files": ["claims.json", "report.json"]}'}
    publish(before, out)
    (out / blocked).parent.mkdir(parents=True, exist_ok=True)
    (out / blocked).write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        publish(
            {
                "claims.json": b"new",
                "index.html": b"new",
                "data/T4.csv": b"new",
                "figures/T4.svg": b"new",
                "report.json": b"{}",
            },
            out,
        )
    assert {name: (out / name).read_bytes() for name in before} == before
    assert not list(out.glob(".new-*"))
