"""Numbers as text for readers."""

from __future__ import annotations

import math


def short(value: float | None, digits: int = 4) -> str:
    """A number with few digits; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < 1e-12:  # a regret of 0 with a rounding error
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
    return text.replace("-", "−")


def size(log: float) -> str:
    """A number given by its logarithm, because it may be too large for a float."""
    return f"{math.exp(log):,.0f}" if log < math.log(1e9) else f"e^{log:,.0f}"
