"""What people write out of habit, and the number or the sentence that it gets."""

from __future__ import annotations

import pytest

from causalbandits.files.toml.document import Document, VariableSection
from causalbandits.files.toml.habits import TRUTH_KEYS, habit, plain_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4,000", "4000"),
        ("$1,234,567.89", "1234567.89"),
        ("4.000,50", "4000.50"),
        ("4 000", "4000"),
        ("1,5", "1.5"),
        ("-3,5", "-3.5"),
        ("€ 12", "12"),
        ("4000 EUR", "4000"),
        ("12.5 %", "0.125"),
        (".5", "0.5"),
        ("5.", "5"),
        ("007", "7"),
        ("1e5", "1e5"),
        ("0", "0"),
        ("1,2,3", None),
        ("2026-01-01", None),
        ("lots", None),
        ("1e99999999 %", None),
        ("", None),
    ],
)
def test_a_number_as_people_write_it_is_understood(text: str, number: str | None) -> None:
    assert plain_number(text) == number


@pytest.mark.parametrize(
    "line", ["budget = 4000", "strict = true", 'reward = "“Buy”"', "budget 4000", "[cost", "x = ["]
)
def test_a_line_that_is_right_or_wrong_in_another_way_has_no_habit(line: str) -> None:
    assert habit(line) is None


def test_the_keys_that_are_true_or_false_are_known() -> None:
    fields = {**Document.model_fields, **VariableSection.model_fields}
    assert {name for name, field in fields.items() if "bool" in str(field.annotation)} == TRUTH_KEYS
