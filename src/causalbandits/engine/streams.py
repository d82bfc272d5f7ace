"""Random streams: a draw depends on where it is used, never on what was drawn before.

There is one 64-bit word per (stream, position), by SplitMix64 (Steele, Lea & Flood 2014). A word can be the key of
another stream: seed -> run -> world, asks or recommendation -> number of the round or ask.
So results depend neither on threads nor on how runs are divided among them.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from .bridge.cache import fused, helper, lean

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, the increment of SplitMix64
SEED, POLICY, WORLD, ASKS, RECOMMENDATION, KEYS = 0, 1, 2, 3, 4, 5  # positions in the array of keys of a run
RNG = 3  # the words of a policy's own stream are its key, the number of the ask, and the position

# Coefficients of algorithm AS 241 (Wichura 1988): the normal quantile to 16 digits, in the centre and in both tails.
CENTRE = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
     1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
     5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0),
)  # fmt: skip
NEAR = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
     3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0),
)  # fmt: skip
FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def key_of(text: str) -> np.uint64:
    """A stable 64-bit key for any text: the same in every process."""
    return np.uint64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))


@helper
def word_at(key, position):
    """The word at a position of the stream `key`: SplitMix64 with Stafford's variant 13 of the last step."""
    word = key + (position + np.uint64(1)) * GOLDEN
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@helper
def unit(word):
    """A word as a float in (0, 1): the middle of one of 2^52 equal parts."""
    return (np.float64(word >> np.uint64(12)) + 0.5) * 2.0**-52


@fused
def rational(x, coefficients):
    """A quotient of two polynomials of degree 7. The coefficient of the highest power comes first."""
    above, below = coefficients[0][0], coefficients[1][0]
    for i in range(1, 8):
        above = above * x + coefficients[0][i]
        below = below * x + coefficients[1][i]
    return above / below


@lean
def normal_quantile(p):
    """The normal quantile of p in (0, 1), AS 241."""
    if is_central(p):
        return central_quantile(p)
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    tail = rational(r - 1.6, NEAR) if r <= 5.0 else rational(r - 5.0, FAR)
    return tail if p > 0.5 else -tail


@helper
def is_central(p):
    """Whether `central_quantile` may be used for p."""
    return abs(p - 0.5) <= 0.425


@helper
def central_quantile(p):
    """The normal quantile of a p in the centre."""
    q = p - 0.5
    return q * rational(0.180625 - q * q, CENTRE)


@helper
def normal_at(key, position):
    """A standard normal from one position of a stream."""
    return normal_quantile(unit(word_at(key, position)))


@lean
def start_run(keys, run):
    """Set the keys of a run's three streams from keys[SEED] and keys[POLICY].

    The stream of the world is the same for all policies.
    """
    run_key = word_at(keys[SEED], np.uint64(run))
    keys[WORLD] = word_at(run_key, np.uint64(WORLD))
    keys[ASKS] = word_at(word_at(run_key, np.uint64(ASKS)), keys[POLICY])
    keys[RECOMMENDATION] = word_at(word_at(run_key, np.uint64(RECOMMENDATION)), keys[POLICY])


@lean
def start_stream(rng, keys, which, number):
    """Set a policy's own stream to part `number` of the stream keys[which]."""
    rng[0] = keys[which]
    rng[1] = number
    rng[2] = 0


@lean
def uniform(rng):
    """The next number in (0, 1) of a policy's own stream."""
    rng[2] += np.uint64(1)
    return unit(word_at(word_at(rng[0], rng[1]), rng[2]))


@lean
def below(rng, bound):
    """The next whole number in 0 .. bound - 1 of a policy's own stream."""
    return np.int64(uniform(rng) * bound)
