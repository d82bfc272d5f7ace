"""Evidence: the test of a mean, its bound, and Holm's procedure, against SciPy and by hand."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

import causalbandits as cb
from causalbandits.studies.claims import Each, Every, FromSomeOn, Most, Never
from causalbandits.studies.contrasts import Below, Better, Both, Close
from causalbandits.studies.evidence import holm, p_below, upper_bound
from causalbandits.studies.study import Floats

from .made_up import FAR, LEVEL, SURE, A, B, Made, data, exact, judged, marked, marks, two, with_p

LEVELS = st.sampled_from([0.05, 0.025, 0.05 / 3, 0.01, 0.05 / 15, 1e-6])
SAMPLES = st.lists(
    st.one_of(st.integers(-3, 1).map(float), st.floats(-2, 1, allow_subnormal=False)), min_size=1, max_size=25
).map(np.array)


@pytest.mark.parametrize("runs", [2, 3, 10, 1000])
@pytest.mark.parametrize("mean", [-0.3, 0.0, 0.2])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_chance_and_the_bound_are_those_of_the_one_sided_t_test(runs: int, mean: float, scale: float) -> None:
    sample = scale * (mean + np.random.default_rng(runs).standard_normal(runs))
    expected = stats.ttest_1samp(sample, 0, alternative="less")
    assert p_below(sample) == pytest.approx(expected.pvalue, rel=1e-9)
    for level in (0.05, 0.01, 0.05 / 15):
        assert upper_bound(sample, level) == pytest.approx(expected.confidence_interval(1 - level).high, rel=1e-8)


@settings(max_examples=300, deadline=None)
@given(sample=SAMPLES, level=LEVELS)
@example(np.full(5, -0.3), 0.05)
@example(np.full(4, -0.3), 0.05)
@example(np.full(20, 0.3), 0.05)
@example(np.zeros(20), 0.05)
@example(np.array([-1.0]), 0.05)
def test_the_upper_bound_is_below_0_if_and_only_if_the_test_is_significant(sample: Floats, level: float) -> None:
    p, upper = p_below(sample), upper_bound(sample, level)
    assume(abs(p / level - 1) > 1e-6)
    assert (upper is not None and upper < 0) == (p <= level)
    assert 0 <= p <= 1
    assert upper is None or upper >= sample.mean()


@pytest.mark.parametrize("runs", [2, 3, 4, 50])
def test_if_all_runs_agree_the_chance_that_none_differs_decides(runs: int) -> None:
    """If a run differs with probability q, then none of n runs differs with probability (1 - q)^n.

    In that case the mean is wrong by at most q times the span.
    """
    assert p_below(np.full(runs, -0.3), span=0.5) == pytest.approx((1 - 0.3 / 0.5) ** runs)
    assert p_below(np.full(runs, -0.6), span=0.5) == 0  # no run could make up for it
    assert (
        p_below(np.full(runs, 0.3), span=0.5) == p_below(np.zeros(runs), span=0.5) == p_below(np.full(runs, -0.3)) == 1
    )
    bound = upper_bound(np.full(runs, -0.3), LEVEL, span=0.5)
    assert bound == pytest.approx(-0.3 + 0.5 * (1 - LEVEL ** (1 / runs)))
    assert (bound < 0) == ((1 - 0.3 / 0.5) ** runs < LEVEL)
    assert p_below(np.full(runs, -0.3), span=0.0) == 0  # nothing can vary
    assert p_below(np.zeros(runs), span=0.0) == 1
    assert upper_bound(np.full(runs, -0.3), LEVEL) is None  # of what could be anything nothing is known


def test_the_error_rate_holds_if_all_runs_agree_by_chance() -> None:
    """Regrets of 0 or 0.3 that differ in one run of ten: the means are 0.03 apart, the margin is 0.02."""
    rng = np.random.default_rng(3)
    for runs in (5, 12, 20, 100):
        differ = 0.3 * (rng.random((2000, runs)) < 0.1)
        agreeing = differ[differ.max(axis=1) == 0]
        false = sum(max(p_below(d - 0.02, 0.6), p_below(-d - 0.02, 0.6)) <= LEVEL for d in agreeing[:1]) * len(agreeing)
        assert false <= 2000 * LEVEL + SURE * math.sqrt(2000 * LEVEL)


@pytest.mark.parametrize("mean", [-0.3, -3e7])
def test_runs_that_differ_by_rounding_alone_count_as_agreeing(mean: float) -> None:
    jitter = mean * (1 + np.array([0, 1, -1, 2, 0, -1]) * 2.0**-52)
    assert len(set(jitter)) > 1
    assert p_below(jitter, span=-2 * mean) == pytest.approx(2.0**-6)
    assert p_below(mean * (1 + np.array([0, 1, -1, 2, 0, -1]) * 1e-9)) < 1e-9  # not rounding: the t-test decides


def test_one_run_shows_nothing() -> None:
    assert p_below(np.array([-5.0])) == 1
    assert upper_bound(np.array([-5.0]), LEVEL) is None
    for quantifier in (Every, Each, Most, FromSomeOn, Never):
        judgement = judged(quantifier, Made(np.array([[-5.0], [5.0]])))
        assert (judgement.verdict, marks(judgement), judgement.runs_needed) == ("inconclusive", "??", None)
        assert [
            (point.p_shown, point.p_refuted, point.bounds[0].lower, point.bounds[0].upper) for point in judgement.points
        ] == [(None,) * 4] * 2
    assert "run more" in judgement.summary


def test_two_runs_are_the_least_that_a_t_test_takes() -> None:
    point = judged(Every, Made(np.array([[-1.0, -1.0001]]))).points[0]
    assert (point.finding, point.p_shown) == (
        "shown",
        pytest.approx(stats.ttest_1samp([-1.0, -1.0001], 0, alternative="less").pvalue),
    )


def test_holm_agrees_with_a_calculation_by_hand() -> None:
    found = holm([0.01, 0.04, 0.03, 0.005])  # 0.005 <= 0.05 / 4, 0.01 <= 0.05 / 3, but 0.03 > 0.05 / 2: stop
    assert [significant for significant, _ in found] == [True, False, False, True]
    assert [level for _, level in found] == pytest.approx([0.05 / 3, 0.025, 0.025, 0.0125])
    assert holm([0.05]) == [(True, 0.05)]
    assert holm([0.2], level=0.2) == [(True, 0.2)]
    assert holm([]) == []


@settings(max_examples=300, deadline=None)
@given(
    p=st.lists(
        st.one_of(st.sampled_from([LEVEL / k for k in range(1, 7)]), st.floats(0, 0.08), st.floats(0, 1)), max_size=6
    )
)
def test_holm_is_the_closed_test_of_bonferroni(p: list[float]) -> None:
    """Holm (1979): a point is significant if and only if every set of points that has it in it is, by Bonferroni."""
    sets = [s for size in range(1, len(p) + 1) for s in itertools.combinations(range(len(p)), size)]
    expected = [all(min(p[j] for j in s) <= LEVEL / len(s) for s in sets if i in s) for i in range(len(p))]
    found = holm(p)
    assert [significant for significant, _ in found] == expected
    assert [
        chance <= level for chance, (_, level) in zip(p, found, strict=True)
    ] == expected  # so that bounds tell the same


@pytest.mark.parametrize(("p", "found"), [((0.049,), "+"), ((0.051,), "?"), ((0.949,), "?"), ((0.951,), "-")])
def test_a_single_point_is_tested_at_5_percent_both_ways(p: tuple[float, ...], found: str) -> None:
    assert marks(judged(Every, with_p(*p))) == found


def test_points_are_shown_and_refuted_with_holm_over_all_points_of_all_contrasts() -> None:
    assert marks(judged(Every, with_p(0.01, 0.04), with_p(0.03, 0.005))) == "+??+"
    assert marks(judged(Every, with_p(0.99, 0.96), with_p(0.97, 0.995))) == "-??-"
    assert marks(judged(Every, with_p(0.01, 0.99, 0.01, 0.99))) == "+-+-"


def test_points_out_of_reach_take_no_part_in_holm() -> None:
    assert marks(judged(Every, with_p(0.02, 0.04), FAR, FAR)) == "++xx"
    assert marks(judged(Every, with_p(0.98, 0.96), FAR, FAR)) == "--xx"
    assert marks(judged(Every, FAR, with_p(0.02, 0.04), FAR)) == "x++x"


def test_the_reported_p_values_are_those_of_the_points() -> None:
    point = judged(Every, with_p(0.2)).points[0]
    assert (point.p_shown, point.p_refuted) == pytest.approx((0.2, 0.8))
    close = judged(Every, Close(A, B), data=two([0.3215], [0.3])).points[0]
    difference = exact([0.3215])[0] - exact([0.3], seed=1)[0]
    # the larger of the two
    assert close.p_shown == pytest.approx(stats.ttest_1samp(difference, 0.02, alternative="less").pvalue)
    # Bonferroni over the two
    assert close.p_refuted == pytest.approx(2 * stats.ttest_1samp(difference, 0.02, alternative="greater").pvalue)
    assert judged(Every, Close(A, B), data=two([0.3], [0.3])).points[0].p_refuted == 1


def test_bounds_are_at_the_levels_that_holm_gave_to_their_points() -> None:
    made = with_p(0.001, 0.03, 0.3)
    first, second, third = (point.bounds[0] for point in judged(Every, made).points)
    t = [stats.ttest_1samp(sample, 0, alternative="less") for sample in made.samples]
    assert first.upper == pytest.approx(t[0].confidence_interval(1 - 0.05 / 3).high)
    assert second.upper == pytest.approx(t[1].confidence_interval(1 - 0.05 / 2).high)
    # after the first that fails all are held against its level
    assert third.upper == pytest.approx(t[2].confidence_interval(1 - 0.05 / 2).high)
    lower = [
        stats.ttest_1samp(sample, 0, alternative="greater").confidence_interval(1 - 0.05 / 3).low
        for sample in made.samples
    ]
    assert [first.lower, second.lower, third.lower] == pytest.approx(lower)
    assert [first.mean, second.mean, third.mean] == pytest.approx(made.samples.mean(axis=1))


MEANS = st.lists(st.floats(-0.6, 0.6), min_size=1, max_size=5)


@settings(max_examples=100, deadline=None)
@given(a=MEANS, b=st.floats(-0.3, 0.3), runs=st.integers(2, 40), seed=st.integers(0, 99))
def test_a_finding_can_be_read_off_the_bounds(a: list[float], b: float, runs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    curves = data(
        A=np.array(a)[:, None] + 0.3 * rng.standard_normal((len(a), runs)),
        B=b + 0.3 * rng.standard_normal((len(a), runs)),
    )
    for contrast in (Better(A, B), Close(A, B, margin=0.2), Both(Below(A, lambda x: 0.1), Better(A, B))):
        for point in judged(Every, contrast, data=curves).points:
            inside = [b.upper < b.margin and (not b.margin or b.lower > -b.margin) for b in point.bounds]
            outside = [b.lower > b.margin or (b.margin > 0 and b.upper < -b.margin) for b in point.bounds]
            assert (point.finding == "shown") == all(inside)
            assert (point.finding == "refuted") == any(outside)
            assert all(
                bounds.lower <= bounds.mean <= bounds.upper
                for bounds in point.bounds
                if None not in (bounds.lower, bounds.upper)
            )


def test_without_scipy_the_claims_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(cb.InputError, match=r"causalbandits\[report\]"):
        judged(Every, *marked("+"))


def test_not_a_number_at_one_point_does_not_affect_the_others() -> None:
    runs = exact([-1.0, -1.0, -1.0])
    runs[1, 0] = math.nan
    assert marks(judged(Every, Made(runs))) == "+?+"
