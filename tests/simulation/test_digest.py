"""Summaries (keep="summary"): the same numbers as from the arrays, without the arrays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.simulation.digest import WIDTH, Sketch

WORLD = cb.worlds.marketing()
POLICIES = [cb.CRMNB(), cb.FKube(), cb.GammaNB()]


def both(**options: object) -> tuple[cb.Result, cb.Digest]:
    problem = WORLD.problem(budget=300, cost=2)
    chosen = {"runs": 230, "seed": 3, "checkpoints": [100, 300], **options}
    return cb.simulate(WORLD, problem, POLICIES, **chosen), cb.simulate(
        WORLD, problem, POLICIES, keep="summary", **chosen
    )  # type: ignore[call-overload]


def test_a_summary_has_the_numbers_of_the_arrays() -> None:
    result, digest = both()
    for label, row in result.summary().items():
        for kind in ("simple_regret", "cumulative_regret"):
            one, other = getattr(row, kind), getattr(digest.summary()[label], kind)
            assert (other.mean, other.standard_error, other.low, other.high) == pytest.approx(
                (one.mean, one.standard_error, one.low, one.high), abs=1e-9
            )
        assert digest.summary()[label].left_over == pytest.approx(row.left_over)
        np.testing.assert_allclose(digest.pulls[label], result.pulls[label].mean(axis=0))
        np.testing.assert_array_equal(
            digest.recommended[label], np.bincount(result.recommended[label], minlength=len(result.problem.arms))
        )
        first = result.cumulative_regret[label][:, 0]
        assert digest.cumulative_regret[label][0].mean == pytest.approx(first.mean())
        for q in (0.0, 0.1, 0.5, 0.9, 1.0):
            exact = float(np.quantile(first, q, method="lower"))
            assert digest.cumulative_regret[label][0].quantile(q) == pytest.approx(exact, rel=WIDTH, abs=1e-9)
    assert "crm-nb" in repr(digest)


def test_a_summary_does_not_depend_on_chunks_or_threads() -> None:
    (_, one), (_, other) = both(chunk=7, threads=2), both(chunk=100, threads=1)
    for label in one.parts:
        assert one.simple_regret[label].buckets == other.simple_regret[label].buckets
        assert one.summary()[label].cumulative_regret.mean == pytest.approx(
            other.summary()[label].cumulative_regret.mean, rel=1e-12
        )
        np.testing.assert_array_equal(one.recommended[label], other.recommended[label])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.floats(0, 1), st.integers(0, 50))
def test_a_sketch_of_parts_is_the_sketch_of_the_whole(values: list[float], q: float, cut: int) -> None:
    sample = np.array(values)
    whole = Sketch.of(sample)
    if 0 < cut < len(sample):
        parts = Sketch.of(sample[:cut]) + Sketch.of(sample[cut:])
        assert (parts.runs, parts.least, parts.most, parts.buckets) == (
            whole.runs,
            whole.least,
            whole.most,
            whole.buckets,
        )
        assert (parts.mean, parts.squares) == pytest.approx((whole.mean, whole.squares), rel=1e-9, abs=1e-6)
    assert whole.quantile(q) == pytest.approx(float(np.quantile(sample, q, method="lower")), rel=WIDTH, abs=2e-9)


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux tells the most memory that a program itself has held"
)
def test_a_million_runs_fit_in_half_a_gigabyte() -> None:
    code = (  # not ru_maxrss, which begins with the memory of the process that started this one
        "import causalbandits as cb; w = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3);"
        "d = cb.simulate(w, w.problem(budget=100, cost=60), 'obs', runs=1_000_000, seed=1, keep='summary');"
        "most = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0];"
        "print(most, d.summary()['obs'].simple_regret.mean)"
    )
    kilobytes, mean = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(kilobytes) < 500_000
    assert float(mean) == pytest.approx(0.132, abs=0.001)  # 1000 runs in the paper's Experiment 1 give the same
