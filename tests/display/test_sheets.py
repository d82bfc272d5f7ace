"""Sheets: readable at every width, and safe as HTML."""

from __future__ import annotations

import pytest

from causalbandits.display.html import Html, element
from causalbandits.display.sheets import Sheet, block

ARMS = Sheet(
    ("arm", "rounds", "what watching added", "mean", "interval"),
    [("do() (watch)", "12", "0", "0.25", "0.1 to 0.4"), ("do(Comparison=competitor)", "3", "120", "", "0 to 1")],
)


def test_a_sheet_has_its_columns_side_by_side_with_numbers_on_the_right() -> None:
    assert ARMS.text() == (
        "arm                        rounds  what watching added  mean  interval\n"
        "do() (watch)                   12                    0  0.25  0.1 to 0.4\n"
        "do(Comparison=competitor)       3                  120        0 to 1"
    )
    assert ARMS.text(72) == ARMS.text()


def test_titles_take_several_lines_before_anything_else_gives_way() -> None:
    assert ARMS.text(71).splitlines()[:4] == [
        "arm                        rounds      what  mean  interval",
        "                                   watching",
        "                                      added",
        "do() (watch)                   12         0  0.25  0.1 to 0.4",
    ]


def test_where_columns_do_not_fit_each_row_becomes_a_few_lines() -> None:
    assert ARMS.text(50) == (
        "do() (watch)\n"
        "    rounds: 12; what watching added: 0;\n"
        "    mean: 0.25; interval: 0.1 to 0.4\n"
        "do(Comparison=competitor)\n"
        "    rounds: 3; what watching added: 120;\n"
        "    interval: 0 to 1"
    )
    pending = Sheet(("trial", "arm"), [("2", "do(" + "X" * 40 + "=1)")])
    assert pending.text(20).splitlines()[0] == "trial 2"


def test_a_last_column_of_words_is_wrapped_below_itself() -> None:
    sheet = Sheet(("arm", "why"), [("do(X=1)", "no: X <- Season -> Purchase")])
    assert sheet.text(34) == "arm      why\ndo(X=1)  no: X <- Season ->\n         Purchase"


@pytest.mark.parametrize("width", range(20, 120, 7))
def test_no_line_is_wider_than_asked(width: int) -> None:
    assert max(map(len, ARMS.text(width).splitlines())) <= max(width, len("do(Comparison=competitor)"))


def test_wide_characters_stay_aligned() -> None:
    text = Sheet(("arm", "mean"), [("do(色=赤)", "1"), ("do(X=1)", "20")]).text()
    assert text == "arm        mean\ndo(色=赤)     1\ndo(X=1)      20"


def test_html_is_escaped_wherever_text_enters() -> None:
    evil = '<script>alert("1")</script>&'
    page = block(evil, Sheet((evil, "b"), [(evil, "2")]))
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;") == 3
    assert element("p", Html("<b>x</b>"), {"title": '"'}) == '<p title="&quot;"><b>x</b></p>'
    assert page.startswith("<div><p>")
    assert '<td style="text-align: right">2</td>' in page
