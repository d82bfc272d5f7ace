"""Random streams: every draw is a function of where it is used, never of what was drawn before.

One 64-bit word per (stream, position), by SplitMix64 (Steele, Lea & Flood 2014). A stream is named by deriving keys:
seed -> run -> world, asks or recommendation -> round or ask number. So results depend neither on threads nor on chunks.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

from .cache import compiled, helper

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, the increment of SplitMix64
SEED, POLICY, WORLD, ASKS, RECOMMENDATION, KEYS = 0, 1, 2, 3, 4, 5  # positions in the array of keys of a run
Rng = NDArray[np.uint64]  # one word: the state of a small stream, advanced in place


def key_of(text: str) -> np.uint64:
    """A stable 64-bit key for any text: the same in every process."""
    return np.uint64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))


@helper
def mix(word):
    """SplitMix64's finaliser (variant 13 of Stafford): a bijection of 64-bit words that scatters its input."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@helper
def derive(key, number):
    """The key of part `number` of the stream `key`."""
    return mix(mix(key + GOLDEN) + (number + np.uint64(1)) * GOLDEN)


@helper
def word_at(key, position):
    """The word at a position of the stream `key`."""
    return mix(key + (position + np.uint64(1)) * GOLDEN)


@helper
def unit(word):
    """A word as a double in [0, 1): its upper 53 bits."""
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@helper
def normal_at(key, position):
    """A standard normal from two positions of a stream (Box & Muller 1958)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - unit(word_at(key, position))))
    return radius * math.cos(2.0 * math.pi * unit(word_at(key, position + np.uint64(1))))


@compiled
def uniform(rng):
    """The next number in [0, 1) of a policy's own stream."""
    rng[0] += GOLDEN
    return unit(mix(rng[0]))


@compiled
def below(rng, bound):
    """The next whole number in 0 .. bound - 1 of a policy's own stream."""
    return np.int64(uniform(rng) * bound)


@compiled
def start_run(keys, run):
    """Set the keys of a run's three streams from keys[SEED] and keys[POLICY]; the world's stream is the same for all policies."""
    run_key = derive(keys[SEED], np.uint64(run))
    keys[WORLD] = derive(run_key, np.uint64(WORLD))
    keys[ASKS] = derive(derive(run_key, np.uint64(ASKS)), keys[POLICY])
    keys[RECOMMENDATION] = derive(derive(run_key, np.uint64(RECOMMENDATION)), keys[POLICY])


@compiled
def start_stream(rng, keys, which, number):
    """Set a policy's small stream to part `number` of one of its run's streams."""
    rng[0] = derive(keys[which], np.uint64(number))
