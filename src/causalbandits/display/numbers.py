"""Numbers as people read them: few digits, and no rounding errors."""

from __future__ import annotations

import math

NOISE = 1e-9  # a smaller number is 0 with a rounding error, as rewards and money are of the order of 1
FINEST = 1e-3  # of the width of an interval: an end that is closer to 0 is shown as 0


def short(number: float, digits: int = 4, noise: float = NOISE) -> str:
    """A number with so many digits. What is smaller than `noise` is 0, and what is not known is a question mark."""
    if math.isnan(number):
        return "?"
    return "0" if abs(number) < noise else f"{number:.{digits}g}"


def plus_minus(mean: float, error: float) -> str:
    """A mean and its standard error. The error is left out if there is none, as after a single run."""
    return short(mean) if math.isnan(error) else f"{short(mean)} ± {short(error, digits=2)}"


def span(low: float, high: float) -> str:
    """The ends of an interval. An end without a limit is a hyphen. A band that is not known is a question mark."""
    if math.isnan(low) and math.isnan(high):
        return "?"
    noise = FINEST * (high - low) if math.isfinite(high - low) else NOISE
    ends = (short(end, noise=noise) if math.isfinite(end) else "-" for end in (low, high))
    return " to ".join(ends)
