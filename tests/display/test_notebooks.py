"""What a notebook shows: tables in place of reprs, all text escaped, and a progress bar without widgets."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

import causalbandits as cb
from causalbandits.simulation import progress

EVIL = '<img src=x onerror="alert(1)">'


def cells(html: str) -> list[list[str]]:
    """The cells of every row of the tables in a page, titles included."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def html_of(shown: Any) -> str:
    html: str = shown._repr_html_()
    assert html.count("<table>") == html.count("</table>")
    assert re.fullmatch(r"<div>.*</div>", html, re.DOTALL)
    return html


def shop() -> cb.World:
    return cb.worlds.marketing()


def test_a_graph_is_a_table_of_variables_with_their_causes() -> None:
    rows = cells(html_of(shop().graph))
    assert rows[0] == ["variable", "values", "caused by", ""]
    assert ["Season", "usual, holiday", "", "hidden"] in rows
    assert ["Reviews", "skipped, read", "Description, Promotion", "not intervenable"] in rows
    assert len(rows) == 9


def test_a_problem_is_a_table_of_arms_with_costs() -> None:
    html = html_of(shop().problem(budget=500, cost={"Image": 2, "Promotion": 5.5}, arms=["Image", "Promotion"]))
    assert "5 arms, budget 500; the reward is Purchase (yes counts as 1); the objective is to find." in html
    assert ["do(Promotion=yes)", "5.5", "no: Promotion &lt;- Season -&gt; Purchase"] in cells(html)
    assert ["do()", "1", "yes"] in cells(html)


def test_a_long_table_shows_its_first_and_last_rows() -> None:
    world = cb.worlds.parallel(p=[0.5] * 50, epsilon=0.1)
    rows = cells(html_of(world.problem(budget=500)))
    assert rows[1][0] == "do()"
    assert rows[26] == ["...", "...", "..."]
    assert rows[-1][0] == "do(X50=1)"
    assert len(rows) == 32


def test_recommendations_are_sentences_and_a_table(memory: str) -> None:
    problem = shop().problem(budget=500, cost=2)
    advice = cb.recommend_policy(problem)
    html = html_of(advice)
    assert f"<p>{advice.policy.label} is recommended.</p>" in html
    assert "&quot;find&quot;" in html
    experiment = cb.Experiment.create(memory, "checkout", problem, "ucb")
    answer = experiment.recommend()
    rows = cells(html_of(answer))
    assert rows[0] == ["arm", "rounds", "what watching added", "mean", "interval"]
    assert rows[1][0].startswith(str(answer.intervention))


def test_a_status_shows_money_arms_and_pending_trials(memory: str) -> None:
    experiment = cb.Experiment.create(memory, "checkout", shop().problem(budget=500, cost=2), "ucb")
    experiment.ask(worker=EVIL)
    html = html_of(experiment.status())
    assert "Budget 500: 0 spent, 1 reserved, 499 left." in html
    assert html.count("<table>") == 2
    assert cells(html)[-1][:4] == ["1", "do() (watch)", "1", "1"]
    assert EVIL not in html
    assert "&lt;img src=x" in html


def test_a_result_is_its_summary() -> None:
    world = shop()
    problem = world.problem(budget=50, cost=2)
    result = cb.simulate(world, problem, ["ucb", "f-kube"], runs=5, seed=1)
    digest = cb.simulate(world, problem, ["ucb", "f-kube"], runs=5, seed=1, keep="summary")
    for shown in (result, digest):
        html = html_of(shown)
        assert "5 runs of Problem(9 arms, budget 50), seed 1." in html
        assert [row[0] for row in cells(html)] == ["policy", "ucb", "f-kube"]
    assert html_of(result.summary()).count("<table>") == 1


def test_a_trace_names_arms() -> None:
    world = shop()
    problem = world.problem(budget=60, cost=2)
    trace = cb.trace(world, problem, "ucb")
    rows = cells(html_of(trace))
    assert rows[0][:4] == ["round", "arm", "reward", "Image"]
    assert rows[1][:2] == ["1", str(problem.arms[trace.arms[0]])]
    assert rows[-1][:2] == [str(len(trace)), str(problem.arms[trace.arms[-1]])]
    assert repr(trace).endswith(f"recommends {problem.arms[trace.recommended]})")
    wide = cb.worlds.parallel(p=[0.5] * 12, epsilon=0.1)
    assert "5 more variables are in trace.shown." in html_of(cb.trace(wide, wide.problem(budget=50), "ucb"))


def test_names_of_variables_are_escaped_everywhere() -> None:
    graph = cb.Graph((cb.Variable("<b>X</b>", ("<i>", "&")), cb.Variable("Y", ("0", "1"), ("<b>X</b>",))))
    problem = cb.Problem(graph, "Y", budget=9)
    for html in (html_of(graph), html_of(problem)):
        assert "<b>" not in html
        assert "<i>" not in html
        assert "&lt;b&gt;X&lt;/b&gt;" in html


class Display:
    """What a notebook does with HTML that it is given."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, content: dict[str, str], raw: bool, display_id: bool) -> Display:
        assert display_id
        self.update(content, raw)
        return self

    def update(self, content: dict[str, str], raw: bool) -> None:
        assert raw
        assert content["text/html"].endswith(content["text/plain"])
        self.shown.append(content["text/html"])


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Display:
    """A notebook without ipywidgets, in which every change is shown at once."""
    found = Display()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=found.display))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    return found


def test_a_notebook_has_a_progress_bar_without_widgets_that_goes_away(notebook: Display) -> None:
    with progress.progress_bar(None, 4) as advance:
        advance(1)
        advance(2)
    assert notebook.shown == [
        '<progress value="1" max="4"></progress> simulating: 25%',
        '<progress value="3" max="4"></progress> simulating: 75%',
        "",
    ]


def test_the_bar_goes_away_after_an_error_and_is_not_there_if_not_wanted(notebook: Display) -> None:
    with suppress(KeyboardInterrupt), progress.progress_bar(None, 2) as advance:
        advance(1)
        raise KeyboardInterrupt
    assert len(notebook.shown) == 2
    assert notebook.shown[-1] == ""
    notebook.shown.clear()
    with progress.progress_bar(False, 2) as advance:
        advance(2)
    assert notebook.shown == []


def test_quick_work_in_a_notebook_shows_no_bar(notebook: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with progress.progress_bar(None, 2) as advance:
        advance(2)
    assert notebook.shown == []
