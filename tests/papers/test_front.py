"""The first sentences of the report follow the verdicts."""

from __future__ import annotations

from causalbandits.papers.nair2021.front import front
from causalbandits.papers.nair2021.paper import PARTS


def test_the_front_sorts_claims_of_the_text_and_of_the_figures_by_their_verdicts() -> None:
    reproduced, depends, not_reproduced = front(
        {"E1a": "reproduced", "E1b": "not reproduced", "F1": "reproduced", "E4a": "depends", "F15": "not reproduced",
         "T3": "inconclusive"}, PARTS
    )  # fmt: skip
    assert reproduced.startswith("Reproduced: 1 claim (E1a) of the text, ")
    assert "and 1 curve (F1) of the published figures" in reproduced
    assert depends.startswith("Depends: 1 claim (E4a) of the text; ")
    assert not_reproduced.startswith("Not reproduced: 1 claim (E1b) of the text, and 1 curve (F15) ")
    assert not_reproduced.endswith("undecided: 1 claim (T3).")


def test_a_part_of_the_report_says_what_it_has() -> None:
    sentences = front({"T1": "reproduced", "T2": "reproduced"}, PARTS)
    assert sentences[0].startswith("Reproduced: 2 claims (T1, T2) of the text, ")
    assert sentences[1].startswith("Depends: no claims of the text; ")
