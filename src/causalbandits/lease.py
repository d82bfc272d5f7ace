"""Leases: the number of seconds after which an unanswered trial of a live experiment counts as lost."""

from __future__ import annotations

import math

DEFAULT = 3600.0
SHORTEST, LONGEST = 0.001, 366 * 24 * 3600.0
SENTENCE = f"The lease must be a number of seconds between {SHORTEST} and {LONGEST:.0f}"


def is_lease(value: object) -> bool:
    """Whether the value is a number of seconds within the limits."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and SHORTEST <= value <= LONGEST
    )
