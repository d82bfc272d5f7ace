"""The report of a reproduction: one page, figures as SVG and PDF, numbers as CSV, verdicts as JSON."""

from __future__ import annotations

import csv
import importlib
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
from ..errors import missing_extra
from ..regret import Estimate
from ..simulation.results import versions_here
from .claims import Judgement
from .evidence import Assessed, Bounds
from .figures import charts
from .folder import MANIFEST, Files, check_folder, publish
from .formatting import short
from .processes import processes
from .run import Reproduction, reproduce, simulations
from .study import Curves, Data, Figure, Paper, Part

# The CSV columns after the axis and the sizes of the study
COLUMNS = ("measure", "curve", "runs", "mean", "standard_error", "low", "high")


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

    Several `workers` are processes that import the paper by its module. A paper whose parts are not those of its module
    is run in one process.
    """
    started = time.perf_counter() if started is None else started
    check_extras()
    check_folder(out)
    with processes(workers if _can_be_imported(paper) else 1) as pool:
        drawings: list[Callable[[], Files]] = []

        def finished(part: Part, data: Data) -> None:
            for figure in part.figures:
                task = (figure.id, charts(figure, data))
                drawings.append(pool.submit(figure_files, *task).result if pool else partial(figure_files, *task))

        reproduction = reproduce(paper, runs=runs, seed=seed, pool=pool, advance=advance, finished=finished)
        figures: dict[str, bytes] = {}
        for drawing in drawings:
            figures |= drawing()
            advance("drawing the figures")
    files = report_files(reproduction, figures, command, lambda: time.perf_counter() - started)
    publish(files, out)
    return reproduction


def _can_be_imported(paper: Paper) -> bool:
    """Whether a worker process that imports the paper's module finds the same parts there."""
    parts = importlib.import_module(paper.module).PAPER.parts if paper.module else ()
    return all(any(part is other for other in parts) for part in paper.parts)


def steps(paper: Paper) -> int:
    """How often `write_report` calls `advance`."""
    return simulations(paper) + sum(len(part.figures) for part in paper.parts)


def check_extras() -> None:
    """Raise InputError if a package that the report needs is missing. Called before anything is run."""
    for module in ("matplotlib", "jinja2", "scipy"):
        try:
            __import__(module)
        except ImportError:
            raise missing_extra("The report needs", module, "report") from None


def figure_files(id: str, charts: Sequence[plot.Chart]) -> Files:
    """A figure as SVG and PDF."""
    figure = plot.draw(charts)
    return {f"figures/{id}.{form}": plot.saved(figure, form, id) for form in ("svg", "pdf")}


def report_files(reproduction: Reproduction, figures: Files, command: str, seconds: Callable[[], float]) -> Files:
    """All files of the report: the given figures, CSV of every study, the verdicts, the manifest and the page."""
    about: dict[str, Any] = {
        "paper": reproduction.paper.id,
        "command": command,
        "seed": reproduction.seed,
        "runs": reproduction.runs or "as in the paper",
        "seconds": 0.0,
        "versions": {**versions_here(), **{name: version(name) for name in ("matplotlib", "jinja2", "scipy")}},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    tables = {f"data/{curves.study.id}.csv": csv_of(curves).encode() for curves in reproduction.data.values()}
    claims = claims_of(reproduction)
    verdicts = json.dumps(claims, indent=2, ensure_ascii=False).encode()
    about["seconds"] = round(seconds(), 1)
    page = page_of(reproduction, claims, figures, about).encode()
    files = {**figures, **tables, "claims.json": verdicts, "index.html": page}
    manifest = json.dumps({**about, "files": [*files, MANIFEST]}, indent=2, ensure_ascii=False)
    return {**files, MANIFEST: manifest.encode()}


def csv_of(curves: Curves) -> str:
    """Every number of a study: mean, standard error and 95 % band. One row per value, measure and curve."""
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


def claims_of(reproduction: Reproduction) -> list[dict[str, Any]]:
    """The claims with their verdicts and evidence, as in claims.json."""
    return [
        {
            "id": claim.id,
            "statement": claim.statement,
            "verdict": reproduction.paper.wording.verdict(judgement.verdict),
            "test": claim.test_description,
            "evidence": _evidence(judgement),
        }
        for _, claim, judgement in reproduction.claims()
    ]


def _evidence(judgement: Judgement) -> dict[str, Any]:
    return {
        "summary": judgement.summary,
        "runs": sorted({point.runs for point in judgement.points if point.runs}),
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
    """A number with ten digits. None instead of NaN, which JSON does not have."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.10g}")


# The page


def page_of(
    reproduction: Reproduction, claims: Sequence[Mapping[str, Any]], figures: Files, about: Mapping[str, Any]
) -> str:
    """The page: one HTML file without scripts that loads nothing."""
    import jinja2
    from markupsafe import Markup

    paper, data = reproduction.paper, reproduction.data
    loader = jinja2.PackageLoader("causalbandits.studies", "")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"short": short, "slug": lambda verdict: verdict.replace(" ", "-")}
    return environment.get_template("report.html").render(
        paper=paper,
        about=about,
        front=paper.front({id: judgement.verdict for id, judgement in reproduction.judgements.items()}),
        claims=claims,
        counts=Counter(claim["verdict"] for claim in claims).most_common(),
        by_id={claim["id"]: claim for claim in claims},
        descriptions={part.id: part.describe(data) for part in paper.parts},
        tables={study.id: table_of(data[study.id]) for part in paper.parts for study in part.studies},
        runs=[f"{runs:,}" for runs in sorted({curves.runs for curves in data.values()})],
        svg={
            figure.id: Markup(inline(figures[f"figures/{figure.id}.svg"].decode(), figure))
            for part in paper.parts
            for figure in part.figures
        },
        colours=plot.COLOURS,
    )


def table_of(curves: Curves) -> tuple[str, list[str], list[list[str]]]:
    """The numbers of a study as a table for the page: caption, header and rows.

    A study of random worlds shows quantiles over the worlds.
    """
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
                study.value_name(value) if study.value_name else f"{value:,.12g}",
                *sizes,
                *(plus_minus(cells[value, m.name, c]) for m, c in columns),
            ]
        )
    return "Mean ± standard error.", header, rows


def plus_minus(estimate: Estimate) -> str:
    return f"{short(estimate.mean)} ± {short(estimate.standard_error, 2)}"


def inline(svg: str, figure: Figure) -> str:
    """A figure to put into the page: without a fixed size, with unique ids and with the colours of the page."""
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
