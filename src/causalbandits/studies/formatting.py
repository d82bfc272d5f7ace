"""Numbers for people."""

from __future__ import annotations

import math


def short(value: float | None, digits: int = 4) -> str:
    """A number in a few digits; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) < 1e-12:  # what rounding leaves of a regret of 0
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
    return text.replace("-", "−")


def size(log: float) -> str:
    """A size that may be beyond every float, from its logarithm."""
    return f"{math.exp(log):,.0f}" if log < math.log(1e9) else f"e^{log:,.0f}"
