"""A reproduction as a folder: a page that needs nothing else, figures as SVG and PDF, numbers as CSV, verdicts as JSON. Knows no paper."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .. import plot
from ..errors import InputError
from ..papers import OURS, PAPERS, paper_named
from ..regret import Estimate
from ..simulation.results import versions_here
from .claims import Judgement
from .evidence import Assessed, Bounds
from .figures import charts
from .folder import ABOUT, Files, check_folder, publish
from .formatting import short
from .processes import processes
from .run import Reproduction, reproduce, simulations
from .study import Curves, Data, Figure, Paper, Part

COLUMNS = ("measure", "curve", "runs", "mean", "standard_error", "low", "high")  # after the study's axis


def write_report(
    paper: Paper,
    out: Path,
    *,
    runs: int | None = None,
    seed: int = 1,
    workers: int = 1,
    command: str = "",
    started: float | None = None,
    advance: Callable[[str], None] = lambda title: None,
) -> Reproduction:
    """Reproduce a paper and write the report. Nothing is written before everything is done.

    Several `workers` are processes that know the paper by its name, so they serve only for parts as that name has them.
    """
    started = time.perf_counter() if started is None else started
    check_extras()
    check_folder(out)
    registered = paper_named(paper.id).parts if paper.id in (*PAPERS, OURS) else ()
    is_registered = all(any(part is other for other in registered) for part in paper.parts)
    with processes(workers if is_registered else 1) as pool:
        drawn: list[Callable[[], Files]] = []

        def finished(part: Part, data: Data) -> None:
            for figure in part.figures:
                task = (figure.id, charts(figure, data))
                drawn.append(pool.submit(figure_files, *task).result if pool else partial(figure_files, *task))

        done = reproduce(paper, runs=runs, seed=seed, pool=pool, advance=advance, finished=finished)
        figures: dict[str, bytes] = {}
        for result in drawn:
            figures |= result()
            advance("drawing the figures")
    files = report_files(done, figures, command, lambda: time.perf_counter() - started)
    publish(files, out)
    return done


def steps(paper: Paper) -> int:
    """How often `write_report` advances."""
    return simulations(paper) + sum(len(part.figures) for part in paper.parts)


def check_extras() -> None:
    """Whether all that a report needs is installed, before anything is run."""
    for module in ("matplotlib", "jinja2", "scipy"):
        try:
            __import__(module)
        except ImportError:
            raise InputError(f"The report needs {module}; install causalbandits[report].") from None


def figure_files(id: str, charts: Sequence[plot.Chart]) -> Files:
    """A figure as SVG and PDF."""
    drawn = plot.draw(charts)
    return {f"figures/{id}.{form}": plot.saved(drawn, form, id) for form in ("svg", "pdf")}


def report_files(done: Reproduction, figures: Files, command: str, seconds: Callable[[], float]) -> Files:
    """Everything but the figures, which are given: CSV of every study, the verdicts as JSON, how it was made, and the page."""
    about: dict[str, Any] = {
        "paper": done.paper.id,
        "command": command,
        "seed": done.seed,
        "runs": done.runs or "as in the paper",
        "seconds": 0.0,
        "versions": {**versions_here(), **{name: version(name) for name in ("matplotlib", "jinja2", "scipy")}},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    tables = {f"data/{curves.study.id}.csv": csv_of(curves).encode() for curves in done.data.values()}
    claims = claims_of(done)
    verdicts = json.dumps(claims, indent=2, ensure_ascii=False).encode()
    about["seconds"] = round(seconds(), 1)
    page = page_of(done, claims, figures, about).encode()
    files = {**figures, **tables, "claims.json": verdicts, "index.html": page}
    return {**files, ABOUT: json.dumps({**about, "files": [*files, ABOUT]}, indent=2, ensure_ascii=False).encode()}


def csv_of(curves: Curves) -> str:
    """Every number of a study: mean, standard error and 95 % band, a row per value, measure and curve."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    study = curves.study
    writer.writerow([study.axis.name, *study.sizes, *COLUMNS])
    for value, measure, curve, e in curves.rows():
        sizes = (size(value) for size in study.sizes.values())
        writer.writerow(
            [*(f"{number:.10g}" for number in (value, *sizes)), measure, curve, curves.runs]
            + [f"{number:.10g}" for number in (e.mean, e.standard_error, e.low, e.high)]
        )
    return text.getvalue()


def claims_of(done: Reproduction) -> list[dict[str, Any]]:
    """The verdicts, for claims.json."""
    return [
        {
            "id": claim.id,
            "statement": claim.statement,
            "verdict": done.paper.wording.verdict(judgement.verdict),
            "test": claim.test_in_words,
            "evidence": _evidence(part, judgement, done.data),
        }
        for part, claim, judgement in done.claims()
    ]


