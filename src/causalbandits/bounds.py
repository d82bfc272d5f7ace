"""m(p), the number of arms that watching seldom shows, for people; the compiled policies use the same function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .engine.phases import rare_arms


def m(q: Sequence[float] | NDArray[np.float64]) -> int:
    """m(q) for the probabilities q_a that watching shows intervention a (Nair, Patil & Sinha 2021, section 3)."""
    return int(rare_arms(np.asarray(q, dtype=np.float64)))
