"""A stream of random numbers as a policy gets it, and the tolerance of statistical tests."""

from __future__ import annotations

import numpy as np

from causalbandits.engine.streams import KEYS, POLICY, RNG, SEED, key_of, start_run, start_stream

# A correct program fails one of the statistical tests with a probability of at most 1e-6.
# 5 is a normal quantile for that (6e-7, two-sided).
# QUANTILE + 1 is for the largest of up to 101 deviations (2e-9 each).
QUANTILE = 5.0


def stream(number: int) -> np.ndarray:
    """The state of a stream; different numbers give different streams."""
    keys, rng = np.zeros(KEYS, np.uint64), np.zeros(RNG, np.uint64)
    keys[SEED], keys[POLICY] = key_of("seed 1"), key_of("policy")
    start_run(keys, 0)
    start_stream(rng, keys, 3, number)
    return rng
