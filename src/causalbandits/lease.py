"""Leases: how many seconds a trial of a live experiment may take before it counts as lost."""

from __future__ import annotations

import math

DEFAULT = 3600.0
SHORTEST, LONGEST = 0.001, 366 * 24 * 3600.0
SENTENCE = f"The lease must be a number of seconds between {SHORTEST} and {LONGEST:.0f}"


def is_lease(said: object) -> bool:
    """Whether this is a number of seconds that a lease may have."""
    return (
        isinstance(said, int | float)
        and not isinstance(said, bool)
        and math.isfinite(said)
        and SHORTEST <= said <= LONGEST
    )
