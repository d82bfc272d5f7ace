"""The intervals hold at every look, and are those that their docstring states."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

import causalbandits as cb
from causalbandits.live.intervals import EFFECT, bounded, normal, real

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
    interval = (lambda total, n: real(total, n, 0.5)) if kind == "normal" else bounded
    left = 0
    for _ in range(PATHS):
        sums = np.cumsum(path())
        left += any(not low <= mean <= high for n in LOOKS for low, high in [interval(float(sums[n - 1]), n)])
    assert stats.binom.sf(44, PATHS, 0.05) < 1e-6
    assert left <= 44


@pytest.mark.parametrize(("mean", "deviation", "count"), [(0.3, 1.0, 8), (-2.0, 0.01, 40), (5.0, 30.0, 100)])
def test_the_interval_of_normals_ends_where_the_mixture_of_t_ratios_reaches_20(
    mean: float, deviation: float, count: int
) -> None:
    """The mixture over effects by numerical integration of noncentral t densities, not by its closed form."""
    squares = deviation**2 * (count - 1)
    for edge in normal(mean, squares, count):
        t = (mean - edge) / deviation * math.sqrt(count)

        def integrand(effect: float, t: float = t) -> float:
            weight = stats.norm.pdf(effect, scale=math.sqrt(EFFECT))
            return float(stats.nct.pdf(t, count - 1, math.sqrt(count) * effect) * weight)

        near, far = t / math.sqrt(count), min(4, 12 / math.sqrt(count))  # the integral is near this effect
        mixture = integrate.quad(integrand, near - far, near + far, points=[near], limit=400, epsrel=1e-6)[0]
        ratio = mixture / stats.t.pdf(t, count - 1)
        assert ratio == pytest.approx(20, rel=1e-4)


def share_that_leaves(deviation: float, paths: int, rounds: int, seed: int) -> float:
    """The share of paths of normal rewards that ever leave the interval, looked at after every round."""
    rng = np.random.default_rng(seed)
    n = np.arange(1, rounds + 1)
    left = 0
    for _ in range(paths):
        rewards = rng.normal(3.0, deviation, rounds)
        means = np.cumsum(rewards) / n
        squares = np.cumsum(rewards**2) - n * means**2
        ends = [normal(float(means[i]), float(squares[i]), i + 1) for i in range(rounds)]
        left += any(not low <= 3.0 <= high for low, high in ends)
    return left / paths


@pytest.mark.parametrize("deviation", [0.5, 7.0])
def test_the_interval_of_normals_contains_the_mean_at_all_looks_together(deviation: float) -> None:
    """At most 5 % of the paths may ever leave it. Of 400, more than 44 do by chance less than once in a million."""
    assert share_that_leaves(deviation, 400, 120, 1) <= 44 / 400


@pytest.mark.slow
def test_the_interval_of_normals_covers_at_all_looks_together_in_many_paths() -> None:
    """Of 4000 paths, more than 5 % and five standard errors leave by chance less than once in a million times."""
    assert stats.binom.sf(math.floor(4000 * 0.0675), 4000, 0.05) < 1e-6
    assert share_that_leaves(2.0, 4000, 2000, 2) <= 0.0675


def test_an_experiment_says_what_its_intervals_assume_and_estimates_the_deviation(tmp_path: Path) -> None:
    """The pooled rewards of do(X=1) are its own rounds and the observations that showed X = 1."""
    world = cb.World([cb.node("X", {0: 0.5, 1: 0.5}), cb.linear("Y", {"X": 2.0}, noise=5.0)], reward="Y")
    experiment = cb.Experiment.create(f"sqlite:///{tmp_path}/j.db", "scaled", world.problem(horizon=60), cb.UCB())
    rng, rewards = np.random.default_rng(5), []
    for _ in range(60):
        trial = experiment.ask()
        x = int(dict(trial.intervention).get("X", rng.integers(2)))
        reward = float(100 + 2 * x + 5 * rng.normal())
        rewards += [reward] if x == 1 else []
        experiment.tell(trial.number, reward, {"X": x})
    status = experiment.status()
    assert "standard deviation is estimated" in status.method
    estimate = next(arm for arm in status.arms if str(arm.intervention) == "do(X=1)")
    squares = float(np.var(rewards) * len(rewards))
    assert estimate.effective_pulls == len(rewards)
    assert estimate.interval == pytest.approx(normal(float(np.mean(rewards)), squares, len(rewards)), rel=1e-9)
    stated = world.problem(horizon=60, reward_scale=5)
    other = cb.Experiment.create(f"sqlite:///{tmp_path}/j.db", "stated", stated, cb.UCB())
    assert "standard deviation 5, as the problem states" in other.status().method


def test_an_interval_is_not_wider_than_necessary() -> None:
    """A fixed-time interval would be violated sooner or later; this one costs less than twice its width."""
    low, high = bounded(300, 1000)
    fixed = 2 * 1.96 * math.sqrt(0.3 * 0.7 / 1000)
    assert fixed < high - low < 2 * fixed
    low, high = real(300, 1000, 0.5)
    assert 2 * 1.96 * math.sqrt(0.25 / 1000) < high - low < 4 * 1.96 * math.sqrt(0.25 / 1000)


def test_the_normal_mixture_is_narrowest_where_the_source_says() -> None:
    assert min(range(1, 1000), key=lambda n: real(0, n, 0.5).high * math.sqrt(n)) == 82


def test_an_interval_scales_with_the_bounds_and_is_the_whole_range_without_data() -> None:
    plain = bounded(7, 20)
    scaled = bounded(7 * 4 + 20 * -1, 20, low=-1, high=3)
    assert scaled == pytest.approx([-1 + 4 * edge for edge in plain])
    assert bounded(0, 0, -1, 3) == (-1, 3)
    assert real(0, 0, 0.5) == normal(0, 0, 0) == normal(3, 0, 1) == (-math.inf, math.inf)
    assert real(14, 20, 1.5) == pytest.approx([3 * edge for edge in real(14 / 3, 20, 0.5)])
    assert normal(2.0, 36.0, 40) == pytest.approx([2 * edge for edge in normal(1.0, 9.0, 40)])
