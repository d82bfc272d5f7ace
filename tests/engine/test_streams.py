"""The engine's small parts: streams, ties, alias tables, the normal quantile."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.cpu.tables import ONE, alias_tables
from causalbandits.engine.streams import KEYS, POLICY, RNG, SEED, key_of, normal_quantile, start_run, start_stream

# Chance that a right program fails one of the statistical tests below: at most 1e-6 each, by a normal quantile of 5 (6e-7, two-sided), or 6
# (2e-9) for the largest of at most 101 deviations.
QUANTILE = 5.0


def stream(number: int) -> np.ndarray:
    keys, rng = np.zeros(KEYS, np.uint64), np.zeros(RNG, np.uint64)
    keys[SEED], keys[POLICY] = key_of("seed 1"), key_of("policy")
    start_run(keys, 0)
    start_stream(rng, keys, 3, number)
    return rng


@pytest.mark.parametrize("p", [1e-300, 1e-15, 0.001, 0.07499, 0.075, 0.3, 0.5, 0.7, 0.925, 0.92501, 0.999, 1 - 1e-15])
def test_the_normal_quantile_agrees_with_the_standard_library(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-13, abs=1e-15)


def test_uniform_numbers_are_uniform_and_streams_differ() -> None:
    rng = stream(0)
    numbers = np.array([cb.uniform(rng) for _ in range(20_000)])
    cells = np.bincount((numbers * 20).astype(int), minlength=20)
    assert np.abs(cells - 1000).max() < (QUANTILE + 1) * np.sqrt(1000 * 0.95)
    assert cb.uniform(stream(0)) == numbers[0]
    assert len({cb.uniform(stream(n)) for n in range(1000)}) == 1000


@pytest.mark.parametrize("size", [1, 3, 8, 20, 101])
def test_best_finds_the_maximum_and_breaks_ties_evenly(size: int) -> None:
    rng, values = stream(size), np.random.default_rng(size).random(size)
    assert cb.best(values, rng) == np.argmax(values)
    tied = np.arange(size)[:: max(1, size // 5)]
    values[tied] = 2.0 + np.linspace(0, 9e-13, len(tied))  # within 1e-12
    draws = np.bincount([cb.best(values, rng) for _ in range(4000)], minlength=size)
    assert draws[tied].sum() == 4000
    share = 4000 / len(tied)
    assert np.abs(draws[tied] - share).max() <= (QUANTILE + 1) * np.sqrt(share)


def test_best_tells_values_apart_that_differ_by_more_than_the_tolerance_and_skips_what_is_forbidden() -> None:
    assert {cb.best(np.array([1.0, 1.0 + 2e-12, -np.inf]), stream(n)) for n in range(50)} == {1}
    assert cb.best(np.full(9, -np.inf), stream(0)) == -1


def test_best_mean_never_chooses_what_has_no_sample_while_something_has_one() -> None:
    sums, counts = np.array([0.0, 0.0, 0.0]), np.array([0, 7, 0])
    assert {cb.best_mean(sums, counts, stream(n)) for n in range(50)} == {1}
    assert {cb.best_mean(sums, np.zeros(3, np.int64), stream(n)) for n in range(50)} == {0, 1, 2}


@pytest.mark.parametrize("size", [1, 2, 5, 64])
def test_an_alias_table_holds_the_distribution_that_it_was_made_from(size: int) -> None:
    rng = np.random.default_rng(size)
    table = rng.dirichlet(np.ones(size), size=3)
    table[0] = 0
    table[0, size // 2] = 1
    keep, other = alias_tables(table)
    stays = keep.astype(float) / ONE
    for row in range(3):
        held = stays[row] + np.bincount(other[row], weights=1 - stays[row], minlength=size)
        np.testing.assert_allclose(held / size, table[row], atol=1e-15)


def test_a_sample_shows_visible_variables_and_follows_the_intervention() -> None:
    world = cb.worlds.marketing()
    log = cb.sample(world, 20_000, "do(Promotion=yes)", seed=3)
    assert set(log) == {v.name for v in world.graph.variables} - {"Season"}
    assert (log["Promotion"] == "yes").all()
    mean = world.mean("do(Promotion=yes)")
    assert abs((log["Purchase"] == "yes").mean() - mean) < QUANTILE * np.sqrt(mean * (1 - mean) / 20_000)
    chain = cb.sample(cb.worlds.confounded_chain(), 10, seed=1)
    assert chain["Y"].dtype == float
    np.testing.assert_array_equal(chain["Y"], cb.sample(cb.worlds.confounded_chain(), 10, seed=1)["Y"])
