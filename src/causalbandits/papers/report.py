"""A reproduction as a folder: a page that needs nothing else, figures as SVG and PDF, numbers as CSV, verdicts as JSON. Knows no paper."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
import re
import shutil
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .. import plot
from ..errors import InputError
from ..regret import Estimate
from ..result import versions_here
from .claims import Judgement
from .draw import measure_of
from .evidence import Assessed
from .run import Reproduction
from .study import Curves, Data, Figure, Part
from .words import short

ABOUT = "report.json"  # how a report was made, and its files: what the next report there may remove
COLUMNS = ("measure", "curve", "runs", "mean", "standard_error", "low", "high")  # after the study's axis
Files = Mapping[str, bytes]


def check_extras() -> None:
    """Whether all that a report needs is installed, before anything is run."""
    for module in ("matplotlib", "jinja2", "scipy"):
        try:
            __import__(module)
        except ImportError:
            raise InputError(f"The report needs {module}; install causalbandits[report].") from None


def draw(id: str, charts: Sequence[plot.Chart]) -> Files:
    """A figure as SVG and PDF."""
    drawn = plot.draw(charts)
    return {f"figures/{id}.{form}": plot.saved(drawn, form, id) for form in ("svg", "pdf")}


def report_files(done: Reproduction, figures: Files, command: str) -> Files:
    """Everything but the figures, which are given: CSV of every study, the verdicts as JSON, how it was made, and the page."""
    about = {
        "paper": done.paper.id,
        "command": command,
        "seed": done.seed,
        "runs": done.runs or "as in the paper",
        "seconds": round(done.seconds, 1),
        "versions": {**versions_here(), **{name: version(name) for name in ("matplotlib", "jinja2", "scipy")}},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    tables = {f"data/{curves.study.id}.csv": csv_of(curves).encode() for curves in done.data.values()}
    verdicts = json.dumps(claims_of(done), indent=2, ensure_ascii=False).encode()
    page = page_of(done, figures, about).encode()
    files = {**figures, **tables, "claims.json": verdicts, "index.html": page}
    return {**files, ABOUT: json.dumps({**about, "files": [*files, ABOUT]}, indent=2, ensure_ascii=False).encode()}


def csv_of(curves: Curves) -> str:
    """Every number of a study: mean, standard error and 95 % band, a row per value, measure and curve."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([curves.study.axis.name, *COLUMNS])
    for value, measure, curve, e in curves.rows():
        numbers = (e.mean, e.standard_error, e.low, e.high)
        writer.writerow([f"{value:g}", measure, curve, curves.runs, *(f"{number:.10g}" for number in numbers)])
    return text.getvalue()


def claims_of(done: Reproduction) -> list[dict[str, Any]]:
    """The verdicts, for claims.json."""
    return [
        {
            "id": claim.id,
            "statement": claim.statement,
            "verdict": judgement.verdict,
            "test": claim.test_in_words,
            "evidence": _evidence(part, judgement, done.data),
        }
        for part, claim, judgement in done.claims()
    ]


def _evidence(part: Part, judgement: Judgement, data: Data) -> dict[str, Any]:
    return {
        "summary": judgement.summary,
        "runs": data[part.studies[0].id].runs,
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
        "intervals": [{"of": b.what, "mean": _number(b.mean), "lower": _number(b.lower), "upper": _number(b.upper)} for b in point.bounds],
        "p_shown": _number(point.p_shown),
        "p_refuted": _number(point.p_refuted),
        "runs_needed": point.runs_needed,
    }


def _number(value: float | None) -> float | None:
    """JSON has no NaN."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.10g}")


# The page


def page_of(done: Reproduction, figures: Files, about: Mapping[str, Any]) -> str:
    """The page: one file, no scripts, nothing loaded."""
    import jinja2
    from markupsafe import Markup

    loader = jinja2.PackageLoader("causalbandits.papers", "")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"short": short, "slug": lambda verdict: verdict.replace(" ", "-")}
    claims = list(done.claims())
    return environment.get_template("report.html").render(
        paper=done.paper,
        about=about,
        claims=claims,
        counts=Counter(judgement.verdict for _, _, judgement in claims).most_common(),
        judgements=done.judgements,
        shows={part.id: part.shows(done.data) for part in done.paper.parts},
        tables={study.id: table_of(done.data[study.id]) for part in done.paper.parts for study in part.studies},
        runs=sorted({f"{curves.runs:,}" for curves in done.data.values()}, key=lambda runs: int(runs.replace(",", ""))),
        svg={f.id: Markup(inline(figures[f"figures/{f.id}.svg"].decode(), f)) for part in done.paper.parts for f in part.figures},
        colours=plot.COLOURS,
    )


def table_of(curves: Curves) -> tuple[list[str], list[list[str]]]:
    """The numbers of a study as a table for the page: header and rows. Of worlds drawn at random, the quantiles of what they gave."""
    columns = [(m.name, c) for m in curves.study.measures for c in curves.samples[m.name]]
    several = len(curves.study.measures) > 1
    header = [curves.study.axis.name, *(f"{c}, {measure_of(curves, m).label}" if several else c for m, c in columns)]
    if curves.study.rank:
        means = {(m, c): curves.means(c, m) for m, c in columns}
        rows = [["mean over all", *(short(float(np.nanmean(v))) for v in means.values())]]
        for name, q in (("best", 0.0), ("10 %", 0.1), ("median", 0.5), ("90 %", 0.9), ("worst", 1.0)):
            rows.append([name, *(short(float(np.nanquantile(v, q))) for v in means.values())])
        return header, rows
    cells = {(value, m, c): estimate for value, m, c, estimate in curves.rows()}
    return header, [
        [f"{value:,g}" if value < 1e6 else f"{value:,.0f}", *(plus_minus(cells[value, m, c]) for m, c in columns)] for value in curves.study.values
    ]


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


# The folder


def check_folder(out: Path) -> None:
    """Whether a report can be written there, before anything is run."""
    made = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out).close()
        if made:
            out.rmdir()
    except OSError as error:
        raise InputError(f"The folder {str(out)!r} cannot be written ({error.strerror}); name another with --out.") from None


def publish(files: Files, out: Path) -> None:
    """Put a report into a folder, in the place of the one before. Until all is written nothing is changed; files of others stay."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=out))
        try:
            for name, content in files.items():
                (new / name).parent.mkdir(exist_ok=True)
                (new / name).write_bytes(content)
            with _uninterrupted():
                for name in _earlier(out):
                    (out / name).unlink(missing_ok=True)
                for name in files:
                    (out / name).parent.mkdir(exist_ok=True)
                    os.replace(new / name, out / name)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise InputError(f"The folder {str(out)!r} cannot be written ({error.strerror}); name another with --out.") from None


def _earlier(out: Path) -> Sequence[str]:
    """The files of the report that is there, if there is one; never anything outside of the folder."""
    try:
        names = json.loads((out / ABOUT).read_text())["files"]
        return [name for name in names if isinstance(name, str) and out.resolve() in (out / name).resolve().parents]
    except (OSError, ValueError, KeyError, TypeError):
        return []


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for these few milliseconds. Only the main thread can arrange that, and only it is interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
