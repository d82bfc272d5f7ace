"""m(p): how many arms watching seldom shows."""

from __future__ import annotations

from .engine.cache import lean


@lean
def m(q):
    """min{whole tau >= 2 : #{a : q_a < 1/tau} <= tau}, for the probabilities q_a that watching shows intervention a (Nair et al. 2021, section 3)."""
    tau = 2
    while True:
        rare = 0
        for a in range(q.size):
            if q[a] < 1.0 / tau:
                rare += 1
        if rare <= tau:
            return tau
        tau += 1
