"""The report in a real browser: everything is visible, and the numbers are those of the files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from causalbandits.studies.formatting import short

from .report_files import FIGURES, rows_of

pytestmark = pytest.mark.xdist_group("report")  # the report is made once, by one process


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
    for study, axis, cells in (
        ("1", "p", 50 * 2),
        ("2b", "gamma", 75 * 6),
        ("3-gamma-1.5", "budget", 25 * 6),
        ("T3", "gamma", 4),
    ):
        table = page.evaluate(
            "id => [...document.getElementById(id).rows].map(r => [...r.cells].map(c => c.textContent))",
            f"numbers-{study}",
        )
        sizes = {"budget", "bound", "most"} if study == "T3" else set()
        cells_of = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
        shown_cells = {
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
            assert shown_cells[row[axis], row["curve"] + labels.get(row["measure"], "")] == f"{mean} ± {error}"
            compared += 1
        assert compared == len(shown_cells) == cells
    for claim in claims:
        assert claim["evidence"]["summary"] in page.evaluate(
            "id => document.getElementById(id).textContent", f"claim-{claim['id']}"
        )
        evidence = page.evaluate(
            "id => [...document.querySelectorAll(`#${id} .evidence tbody tr`)]"
            ".map(r => r.cells.length > 3 ? r.cells[2].textContent : '')",
            f"claim-{claim['id']}",
        )
        means = [
            short(interval["mean"]) for point in claim["evidence"]["points"] for interval in point.get("intervals", [])
        ]
        assert [text for text in evidence if text][: len(means)] == means
    page.close()
