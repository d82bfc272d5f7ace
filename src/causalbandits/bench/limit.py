"""The limit of the machine: the random words per second of the engine's generator, when nothing else is done."""

from __future__ import annotations

import time

import numpy as np
from numba import njit

from ..engine.bridge.vectors import W, every, total
from ..engine.cpu.blocks import LANES, load_state, next_words

TIMES = 1_000_000  # calls of the generator per measurement; they take a few milliseconds


@njit(nogil=True)
def draw_words(lanes, times):  # type: ignore[no-untyped-def]
    """Draw words and combine them into one, so that the compiler cannot leave any out."""
    state = load_state(lanes)
    mixed = every(False)
    for _ in range(times):
        word, state = next_words(state)
        mixed = mixed ^ word
    return total(mixed)


def words_per_second() -> float:
    """The random words of 64 bits per second of processor time, on one core."""
    lanes = np.random.default_rng(1).integers(0, 2**64, LANES, dtype=np.uint64)
    draw_words(lanes, 1)
    start = time.process_time()
    draw_words(lanes, TIMES)
    return TIMES * W / (time.process_time() - start)