def _evidence(part: Part, judgement: Judgement, data: Data) -> dict[str, Any]:
    return {
        "summary": judgement.summary,
        "runs": sorted({data[study.id].runs for study in part.studies}),
        "runs_needed": judgement.runs_needed,
        "points": [_point(point) for point in judgement.points],
    }


def _point(point: Assessed) -> dict[str, Any]:
    if point.reason:
        return {"at": point.at, "finding": point.finding, "reason": point.reason}
    return {
        "at": point.at,
        "finding": point.finding,
        "values": {name: _number(value) for name, value in point.values.items()},
        "intervals": [_interval(bound) for bound in point.bounds],
        "p_shown": _number(point.p_shown),
        "p_refuted": _number(point.p_refuted),
        "runs_needed": point.runs_needed,
    }


def _interval(bound: Bounds) -> dict[str, Any]:
    within = {"margin": bound.margin} if bound.margin else {}
    return {
        "of": bound.what,
        "mean": _number(bound.mean),
        "lower": _number(bound.lower),
        "upper": _number(bound.upper),
        **within,
    }


def _number(value: float | None) -> float | None:
    """JSON has no NaN."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.10g}")


# The page


def page_of(done: Reproduction, claims: Sequence[Mapping[str, Any]], figures: Files, about: Mapping[str, Any]) -> str:
    """The page: one file, no scripts, nothing loaded."""
    import jinja2
    from markupsafe import Markup

    loader = jinja2.PackageLoader("causalbandits.studies", "")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"short": short, "slug": lambda verdict: verdict.replace(" ", "-")}
    return environment.get_template("report.html").render(
        paper=done.paper,
        about=about,
        claims=claims,
        counts=Counter(claim["verdict"] for claim in claims).most_common(),
        by_id={claim["id"]: claim for claim in claims},
        shows={part.id: part.shows(done.data) for part in done.paper.parts},
        tables={study.id: table_of(done.data[study.id]) for part in done.paper.parts for study in part.studies},
        runs=sorted({f"{curves.runs:,}" for curves in done.data.values()}, key=lambda runs: int(runs.replace(",", ""))),
        svg={
            f.id: Markup(inline(figures[f"figures/{f.id}.svg"].decode(), f))
            for part in done.paper.parts
            for f in part.figures
        },
        colours=plot.COLOURS,
    )


def table_of(curves: Curves) -> tuple[str, list[str], list[list[str]]]:
    """The numbers of a study as a table for the page: what they are, header and rows. Of worlds drawn at random, the quantiles of what they gave."""
    study = curves.study
    columns = [(m, c) for m in study.measures for c in curves.samples[m.name]]
    several = len(study.measures) > 1
    header = [study.axis.name, *study.sizes, *(f"{c}, {m.label}" if several else c for m, c in columns)]
    if study.rank:
        means = [curves.means(c, m.name) for m, c in columns]
        rows = [["mean over all", *(short(float(np.nanmean(v))) for v in means)]]
        for name, q in (("best", 0.0), ("10 %", 0.1), ("median", 0.5), ("90 %", 0.9), ("worst", 1.0)):
            rows.append([name, *(short(float(np.nanquantile(v, q))) for v in means)])
        return f"Quantiles over the {study.axis.label} of the mean over the runs.", header, rows
    cells = {(value, m, c): estimate for value, m, c, estimate in curves.rows()}
    rows = []
    for value in study.values:
        sizes = [short(size(value), 7) for size in study.sizes.values()]
        rows.append(
            [
                study.called(value) if study.called else f"{value:,.12g}",
                *sizes,
                *(plus_minus(cells[value, m.name, c]) for m, c in columns),
            ]
        )
    return "Mean ± standard error.", header, rows


def plus_minus(estimate: Estimate) -> str:
    return f"{short(estimate.mean)} ± {short(estimate.standard_error, 2)}"


def inline(svg: str, figure: Figure) -> str:
    """A figure for the page: without a fixed size, its names its own, its colours those of the page, light or dark."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg\b[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg\b[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    prefix = "f" + re.sub(r"\W", "-", figure.id) + "-"
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\1{prefix}", svg)
    for colour, name in [
        ("#ffffff", "none"),
        (plot.INK, "currentColor"),
        (plot.FAINT, "var(--faint)"),
        *((c, f"var(--c{i})") for i, c in enumerate(plot.COLOURS)),
    ]:
        svg = re.sub(colour, name, svg, flags=re.IGNORECASE)
    return svg.replace("<svg", f'<svg role="img" aria-label="Figure {figure.id}"', 1)
