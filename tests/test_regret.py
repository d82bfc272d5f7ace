"""Regret: the best purchase against a dynamic programme, and the pulls at checkpoints against a trace."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.regret import Estimate, best_purchase, best_reward, difference

from .fixed import Fixed

# ties and zeros often
MEANS = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1), st.integers(0, 12).map(lambda k: k / 12))


@st.composite
def purchases(draw: st.DrawFn) -> tuple[tuple[int, ...], list[float], int]:
    arms = draw(st.integers(1, 5))
    costs = draw(st.lists(st.integers(1, 12), min_size=arms, max_size=arms))
    proportional = draw(st.booleans()) and draw(st.booleans())  # now and then every arm is worth its price
    means = [c / 12 for c in costs] if proportional else draw(st.lists(MEANS, min_size=arms, max_size=arms))
    return tuple(costs), means, draw(st.integers(1, 60))


def most_by_dynamic_programming(costs: tuple[int, ...], means: list[float], budget: int) -> float:
    """The most that every whole amount of money up to the budget earns, one unit after the other."""
    most = [0.0] * (budget + 1)
    for money in range(1, budget + 1):
        most[money] = max(
            [most[money - 1], *(most[money - c] + mean for c, mean in zip(costs, means, strict=True) if c <= money)]
        )
    return most[budget]


def value(purchase: dict[int, int], means: list[float]) -> float:
    return math.fsum(count * means[arm] for arm, count in purchase.items())


@settings(max_examples=400, deadline=None)
@given(instance=purchases())
@example(((3, 5), [0.5, 0.9], 11))
@example(((7, 11, 12), [7 / 12, 11 / 12, 1.0], 59))
@example(((12,), [1.0], 11))
def test_the_best_purchase_is_affordable_and_earns_what_the_dynamic_programme_earns(
    instance: tuple[tuple[int, ...], list[float], int],
) -> None:
    costs, means, budget = instance
    purchase = best_purchase(costs, np.array(means), budget)
    assert all(count > 0 for count in purchase.values())
    assert sum(count * costs[arm] for arm, count in purchase.items()) <= budget
    assert value(purchase, means) == pytest.approx(most_by_dynamic_programming(costs, means, budget), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(instance=purchases(), unit=st.sampled_from([100_000, 1_000_000, 333_333]))
def test_fractional_costs_are_bought_as_exactly_as_whole_ones(
    instance: tuple[tuple[int, ...], list[float], int], unit: int
) -> None:
    costs, means, budget = instance
    # the odd change buys nothing
    scaled = best_purchase(tuple(c * unit for c in costs), np.array(means), budget * unit + unit - 1)
    assert value(scaled, means) == pytest.approx(most_by_dynamic_programming(costs, means, budget), abs=1e-12)


def test_the_best_purchase_mixes_arms_where_one_alone_would_leave_money() -> None:
    world = cb.worlds.parallel([0.5, 0.5], 0.3)
    problem = world.problem(budget=3.3, cost=1.1)
    assert best_reward(problem, world.means(problem)) == pytest.approx(3 * 0.8, abs=1e-12)
    # two interventions and a look
    assert best_reward(problem, world.means(problem), 3.2) == pytest.approx(2 * 0.8 + 0.5, abs=1e-12)
    assert best_reward(problem, world.means(problem), "0.9") == 0


def test_with_a_horizon_the_best_purchase_is_the_best_mean_in_every_round() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=100)
    assert best_reward(problem, world.means(problem), 70) == pytest.approx(70 * 0.2595, abs=1e-10)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Ends what would not return, so that a failure does not hang the tests."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"still searching after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def assert_no_small_change_is_better(
    costs: tuple[int, ...], means: np.ndarray, budget: int, purchase: dict[int, int]
) -> None:
    """Check a purchase that is too large for the dynamic programme.

    It is affordable and earns at most the bound of the linear relaxation.
    It earns at least as much as one arm alone, or one arm once and another for the rest.
    """
    worth = value(purchase, means.tolist())
    assert sum(count * costs[arm] for arm, count in purchase.items()) <= budget
    assert worth <= budget * max(means / np.array(costs)) * (1 + 1e-12)
    pairs = (
        means[a] * n + (budget - n * costs[a]) // costs[b] * means[b]
        for a in range(len(costs))
        for b in range(len(costs))
        for n in range(40)
    )
    assert worth >= max(pairs) * (1 - 1e-12)


@pytest.mark.parametrize("arms", [3, 10, 100])
def test_the_best_purchase_for_a_large_budget_and_costs_of_six_decimals_takes_little_time(arms: int) -> None:
    rng = np.random.default_rng(arms)
    costs, means, budget = tuple(rng.integers(10**6, 60 * 10**6, arms).tolist()), rng.random(arms), 30_000_000_001
    with within(20):
        purchase = best_purchase(costs, means, budget)
    assert_no_small_change_is_better(costs, means, budget, purchase)


def test_the_best_purchase_among_arms_of_equal_worth_takes_little_time() -> None:
    costs, budget = (2_700_000, 2_270_000, 2_020_000, 1_540_000, 1_620_000), 30_000_010_000
    means = np.array(costs) / max(costs)
    with within(2):
        purchase = best_purchase(costs, means, budget)
    assert_no_small_change_is_better(costs, means, budget, purchase)


def rounds_within(trace: cb.Trace, problem: cb.Problem, money: float) -> np.ndarray:
    """How often each arm was pulled in the rounds whose cumulative cost is at most `money`."""
    spent = np.cumsum(np.array(problem.exact_costs)[trace.arms])
    return np.bincount(trace.arms[spent <= round(money * 10**6)], minlength=len(problem.arms))


@pytest.mark.parametrize(
    "policy",
    [cb.FKube(), cb.CRMNB(), cb.GammaNB(), cb.ParallelBandit(), Fixed(arm=2), Fixed(arm=1, count=3)],
    ids=lambda p: p.label,
)
def test_pulls_at_a_checkpoint_are_the_rounds_whose_cumulative_cost_is_at_most_that(policy: cb.Policy) -> None:
    world = cb.worlds.parallel([0.05, 0.3, 0.5], 0.3)
    problem = world.problem(budget=81.7, cost={"X1": 2.7, "X2": 1.1, "X3": 0.9})
    checkpoints = [0.5, 0.9, 1, 2.7, 9.9, 27, 27.1, 40.85, 80.999999, 81, 81.7]
    result = cb.simulate(world, problem, policy, runs=5, seed=2, checkpoints=checkpoints, progress=False)
    for run in range(5):
        trace = cb.trace(world, problem, policy, seed=2, run=run)
        for i, money in enumerate(checkpoints):
            pulls = rounds_within(trace, problem, money)
            np.testing.assert_array_equal(result.pulls[policy.label][run, i], pulls)
            most = most_by_dynamic_programming(
                tuple(c // 10**5 for c in problem.exact_costs), result.means.tolist(), int(money * 10 + 1e-9)
            )
            assert result.cumulative_regret[policy.label][run, i] == pytest.approx(
                most - pulls @ result.means, abs=1e-10
            )


@pytest.mark.parametrize("policy", [cb.UCB(), cb.ParallelBandit()], ids=lambda p: p.label)
def test_with_a_horizon_cumulative_regret_is_the_sum_of_the_gaps(policy: cb.Policy) -> None:
    world = cb.worlds.parallel([0.2, 0.5], 0.3)
    problem = world.problem(horizon=60)
    result = cb.simulate(world, problem, policy, runs=3, seed=4, checkpoints=[1, 17, 60], progress=False)
    for run in range(3):
        gaps = 0.8 - result.means[cb.trace(world, problem, policy, seed=4, run=run).arms]
        np.testing.assert_allclose(
            result.cumulative_regret[policy.label][run], [gaps[:1].sum(), gaps[:17].sum(), gaps.sum()], atol=1e-12
        )


def test_checkpoints_change_no_run() -> None:
    world = cb.worlds.parallel([0.05, 0.3], 0.3)
    problem = world.problem(budget=50, cost=1.1)
    few = cb.simulate(world, problem, [cb.CRMNB(), cb.GammaNB()], runs=4, seed=1, progress=False)
    many = cb.simulate(
        world, problem, [cb.CRMNB(), cb.GammaNB()], runs=4, seed=1, checkpoints=[3, 7.5, 33, 50], progress=False
    )
    for label in few.pulls:
        np.testing.assert_array_equal(few.pulls[label][:, 0], many.pulls[label][:, -1])
        np.testing.assert_array_equal(few.recommended[label], many.recommended[label])


def test_simple_regret_is_the_gap_of_the_recommended_arm() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=5, observe=False)
    result = cb.simulate(world, problem, [Fixed(arm=a) for a in range(4)], runs=2, progress=False)
    gaps = [result.simple_regret[label] for label in result.pulls]
    np.testing.assert_allclose(gaps, [[0, 0], [0.019, 0.019], [0.0155, 0.0155], [0.0055, 0.0055]], atol=1e-12)


def test_an_estimate_is_the_mean_with_its_standard_error_and_band() -> None:
    estimate = Estimate.of(np.array([1.0, 2.0, 3.0, 6.0]))
    error = math.sqrt((4 + 1 + 0 + 9) / 3 / 4)
    assert (estimate.mean, estimate.standard_error) == pytest.approx((3.0, error))
    assert (estimate.low, estimate.high) == pytest.approx((3 - 1.96 * error, 3 + 1.96 * error))
    assert math.isnan(Estimate.of(np.array([1.0])).standard_error)


def test_a_difference_is_paired_run_by_run() -> None:
    one, other = np.array([1.0, 5.0, 9.0]), np.array([0.5, 4.5, 8.5])
    assert (difference(one, other).mean, difference(one, other).standard_error) == pytest.approx((0.5, 0.0))
    assert difference(one, other[::-1]).standard_error > 1
