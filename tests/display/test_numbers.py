"""Numbers for people: no rounding errors, no more digits than anybody reads."""

from __future__ import annotations

import math

from causalbandits.display.numbers import plus_minus, short, span


def test_rounding_errors_are_not_shown() -> None:
    assert short(5.6e-18) == short(-5.6e-18) == short(0.0) == "0"
    assert plus_minus(0.054, 5.6e-18) == "0.054 ± 0"
    assert span(2.177e-08, 0.8) == "0 to 0.8"
    assert span(4e-05, 0.15) == "0 to 0.15"
    assert span(0.2, 1 - 2e-8) == "0.2 to 1"
    assert span(2e-8, 4e-8) == "2e-08 to 4e-08"  # this is no rounding error: the interval is that small


def test_what_is_not_known_is_not_a_number() -> None:
    assert plus_minus(0.3, math.nan) == "0.3"
    assert span(-math.inf, math.inf) == "- to -"
    assert span(-math.inf, 0.5) == "- to 0.5"
    assert short(math.nan) == span(math.nan, math.nan) == "?"


def test_digits_are_few() -> None:
    assert short(1 / 3) == "0.3333"
    assert plus_minus(1445.0123, 0.0371) == "1445 ± 0.037"
