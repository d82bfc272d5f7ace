"""Numbers in a report: short, for people."""

from __future__ import annotations

from causalbandits.studies.formatting import short, size


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
