"""Every policy against its oracle, a slow version that is written from the pseudo-code.

After the same history both choose the same arm, up to ties.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.policies.columns import factors
from causalbandits.policies.columns.factors import factor_tables

from ..oracles.setting import Round
from ..policies.columns.worlds import all_arms, world_of
from .cases import Case, random_case
from .oracle_cases import CHAIN, LEVELS, ORACLES, PARALLEL, REAL, history_of, oracle_of, setting_of


def check(case: Case, seed: int, every: int = 1) -> int:
    """Compare choices and recommendation of one run; the number of rounds that were compared."""
    oracle, setting = oracle_of(case.policy.kind), setting_of(case)
    trace = cb.trace(case.world, case.problem, case.policy, seed)
    history = history_of(case, trace)
    compared = range(0, len(history), every)
    # where a choice stands for several rounds
    along = oracle.along(setting, history) if hasattr(oracle, "along") else None
    for r in compared:
        allowed = oracle.next_arms(setting, history[:r]) if along is None else along[r]
        assert history[r].arm in allowed, f"round {r + 1}: {history[r].arm} was played, the oracle allows {allowed}"
    assert (oracle.next_arms(setting, history) if along is None else along[-1]) == set()
    assert trace.recommended in oracle.recommended(setting, history)
    return len(compared)


def test_every_policy_has_an_oracle() -> None:
    folder = Path(__file__).parents[1] / "oracles"
    assert [kind for kind, home in ORACLES.items() if not (folder / f"{home}.py").exists()] == []


@pytest.mark.parametrize("kind", sorted(ORACLES))
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_policy_chooses_what_its_oracle_chooses_on_random_problems(kind: str, seed: int) -> None:
    check(random_case(kind, seed), seed)


@pytest.mark.parametrize(
    ("policy", "cost", "budget"),
    [
        (cb.Observe(), 1, 100),
        (cb.ParallelBandit(), 1, 100),
        (cb.ParallelBandit(), 7.25, 400),
        (cb.GammaNB(), 1, 100),
        (cb.GammaNB(), 2.5, 150),
        (cb.GammaNB(), 60, 400),
        (cb.CRMNB(), 1, 150),
        (cb.CRMNB(), 1.1, 150),
        (cb.CRMNB(), 3, 150),
        (cb.CRMNB(exploration=8), 1.1, 150),
        (cb.CRMNB(cap=False), 1.1, 150),
        (cb.CRMNB(exploration=8, cap=False), 1, 150),
        (cb.FKube(), 1.5, 300),
        (cb.FKube(exploration=8), 1.1, 300),
        (cb.UCB(), 1.5, 300),
        (cb.Kube(), 1.7, 150),
        (cb.Kube(exploration=8), 1, 150),
        (cb.SuccessiveRejects(), 1, 150),
        (cb.SuccessiveRejects(), 1.7, 400),
        (cb.NBCosts(), 1, 100),
        (cb.NBCosts(), 2.5, 150),
        (cb.NBCosts(), 60, 600),
        (cb.CausalKL(), 1, 150),
        (cb.CausalKL(), 1.1, 150),
        (cb.CausalKL(), 3, 300),
        (cb.CausalKL(exploration=0.25), 1.1, 150),
        (cb.GammaNB(share=0.25), 2.5, 150),
        (cb.KLUCB(), 1.1, 150),
        (cb.KLUCB(), 3, 300),
        (cb.KLUCB(exploration=0.25), 1, 150),
        (cb.KLUCB(side_information=False), 1.1, 150),
        (cb.ThompsonSampling(), 1.1, 100),
        (cb.TopTwo(), 1, 150),
        (cb.TopTwo(), 1.1, 150),
        (cb.TopTwo(), 30, 300),
    ],
)
def test_a_policy_chooses_what_its_oracle_chooses_in_the_papers_world(
    policy: cb.Policy, cost: float, budget: float
) -> None:
    compared = [
        check(Case(PARALLEL, PARALLEL.problem(budget=budget, cost=cost), policy), seed, every=3) for seed in range(3)
    ]
    assert min(compared) > 15


@pytest.mark.parametrize(
    "policy",
    [
        cb.CUCB(),
        cb.CUCB(exploration=8),
        cb.CUCB2(),
        cb.Greedy(),
        cb.CTS(),
        cb.ImportanceSampling(),
        cb.CausalUCB(),
        cb.CausalUCB(exploration=0.25),
    ],
)
def test_a_policy_chooses_what_its_oracle_chooses_in_experiment_4(policy: cb.Policy) -> None:
    assert min(check(Case(cb.worlds.confounded_chain(), CHAIN, policy), seed) for seed in range(4)) == 150


FACTOR_POLICIES = [cb.FactorUCB(), cb.FactorUCB(exploration=0.5, block=0.5), cb.FactorFind(block=0.3)]


@pytest.mark.parametrize("seeds", [[2], pytest.param([0, 1, 3], marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("reward", ["binary", "bounded", "real"])
@pytest.mark.parametrize("policy", FACTOR_POLICIES, ids=lambda policy: policy.label)
def test_policies_that_read_factors_choose_what_their_oracles_choose(
    policy: cb.Policy, reward: str, seeds: list[int]
) -> None:
    """With up to two hidden causes, arms of two variables, with and without watching."""
    for seed in seeds:
        world = world_of(seed % 3, seed, reward)
        check(Case(world, problem_of(world, seed), policy), seed)


@pytest.mark.parametrize("reward", ["binary", "real"])
@pytest.mark.parametrize("policy", FACTOR_POLICIES, ids=lambda policy: policy.label)
def test_policies_that_read_factors_choose_what_their_oracles_choose_where_some_arms_are_whole(
    policy: cb.Policy, reward: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for hidden, most in ((0, 30), (2, 18)):
        monkeypatch.setattr(factors, "MOST_ROWS", most)
        world = world_of(hidden, 0, reward)
        problem = problem_of(world, 0)
        assert 0 < factor_tables(problem).whole.mean() < 1
        check(Case(world, problem, policy), 1)


def problem_of(world: cb.World, seed: int) -> cb.Problem:
    """A third of the arms, with odd costs; the third problem has no observation."""
    arms = all_arms(world)[::3]
    cost = [f"{c:.1f}" for c in np.random.default_rng(seed).uniform(0.8, 3, len(arms) + (seed != 2))]
    return world.problem(budget=80, cost=cost, arms=arms, observe=seed != 2)


@pytest.mark.parametrize("policy", FACTOR_POLICIES, ids=lambda policy: policy.label)
def test_policies_that_read_factors_use_revealed_parents_as_their_oracles_do(policy: cb.Policy) -> None:
    for seed in range(3):
        world = cb.worlds.random_world(np.random.default_rng(seed), variables=5, parents=2)
        problem = world.problem(budget=100, cost=1.3, reveal_parents=True)
        assert factor_tables(problem).uses_parents
        check(Case(world, problem, policy), seed)
    for problem in (LEVELS.problem(horizon=60, arms=["X", "Z"], reveal_parents=True), CHAIN):
        check(Case(LEVELS if problem is not CHAIN else cb.worlds.confounded_chain(), problem, policy), 1)


@pytest.mark.parametrize("policy", FACTOR_POLICIES, ids=lambda policy: policy.label)
def test_policies_that_read_factors_choose_what_their_oracles_choose_where_all_arms_are_whole(
    policy: cb.Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factors, "MOST_ROWS", 1)
    for seed, cost in enumerate([1, 1.1, 3]):
        problem = PARALLEL.problem(budget=150, cost=cost)
        assert factor_tables(problem).whole.all()
        check(Case(PARALLEL, problem, policy), seed)
    check(Case(REAL, REAL.problem(budget=80, cost=1.3), policy), 1)
    for keep in (False, True):
        problem = LEVELS.problem(budget=60, cost={"X": 1.1, "Z": 1.3}, arms=["X", "Z"], keep_money=keep)
        check(Case(LEVELS, problem, policy), 2)


def test_where_the_radius_of_c_ucb_2_decides_its_constant_is_right() -> None:
    """The worse arm has the larger zeta: 4 instead of 3.

    So it is played until the radius is small enough, near round 65.
    """
    reward = cb.node("Y", [0, 1], given="W", table={0: 0.95, 1: 0.05})
    world = cb.World(
        [cb.node("X", {0: 0.5, 1: 0.5}), cb.node("W", [0, 1], given="X", table={0: 0.2, 1: 0.6}), reward], reward="Y"
    )
    problem = world.problem(horizon=110, arms=["X"], observe=False, reveal_parents=True)
    for seed in range(3):
        check(Case(world, problem, cb.CUCB2()), seed)
        arms = cb.trace(world, problem, cb.CUCB2(), seed).arms
        assert arms[10:40].all()
        assert not arms[100:].any()


def test_rewards_between_bounds_scale_the_radii() -> None:
    reward = cb.node("Y", [0, 4, 10], given="X", table={0: [0.5, 0.3, 0.2], 1: [0.2, 0.3, 0.5]})
    world = cb.World([cb.node("X", {0: 0.7, 1: 0.3}), cb.node("Z", {0: 0.5, 1: 0.5}), reward], reward="Y")
    assert (world.reward.kind, world.reward.low, world.reward.high) == ("bounded", 0, 10)
    for policy in (cb.CRMNB(), cb.FKube(), cb.UCB(), cb.Kube(), cb.TopTwo()):
        check(Case(world, world.problem(budget=150, cost=1.3), policy), 1)
    problem = world.problem(horizon=80, arms=["Z"], reveal_parents=True)
    for policy in (cb.CUCB(), cb.CUCB2(), cb.Greedy(), cb.CTS(), cb.ImportanceSampling()):
        check(Case(world, problem, policy), 1)


@pytest.mark.parametrize("policy", [cb.CTS(), cb.ImportanceSampling(), cb.CausalUCB()])
def test_rewards_below_zero_are_counted_from_the_lowest_reward(policy: cb.Policy) -> None:
    problem = LEVELS.problem(budget=40, cost={"X": 1.1, "Z": 1.3}, arms=["X", "Z"], reveal_parents=True)
    for seed in range(30):
        check(Case(LEVELS, problem, policy), seed)


def test_where_the_bound_of_importance_sampling_decides_its_constant_is_right() -> None:
    """The largest ratios R_a(y) are near 3; B passes that as the budget grows, and below it they count as 0."""
    table = {(0, 0): 0.3, (0, 1): 0.9, (1, 0): 0.5, (1, 1): 0.9}
    world = cb.World(
        [
            cb.node("X", {0: 0.5, 1: 0.5}),
            cb.node("Z", {0: 0.99, 1: 0.01}),
            cb.node("Y", [0, 1], given=["X", "Z"], table=table),
        ],
        reward="Y",
    )
    ratios = []
    for budget in range(40, 121, 4):
        case = Case(
            world, world.problem(budget=budget, cost={"X": 1, "Z": 12}, reveal_parents=True), cb.ImportanceSampling()
        )
        view = case.policy.view(case.problem)
        state = case.policy.init(view)
        ratios.append((view.parents / state.mixture).max() / state.bound)
        for seed in range(12):
            check(case, seed)
    assert min(ratios) < 1 < max(ratios)


def test_a_broken_history_is_noticed() -> None:
    case = Case(PARALLEL, PARALLEL.problem(budget=200, cost=1.1), cb.FKube())
    oracle, setting = oracle_of("f-kube"), setting_of(case)
    history = history_of(case, cb.trace(case.world, case.problem, case.policy, 0))
    wrong = [Round((r.arm + 1) % 9, r.reward, r.shown, r.configuration) for r in history]
    assert any(wrong[r].arm not in oracle.next_arms(setting, history[:r]) for r in range(20, 40))
    assert np.ptp([r.arm for r in history]) > 0
