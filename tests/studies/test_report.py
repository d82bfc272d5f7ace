"""The report of a paper: its files agree with each other, a real browser shows it, and nothing half-written is ever left behind."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import causalbandits as cb
from causalbandits.errors import InputError
from causalbandits.papers import paper_named
from causalbandits.plot import Place
from causalbandits.studies import report as reports
from causalbandits.studies.claims import Claim, Every
from causalbandits.studies.contrasts import Constant, Curve
from causalbandits.studies.folder import publish
from causalbandits.studies.formatting import short, size
from causalbandits.studies.processes import processes
from causalbandits.studies.report import steps, write_report
from causalbandits.studies.run import reproduce, select, simulations
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

for module in ("matplotlib", "jinja2", "scipy"):
    pytest.importorskip(module, reason="the extra [report] is not installed")

pytestmark = pytest.mark.xdist_group("report")  # the report is made once, by one process

VERDICTS = {"reproduced", "not reproduced", "depends", "inconclusive", "not testable"}
IDS = [
    "E1a",
    "E1b",
    "E1c",
    "E2a",
    "E2b",
    "E2c",
    "E3a",
    "E3b",
    "E3c",
    "E3d",
    "E3e",
    "E4a",
    "E4b",
    "E4c",
    "T1",
    "T2",
    "T3",
    "T4",
]
FIGURES = [
    "1",
    "2a",
    "2b",
    "3-gamma-1",
    "3-gamma-1.1",
    "3-gamma-1.5",
    "3-epsilon-0.3",
    "4",
    "4-tables",
    "4-tables-ratio",
    "T1",
    "T2",
    "T3",
    "T4",
]


def command(*words: str) -> subprocess.CompletedProcess[str]:
    code = "from causalbandits.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, "paper", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole paper with few runs, made by the command."""
    out = tmp_path_factory.mktemp("made") / "report"
    answer = command("--runs", "12", "--seed", "3", "--out", str(out))
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("\n") == 1
    assert answer.stdout.startswith(f"The report is in {out / 'index.html'} (")
    return out


@pytest.fixture(scope="module")
def claims(report: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((report / "claims.json").read_text())
    return found


def rows_of(report: Path, study: str) -> list[dict[str, str]]:
    with open(report / "data" / f"{study}.csv", newline="") as file:
        return list(csv.DictReader(file))


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
            axis, value = point["at"].split(" = ")
            for curve, number in point["values"].items():
                if curve != "the bound":
                    assert number == mean(study, axis, value, curve)
                    compared += 1
    assert compared > 100
    for study, id in (("3-gamma-1", "E3a"), ("3-gamma-1.1", "E3b"), ("3-gamma-1.5", "E3c")):
        for point in by_id[id]["points"]:
            for curve, number in point["values"].items():
                assert number == mean(study, "budget", "30000", curve)


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
        "1",
        *map(str, range(5, 76, 5)),
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


def test_a_report_that_lies_about_its_files_cannot_make_us_delete_others(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    out = tmp_path / "report"
    out.mkdir()
    (out / "report.json").write_text(json.dumps({"files": ["../precious", 3]}))
    publish({"index.html": b"page"}, out)
    assert (tmp_path / "precious").exists()


def test_only_takes_parts_beginnings_and_claims() -> None:
    paper = paper_named("nair2021")
    assert [part.id for part in select(paper, []).parts] == [
        "1",
        "2a",
        "2b",
        "3",
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
    answer = command(*(word.replace("FILE", str(tmp_path / "file")) for word in words))
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
        assert answer.stderr == f"causalbandits: The report needs {module}; install causalbandits[report].\n"
        assert not (tmp_path / "report").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc to see processes in")
@pytest.mark.parametrize(
    "after", [0.0, 0.2, 0.6, 1.5, 4.0]
)  # seconds after the first process was born: while they start, compile, simulate
def test_interrupting_leaves_nothing_behind_and_no_process(tmp_path: Path, after: float) -> None:
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
        _, said = process.communicate(timeout=20)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)  # the runs would go on for hours
        raise
    assert process.returncode == 130
    assert said == "causalbandits: stopped.\n"
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


def test_a_killed_process_is_an_error_and_not_a_wait() -> None:
    def kill_one() -> None:
        with processes(2) as pool:
            assert pool is not None
            pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL).result(timeout=60)
            pool.submit(time.sleep, 0).result(timeout=60)

    with pytest.raises(InputError, match="killed"):
        kill_one()


def test_a_second_paper_is_one_more_value(tmp_path: Path) -> None:
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


def test_an_edited_paper_is_run_as_edited_also_with_several_workers(tmp_path: Path) -> None:
    paper = paper_named("nair2021")
    study = replace(paper.parts[0].studies[0], values=[0.45, 0.5])
    edited = replace(paper, parts=[replace(paper.parts[0], studies=[study], claims=[], describe=lambda data: [])])
    write_report(edited, tmp_path / "two", runs=5, workers=2)
    write_report(edited, tmp_path / "one", runs=5, workers=1)
    assert (tmp_path / "two" / "data" / "1.csv").read_bytes() == (tmp_path / "one" / "data" / "1.csv").read_bytes()


@pytest.mark.parametrize("blocked", ["index.html/x", "data", "figures/T4.svg/x"])
def test_what_stands_in_the_way_of_a_report_leaves_the_one_before_whole(tmp_path: Path, blocked: str) -> None:
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


def test_what_runs_draws_and_writes_knows_no_paper() -> None:
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
        "report.html",
    ):
        text = (folder / name).read_text()
        assert not [word for word in theirs if re.search(rf"\b{word}\b", text)], name


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


