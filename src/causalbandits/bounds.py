"""m(p): how many arms watching seldom shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .engine.cache import lean


def m(q: Sequence[float] | NDArray[np.float64]) -> int:
    """m(q) for the probabilities q_a that watching shows intervention a (Nair, Patil & Sinha 2021, section 3)."""
    return int(rare_arms(np.asarray(q, dtype=np.float64)))


@lean
def rare_arms(q):
    """m(q) = min{whole tau >= 2 : #{a : q_a < 1/tau} <= tau}."""
    tau = 2
    while True:
        rare = 0
        for a in range(q.size):
            if q[a] < 1.0 / tau:
                rare += 1
        if rare <= tau:
            return tau
        tau += 1
