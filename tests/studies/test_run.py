"""Running the studies of a paper: which parts, with which progress, in how many processes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from causalbandits.errors import InputError
from causalbandits.papers import paper_named
from causalbandits.studies.report import write_report
from causalbandits.studies.run import reproduce, select, simulations


def test_only_accepts_names_of_parts_their_beginnings_and_claims() -> None:
    paper = paper_named("nair2021")
    assert [part.id for part in select(paper, []).parts] == [
        "1",
        "2a",
        "2b",
        "3",
        "3-cap",
        "4",
        "4-tables",
        "T1",
        "T2",
        "T3",
        "T4",
    ]
    assert [part.id for part in select(paper, ["2"]).parts] == ["2a", "2b"]
    assert [part.id for part in select(paper, ["4"]).parts] == ["4"]
    assert [part.id for part in select(paper, ["E3c, T"]).parts] == ["3", "T1", "T2", "T3", "T4"]
    with pytest.raises(InputError, match=r"2b"):
        select(paper, ["2c"])


def test_several_workers_run_a_paper_as_it_was_edited(tmp_path: Path) -> None:
    paper = paper_named("nair2021")
    study = replace(paper.parts[0].studies[0], values=[0.45, 0.5])
    edited = replace(paper, parts=[replace(paper.parts[0], studies=[study], claims=[], describe=lambda data: [])])
    write_report(edited, tmp_path / "two", runs=5, workers=2)
    write_report(edited, tmp_path / "one", runs=5, workers=1)
    assert (tmp_path / "two" / "data" / "1.csv").read_bytes() == (tmp_path / "one" / "data" / "1.csv").read_bytes()


def test_progress_counts_every_simulation_and_parts_hand_over_their_data() -> None:
    chosen = select(paper_named("nair2021"), ["3", "T1"])
    titles: list[str] = []
    parts: list[str] = []
    reproduce(
        chosen,
        runs=2,
        advance=titles.append,
        finished=lambda part, data: parts.append(part.id) if part.studies[0].id in data else None,
    )
    assert len(titles) == simulations(chosen) == 4 + 5
    assert parts == ["3", "T1"]