def test_numbers_are_short_for_people() -> None:
    assert [short(x) for x in (0.123456, 12345.6, 0.0, -0.5, float("nan"), None, 1e-15)] == [
        "0.1235",
        "12,346",
        "0",
        "−0.5",
        "–",
        "–",
        "0",
    ]
    assert [size(x) for x in (0.0, 7.0, 5000.0)] == ["1", "1,097", "e^5,000"]


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("CAUSALBANDITS_CI"):
            pytest.fail("chromium is missing, and .ci/run is to install it")
        pytest.skip("no chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


CONTRAST = """
selector => {
  const light = c => { const f = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  return Math.min(...[...document.querySelectorAll(selector)].map(e => {
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }));
}
"""  # noqa: E501  the ratio of the Web Content Accessibility Guidelines


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1200])
def test_a_browser_shows_the_report(
    browser: Any, report: Path, claims: list[dict[str, Any]], scheme: str, width: int
) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    complaints: list[str] = []
    requested: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))
    page.goto((report / "index.html").as_uri())
    assert complaints == []
    assert requested == [(report / "index.html").as_uri()]  # it is one file

    rows = page.locator("#verdicts tbody tr")
    shown = [
        (row.locator("td").nth(0).inner_text().strip(), row.locator(".verdict").inner_text()) for row in rows.all()
    ]
    assert shown == [(claim["id"], claim["verdict"]) for claim in claims]
    assert all(rows.nth(i).is_visible() for i in range(len(claims)))

    figures = page.locator("figure svg")
    assert figures.count() == len(FIGURES)
    for i in range(len(FIGURES)):
        box = figures.nth(i).bounding_box()
        assert box["width"] > 250
        assert box["height"] > 120
        assert box["x"] + box["width"] <= width

    assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    for selector in ("body", "p", "td", "th", ".verdict", "figcaption", "a", "summary", "figure svg"):
        assert page.evaluate(CONTRAST, selector) >= 4.5, selector
    page.close()


def test_the_numbers_in_the_page_are_those_of_the_csv(browser: Any, report: Path, claims: list[dict[str, Any]]) -> None:
    page = browser.new_page()
    page.goto((report / "index.html").as_uri())
    for study, axis, cells in (("1", "p", 30), ("2b", "gamma", 64), ("3-gamma-1.5", "budget", 120), ("T3", "gamma", 4)):
        table = page.evaluate(
            "id => [...document.getElementById(id).rows].map(r => [...r.cells].map(c => c.textContent))",
            f"numbers-{study}",
        )
        sizes = {"budget", "bound", "most"} if study == "T3" else set()
        cells_of = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
        said = {
            (row[axis].replace(",", ""), column): cell
            for row in cells_of
            for column, cell in row.items()
            if column not in sizes | {axis}
        }
        labels = (
            {"simple_regret": ", simple regret", "only_watched": ", runs that only watched"} if study == "2b" else {}
        )
        compared = 0
        for row in rows_of(report, study):
            mean, error = short(float(row["mean"])), short(float(row["standard_error"]), 2)
            assert said[row[axis], row["curve"] + labels.get(row["measure"], "")] == f"{mean} ± {error}"
            compared += 1
        assert compared == len(said) == cells
    for claim in claims:
        assert claim["evidence"]["summary"] in page.evaluate(
            "id => document.getElementById(id).textContent", f"claim-{claim['id']}"
        )
        evidence = page.evaluate(
            "id => [...document.querySelectorAll(`#${id} .evidence tbody tr`)].map(r => r.cells.length > 3 ? r.cells[2].textContent : '')",
            f"claim-{claim['id']}",
        )
        means = [
            short(interval["mean"]) for point in claim["evidence"]["points"] for interval in point.get("intervals", [])
        ]
        assert [text for text in evidence if text][: len(means)] == means
    page.close()
