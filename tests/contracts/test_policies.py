"""What every policy must do. Fed by the registry: a new policy gets all of it free."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.testing import clauses, elsewhere

from ..fixed import Fixed
from .cases import Case, Driver, columns_of, random_case

KINDS = sorted(cb.policies.REGISTRY)
SEEDS = st.integers(0, 10**6)
every_policy = pytest.mark.parametrize("kind", KINDS)


def run(case: Case, **options: object) -> cb.Result:
    return cb.simulate(
        case.world, case.problem, case.policy, progress=False, **{"runs": 7, "seed": 3, "threads": 1, **options}
    )


def assert_same(one: cb.Result, other: cb.Result) -> None:
    (label,) = one.pulls
    np.testing.assert_array_equal(one.pulls[label], other.pulls[label])
    np.testing.assert_array_equal(one.recommended[label], other.recommended[label])
    np.testing.assert_array_equal(one.left_over[label], other.left_over[label])


@every_policy
@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_no_budget_is_exceeded_and_what_is_left_is_reported(kind: str, seed: int) -> None:
    case = random_case(kind, seed)
    clauses.check_budget(case)
    clauses.check_arms(case)


@every_policy
def test_the_same_seed_gives_the_same_arms_and_another_seed_other_outcomes(kind: str) -> None:
    case = random_case(kind, 2)
    clauses.check_seed(case)
    rewards = [
        tuple(cb.trace(case.world, case.problem, case.policy, seed, run).rewards) for seed in (5, 6) for run in (0, 1)
    ]
    assert len(set(rewards)) == 4


@pytest.mark.slow
def test_a_new_process_gives_the_same_arms_and_fingerprints() -> None:
    elsewhere.check_processes([random_case(kind, 2) for kind in KINDS])


@every_policy
def test_neither_threads_nor_chunks_nor_executors_change_a_result(kind: str) -> None:
    case = random_case(kind, 3)
    clauses.check_sharing(case)
    with ThreadPoolExecutor(3) as pool:
        assert_same(run(case, runs=23), run(case, runs=23, executor=pool))


@every_policy
def test_a_policy_is_the_same_after_pickling(kind: str) -> None:
    clauses.check_pickle(random_case(kind, 7))


@pytest.mark.slow
def test_processes_give_the_results_of_threads() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for kind in KINDS:
            case = random_case(kind, 4)
            assert_same(run(case), run(case, executor=pool))


@every_policy
def test_other_policies_and_their_order_change_nothing(kind: str) -> None:
    case = random_case(kind, 6)
    others: list[cb.Policy] = [cb.UCB(exploration=3, name="other"), case.policy]
    alone = run(case)
    for policies in (others, others[::-1]):
        try:
            together = cb.simulate(case.world, case.problem, policies, runs=7, seed=3, threads=1, progress=False)
        except cb.InputError:
            pytest.fail("the case of this seed must be one that UCB can play too")
        np.testing.assert_array_equal(alone.pulls[kind], together.pulls[kind])
        np.testing.assert_array_equal(alone.recommended[kind], together.recommended[kind])


@every_policy
def test_checkpoints_change_no_run_and_follow_from_the_trace(kind: str) -> None:
    case = random_case(kind, 6)
    marks = np.unique(np.linspace(1, case.problem.exact_budget, 9).astype(np.int64))
    result = run(case, checkpoints=[f"{m // 10**6}.{m % 10**6:06d}" for m in marks])
    np.testing.assert_array_equal(result.pulls[kind][:, -1], run(case).pulls[kind][:, 0])
    trace = cb.trace(case.world, case.problem, case.policy, seed=3, run=2)
    paid = np.cumsum(np.array(case.problem.exact_costs)[trace.arms])
    for c, mark in enumerate(marks):
        expected = np.bincount(trace.arms[paid <= mark], minlength=len(case.problem.arms))
        np.testing.assert_array_equal(result.pulls[kind][2, c], expected)


@every_policy
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_a_trace_is_the_run_of_the_simulation(kind: str, seed: int) -> None:
    clauses.check_trace(random_case(kind, seed))


@every_policy
@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_plain_python_chooses_what_compiled_code_chooses(kind: str, seed: int) -> None:
    clauses.check_plain(random_case(kind, seed))


@every_policy
@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_however_a_block_is_split_the_later_choices_are_the_same(kind: str, seed: int) -> None:
    clauses.check_splits(random_case(kind, seed))


@every_policy
@settings(max_examples=5, deadline=None)
@given(seed=SEEDS)
@example(seed=97307)  # two factors with the same variables: P(Y | V2) where V2 was seen, and where it was set
def test_a_tally_is_what_the_rounds_showed(kind: str, seed: int) -> None:
    """Counted by the columns of the policy, and counted once more from the values shown."""
    case = random_case(kind, seed)
    trace = cb.trace(case.world, case.problem, case.policy, seed)
    driver, start = Driver(case, seed, 0), 0
    for _, count in trace.blocks.tolist():
        tally, counted = driver.tally(trace, start, start + count), columns_of(case, trace, start, start + count)
        columns = {field.name for field in fields(tally)} - {"is_clear"}
        assert columns <= counted.keys()
        for name in columns:
            np.testing.assert_allclose(getattr(tally, name), counted[name], rtol=1e-12, atol=1e-12, err_msg=name)
        start += count


@every_policy
def test_ask_and_recommend_change_nothing(kind: str) -> None:
    clauses.check_reading(random_case(kind, 8))


@every_policy
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_while_all_rounds_are_pending_a_policy_pulls_no_arm_of_its_first_phase_twice(kind: str, seed: int) -> None:
    case = random_case(kind, seed)
    arms = len(case.problem.arms)
    driver, handed = Driver(case, seed, 0), []
    for _ in range(2 * arms + 2):
        arm, count = driver.ask()
        if count <= 0:
            assert driver.pending.sum() > 0
            break
        handed.append(arm)
        driver.hand_out(arm, count)
        if driver.left < min(case.problem.exact_costs):
            break
    if kind in {"crm-nb", "f-kube", "kube", "ucb", "c-ucb-2"}:  # these begin with every arm once
        assert handed == list(range(arms))
        assert driver.ask()[1] <= 0


@pytest.mark.parametrize("kind", ["pb", "gamma-nb", "nb-costs"])
def test_the_decision_between_two_phases_waits_for_the_pending_observations(kind: str) -> None:
    case = random_case(kind, 12)
    trace = cb.trace(case.world, case.problem, case.policy, 0, 0)
    driver = Driver(case, 0, 0)
    arm, count = driver.ask()
    assert (arm, count) == tuple(trace.blocks[0])
    assert count > 1
    driver.hand_out(arm, count)
    assert driver.ask()[1] == 0
    driver.tell(trace, 0, count - 1)
    assert driver.ask()[1] == 0
    driver.tell(trace, count - 1, count)
    assert driver.ask() == (tuple(trace.blocks[1]) if len(trace.blocks) > 1 else (0, 0))


@pytest.mark.parametrize(
    "kind", ["crm-nb", "f-kube", "kube", "ucb", "causal-kl", "causal-ts", "causal-ucb-learned", "top-two"]
)
def test_a_waiting_index_policy_gives_workers_different_arms(kind: str) -> None:
    world = cb.worlds.parallel(p=[0.3] * 4, epsilon=0.3)
    case = Case(world, world.problem(budget=10_000, cost=1), cb.policies.REGISTRY[kind]())
    trace = cb.trace(world, case.problem, case.policy, 0, 0)
    driver = Driver(case, 0, 0)
    for r in range(60):
        arm, count = driver.ask()
        driver.hand_out(arm, count)
        driver.tell(trace, r, r + 1)
    for _ in range(1000):
        arm, count = driver.ask()
        driver.hand_out(arm, count)
    assert (driver.pending > 0).all()
    assert driver.pending.max() < 700


def test_no_arm_is_rejected_before_the_last_pull_of_a_phase_is_told() -> None:
    """Each phase of Successive Rejects is handed out as a whole, then told backwards, its very first pull last."""
    world = cb.worlds.parallel(p=[0.3] * 3, epsilon=0.3)
    case = Case(world, world.problem(budget=200, cost=1), cb.SuccessiveRejects())
    trace = cb.trace(world, case.problem, case.policy, 0, 0)
    driver, blocks, start = Driver(case, 0, 0), iter(trace.blocks.tolist()), 0
    for survivors in range(7, 1, -1):
        ends = []
        for _ in range(survivors):
            arm, count = driver.ask()
            assert [arm, count] == next(blocks)
            driver.hand_out(arm, count)
            ends.append((start, start + count))
            start += count
        assert driver.ask()[1] == 0
        for first, last in ends[:0:-1]:
            driver.tell(trace, first, last)
        first, last = ends[0]
        driver.tell(trace, first + 1, last)
        assert driver.ask()[1] == 0
        driver.tell(trace, first, first + 1)
    assert start == len(trace)
    assert driver.ask() == (0, 0)
    assert driver.recommend() == trace.recommended


@pytest.mark.parametrize("count", [7, 10**9])
def test_a_count_is_limited_to_what_the_money_pays_for(count: int) -> None:
    world = cb.worlds.parallel(p=[0.3, 0.3], epsilon=0.2)
    case = Case(world, world.problem(budget=33, cost=1.1), Fixed(arm=1, count=count))
    result = run(case)
    assert (result.pulls["fixed"][:, 0, 1] == 30).all()
    assert (result.left_over["fixed"] == 0).all()
