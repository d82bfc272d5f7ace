"""The report of a paper: its files agree with each other, and the same seed gives the same bytes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import causalbandits as cb
from causalbandits.papers import paper_named
from causalbandits.plot import Place
from causalbandits.studies import report as reports
from causalbandits.studies.claims import Claim, Every
from causalbandits.studies.contrasts import Constant, Curve
from causalbandits.studies.report import steps, write_report
from causalbandits.studies.run import select, simulations
from causalbandits.studies.study import (
    REGRET_AT_CHECKPOINTS,
    SIMPLE_REGRET,
    Axis,
    Figure,
    Line,
    Panel,
    Paper,
    Part,
    Study,
)

from .report_files import FIGURES, rows_of

for module in ("matplotlib", "jinja2", "scipy"):
    pytest.importorskip(module, reason="the extra [report] is not installed")


pytestmark = pytest.mark.xdist_group("report")  # the report is made once, by one process

VERDICTS = {"reproduced", "not reproduced", "depends", "inconclusive", "not testable"}
IDS = [
    *("E1a", "E1b", "E1c", "F1", "F2"),
    *("E2a", "F3", "F4", "F5"),
    *("E2b", "E2c", "F6", "F7", "F8", "F9"),
    *("E3a", "E3b", "E3c", "E3d", "E3e", "F10", "F11", "F12", "F13", "F14"),
    *("E4a", "E4b", "E4c", "F15", "F16", "F17", "F18"),
    *("T1", "T2", "T3", "T4"),
]


def test_every_claim_of_the_paper_gets_a_verdict_with_its_test_and_evidence(claims: list[dict[str, Any]]) -> None:
    assert [claim["id"] for claim in claims] == IDS
    for claim in claims:
        assert set(claim) == {"id", "statement", "verdict", "test", "evidence"}
        assert claim["verdict"] in VERDICTS
        assert "5%" in claim["test"]
        assert claim["evidence"]["points"]
        for point in claim["evidence"]["points"]:
            assert point.get("reason") or all(interval["mean"] is not None for interval in point["intervals"])


def test_every_figure_is_there_as_svg_and_pdf(report: Path) -> None:
    for name in FIGURES:
        assert (report / "figures" / f"{name}.svg").read_text().lstrip().startswith("<?xml")
        assert (report / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert {path.stem for path in (report / "figures").iterdir()} == set(FIGURES)


def test_the_numbers_of_the_evidence_are_those_of_the_csv(report: Path, claims: list[dict[str, Any]]) -> None:
    def mean(study: str, axis: str, value: str, curve: str) -> float:
        (row,) = [
            r
            for r in rows_of(report, study)
            if r[axis] == value and r["curve"] == curve and r["measure"] != "only_watched"
        ]
        return float(row["mean"])

    by_id = {claim["id"]: claim["evidence"] for claim in claims}
    compared = 0
    for id, study in (
        ("E1b", "1"),
        ("E1c", "1"),
        ("E2a", "2a"),
        ("E2b", "2b"),
        ("E2c", "2b"),
        ("E4a", "4"),
        ("T1", "T1"),
        ("T2", "T2"),
        ("T4", "T4"),
    ):
        for point in by_id[id]["points"]:
            reading, _, at = point["at"].rpartition(": ")
            axis, value = at.split(" = ")
            for curve, number in point["values"].items():
                if curve != "the bound":
                    assert number == mean("2b-late" if "3,000" in reading else study, axis, value, curve)
                    compared += 1
    assert compared > 100
    for study, id in (("3-gamma-1", "E3a"), ("3-gamma-1.1", "E3b"), ("3-gamma-1.5", "E3c")):
        for point in by_id[id]["points"]:
            for curve, number in point["values"].items():
                assert number == mean(study, "budget", "296000", curve)


def test_a_curve_has_its_mean_standard_error_and_band_at_every_value(report: Path) -> None:
    rows = rows_of(report, "2b")
    assert list(rows_of(report, "T1")[0]) == [
        "p",
        "budget",
        "bound",
        "measure",
        "curve",
        "runs",
        "mean",
        "standard_error",
        "low",
        "high",
    ]
    assert list(rows[0]) == ["gamma", "measure", "curve", "runs", "mean", "standard_error", "low", "high"]
    assert [row["gamma"] for row in rows if row["curve"] == "PB-ALG" and row["measure"] == "simple_regret"] == [
        *map(str, range(1, 76))
    ]
    for row in rows:
        mean, error, low, high = (float(row[name]) for name in ("mean", "standard_error", "low", "high"))
        assert low == pytest.approx(mean - 1.96 * error, abs=1e-9)
        assert high == pytest.approx(mean + 1.96 * error, abs=1e-9)
    world, problem = paper_named("nair2021").parts[2].studies[0].setting(60)
    result = cb.simulate(world, problem, [cb.GammaNB(), cb.ParallelBandit()], runs=12, seed=3)
    (found,) = [
        row for row in rows if row["gamma"] == "60" and row["curve"] == "PB-ALG" and row["measure"] == "simple_regret"
    ]
    assert float(found["mean"]) == pytest.approx(result.simple_regret["pb"].mean(), rel=1e-9)


def test_the_same_seed_gives_the_same_bytes_in_one_process_and_in_several(report: Path, tmp_path: Path) -> None:
    chosen = select(paper_named("nair2021"), ["1", "3", "T4"])
    write_report(chosen, tmp_path / "one", runs=12, seed=3)
    assert [part.id for part in chosen.parts] == ["1", "3", "T4"]
    for study in (study.id for part in chosen.parts for study in part.studies):
        assert (tmp_path / "one" / "data" / f"{study}.csv").read_bytes() == (
            report / "data" / f"{study}.csv"
        ).read_bytes()
    for name in ("1.svg", "1.pdf", "T4.svg"):
        assert (tmp_path / "one" / "figures" / name).read_bytes() == (report / "figures" / name).read_bytes()
    write_report(select(chosen, ["1"]), tmp_path / "other", runs=12, seed=4)
    assert (tmp_path / "other" / "data" / "1.csv").read_bytes() != (report / "data" / "1.csv").read_bytes()


def test_the_second_report_in_a_folder_replaces_the_first_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "report"
    chosen = select(paper_named("nair2021"), ["E4b"])
    write_report(chosen, out, runs=3)
    (out / "notes.txt").write_text("mine")
    write_report(select(paper_named("nair2021"), ["T4"]), out, runs=3)
    there = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert there == {
        "index.html",
        "claims.json",
        "report.json",
        "notes.txt",
        "data/T4.csv",
        "figures/T4.svg",
        "figures/T4.pdf",
    }


def test_a_second_paper_is_only_one_more_value(tmp_path: Path) -> None:
    world = cb.worlds.marketing()
    study = Study(
        "sale",
        Axis("budget", "budget"),
        [50, 100, 200],
        lambda b: (world, world.problem(budget=int(b), cost=2)),
        [cb.UCB()],
        20,
        [REGRET_AT_CHECKPOINTS],
        True,
    )
    simple = Study(
        "last",
        Axis("cost", "cost"),
        [1, 2],
        lambda c: (world, world.problem(budget=50, cost=c)),
        [cb.GammaNB(name="<b>")],
        20,
        [SIMPLE_REGRET],
    )
    part = Part(
        id="sale",
        title="A sale & more",
        question="Is <it> constant?",
        studies=[study, simple],
        figures=[
            Figure(
                "sale",
                "A caption.",
                [
                    Panel(
                        "sale",
                        lines=[Line("half", lambda x: x / 2)],
                        marks=lambda: [Place("here", 100, 60, 120)],
                        log="x",
                    )
                ],
            ),
            Figure("last", "Another.", [Panel("last", log="y")]),
        ],
        describe=lambda data: [f"It ends at {data['sale'].means('ucb')[-1]:.2f}."],
        claims=[Claim("C1", "UCB's regret is constant.", Every([Constant(Curve("sale", "ucb"))]))],
    )
    paper = Paper("made-up", "A made-up paper", "Nobody 2026", [part], ["None."])
    titles: list[str] = []
    done = write_report(paper, tmp_path, workers=2, advance=titles.append)
    assert titles == ["A sale & more"] * simulations(paper) + ["drawing the figures"] * 2
    assert len(titles) == steps(paper) == 3 + 2
    assert done.judgements["C1"].verdict == "not reproduced"
    page = (tmp_path / "index.html").read_text()
    assert "Is &lt;it&gt; constant?" in page
    assert "<b>" not in re.sub(r"<div class=.claim.*?</div>", "", page, flags=re.DOTALL)
    assert f"It ends at {done.data['sale'].means('ucb')[-1]:.2f}." in page
    assert len(rows_of(tmp_path, "sale")) == 3


def test_the_studies_name_no_paper() -> None:
    folder = Path(reports.__file__).parent
    paper = paper_named("nair2021")
    theirs = {
        "nair",
        "OBS-ALG",
        "Observe",
        "GammaNB",
        "CRMNB",
        "FKube",
        "CUCB",
        "gamma",
        *(claim.id for part in paper.parts for claim in part.claims),
    }
    for name in (
        "run.py",
        "figures.py",
        "report.py",
        "folder.py",
        "processes.py",
        "study.py",
        "claims.py",
        "contrasts.py",
        "evidence.py",
        "formatting.py",
        "published.py",
        "fits.py",
        "report.html",
    ):
        text = (folder / name).read_text()
        assert not [word for word in theirs if re.search(rf"\b{word}\b", text)], name
