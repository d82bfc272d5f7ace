"""The intervals hold at every look, and are those that their docstring states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from causalbandits.live.intervals import bounded, real

LOOKS = sorted({int(x) for x in np.geomspace(1, 400, 25)})
PATHS = 400


@pytest.mark.parametrize(("successes", "count"), [(0, 3), (3, 3), (7, 20), (120, 400), (2.6, 9)])
def test_the_interval_ends_where_the_mixture_of_likelihood_ratios_reaches_20(successes: float, count: int) -> None:
    """The mixture by numerical integration over the prior, not by the beta function."""

    def ratio(m: float) -> float:
        def integrand(angle: float) -> float:  # q = sin^2: Beta(1/2, 1/2) is uniform in the angle
            q = math.sin(angle) ** 2
            logs = (successes * math.log(q / m) if successes else 0) + (
                (count - successes) * math.log((1 - q) / (1 - m)) if count > successes else 0
            )
            return math.exp(logs) * 2 / math.pi

        return float(integrate.quad(integrand, 0, math.pi / 2, limit=200, epsabs=0, epsrel=1e-10)[0])

    for edge in bounded(successes, count):
        if 0 < edge < 1:
            assert ratio(edge) == pytest.approx(20, rel=1e-6)
    assert any(0 < edge < 1 for edge in bounded(successes, count))


@pytest.mark.parametrize("kind", ["rare", "even", "fractions", "normal"])
def test_the_interval_contains_the_mean_at_all_times_together(kind: str) -> None:
    """At most 5 % of the paths may ever leave the interval.

    Of 400 paths, more than 44 leave it by chance less than once in a million times.
    """
    rng = np.random.default_rng(1)
    draw = {
        "rare": (0.05, lambda: rng.random(400) < 0.05),
        "even": (0.5, lambda: rng.random(400) < 0.5),
        "fractions": (0.25, lambda: rng.beta(0.5, 1.5, 400)),
        "normal": (0.3, lambda: rng.normal(0.3, 0.5, 400)),
    }
    mean, path = draw[kind]
    interval = real if kind == "normal" else bounded
    left = 0
    for _ in range(PATHS):
        sums = np.cumsum(path())
        left += any(not low <= mean <= high for n in LOOKS for low, high in [interval(float(sums[n - 1]), n)])
    assert stats.binom.sf(44, PATHS, 0.05) < 1e-6
    assert left <= 44


def test_an_interval_is_not_wider_than_necessary() -> None:
    """A fixed-time interval would be violated sooner or later; this one costs less than twice its width."""
    low, high = bounded(300, 1000)
    fixed = 2 * 1.96 * math.sqrt(0.3 * 0.7 / 1000)
    assert fixed < high - low < 2 * fixed
    low, high = real(300, 1000)
    assert 2 * 1.96 * math.sqrt(0.25 / 1000) < high - low < 4 * 1.96 * math.sqrt(0.25 / 1000)


def test_the_normal_mixture_is_narrowest_where_the_source_says() -> None:
    assert min(range(1, 1000), key=lambda n: real(0, n).high * math.sqrt(n)) == 82


def test_an_interval_scales_with_the_bounds_and_is_the_whole_range_without_data() -> None:
    plain = bounded(7, 20)
    scaled = bounded(7 * 4 + 20 * -1, 20, low=-1, high=3)
    assert scaled == pytest.approx([-1 + 4 * edge for edge in plain])
    assert bounded(0, 0, -1, 3) == (-1, 3)
    assert real(0, 0) == (-math.inf, math.inf)
