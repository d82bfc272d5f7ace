"""Every policy against its slow version, which is written from the pseudo-code.

With the same history both choose the same arm, up to ties.
"""

from __future__ import annotations

import importlib
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.policies.columns import BOTH, PARENTS
from causalbandits.policies.maths.rejects import fill_targets
from causalbandits.policies.registry import home_of

from ..oracles.setting import Round, Setting
from .cases import Case, Driver, configurations_of, random_case

ORACLES = Path(__file__).parents[1] / "oracles"
KINDS = sorted(kind for kind, policy in cb.policies.REGISTRY.items() if home_of(policy) is not None)


def oracle_of(kind: str) -> ModuleType:
    """The slow version of a policy, from the file of the same name in tests/oracles."""
    return importlib.import_module(f"..oracles.{home_of(cb.policies.REGISTRY[kind])}", __package__)


def setting_of(case: Case) -> Setting:
    problem, parents = case.problem, case.problem.parents
    return Setting(
        arms=[dict(arm) for arm in problem.arms],
        costs=[Fraction(cost, 10**6) for cost in problem.costs],
        budget=Fraction(problem.budget, 10**6),
        teaches=[bool(t) for t in problem.teaches],
        width=problem.reward.high - problem.reward.low,
        parents=None if parents is None else parents.tolist(),
        parent_cards=[len(case.world.graph[name].values) for name in case.world.graph[problem.reward.variable].parents],
        exploration=case.policy.parameters.get("exploration", 2.0),
        block=case.policy.parameters.get("block", 0.0),
        low=problem.reward.low,
        is_bounded=problem.reward.kind != "real",
        design=getattr(case.policy.view(problem), "design", np.zeros(0)).tolist(),
    )


def history_of(case: Case, trace: cb.Trace) -> list[Round]:
    seen = configurations_of(case, trace).tolist() if case.policy.reads in (PARENTS, BOTH) else [None] * len(trace)
    shown = [{name: str(values[r]) for name, values in trace.shown.items()} for r in range(len(trace))]
    return [Round(int(trace.arms[r]), float(trace.rewards[r]), shown[r], seen[r]) for r in range(len(trace))]


def check(case: Case, seed: int, every: int = 1) -> int:
    """Compare choices and recommendation of one run; the number of rounds that were compared."""
    oracle, setting = oracle_of(case.policy.kind), setting_of(case)
    trace = cb.trace(case.world, case.problem, case.policy, seed)
    history = history_of(case, trace)
    compared = range(0, len(history), every)
    along = (
        oracle.along(setting, history) if hasattr(oracle, "along") else None
    )  # where a choice stands for several rounds
    for r in compared:
        allowed = oracle.next_arms(setting, history[:r]) if along is None else along[r]
        assert history[r].arm in allowed, f"round {r + 1}: {history[r].arm} was played, the oracle allows {allowed}"
    assert (oracle.next_arms(setting, history) if along is None else along[-1]) == set()
    assert trace.recommended in oracle.recommended(setting, history)
    return len(compared)


def test_every_policy_has_an_oracle() -> None:
    homes = {home_of(cb.policies.REGISTRY[kind]) for kind in KINDS}
    assert sorted(home for home in homes if not (ORACLES / f"{home}.py").exists()) == []


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_policy_chooses_what_its_oracle_chooses_on_random_problems(kind: str, seed: int) -> None:
    check(random_case(kind, seed), seed)


PARALLEL = cb.worlds.parallel(p=[0.05, 0.1, 0.5, 0.4], epsilon=0.3)
REAL = cb.World(
    [cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Z", {0: 0.5, 1: 0.5}), cb.linear("Y", {"X": 0.4, "Z": 0.2}, noise=0.3)],
    reward="Y",
)
CHAIN = cb.worlds.confounded_chain().problem(horizon=150, observe=False, reveal_parents=True)


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
        (cb.TopTwo(), 1, 150),
        (cb.TopTwo(), 1.1, 150),
        (cb.TopTwo(), 30, 300),
    ],
)
def test_on_the_papers_world_too(policy: cb.Policy, cost: float, budget: float) -> None:
    compared = [
        check(Case(PARALLEL, PARALLEL.problem(budget=budget, cost=cost), policy), seed, every=3) for seed in range(3)
    ]
    assert min(compared) > 15


@pytest.mark.parametrize(
    "policy", [cb.CUCB(), cb.CUCB2(), cb.Greedy(), cb.CTS(), cb.ImportanceSampling(), cb.CausalUCB()]
)
def test_on_experiment_4_too(policy: cb.Policy) -> None:
    assert min(check(Case(cb.worlds.confounded_chain(), CHAIN, policy), seed) for seed in range(4)) == 150


def test_where_the_radius_of_c_ucb_2_decides_its_constant_is_right() -> None:
    """The worse arm has the larger zeta (4 against 3). It is left only when the radius has shrunk, near round 65."""
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


W_GIVEN = {(0, 0): [0.5, 0.3, 0.2], (0, 1): [0.1, 0.6, 0.3], (1, 0): [0.3, 0.3, 0.4], (1, 1): [0.2, 0.1, 0.7]}
Y_GIVEN = {0: [0.5, 0.3, 0.2], 1: [0.2, 0.3, 0.5], 2: [0.4, 0.2, 0.4]}
LEVELS = cb.World(
    [
        cb.node("X", {0: 0.7, 1: 0.3}),
        cb.node("Z", {0: 0.5, 1: 0.5}),
        cb.node("W", [0, 1, 2], given=["X", "Z"], table=W_GIVEN),
        cb.node("Y", [-2, 1, 4], given="W", table=Y_GIVEN),
    ],
    reward="Y",
)
ASKS = 20_000


def after(case: Case, rounds: int) -> tuple[Driver, list[Round]]:
    """A driver that was told the first rounds of a trace, and these rounds."""
    trace = cb.trace(case.world, case.problem, case.policy, 3)
    driver = Driver(case, 3, 0)
    for r in range(rounds):
        driver.hand_out(int(trace.arms[r]), 1)
        driver.tell(trace, r, r + 1)
    return driver, history_of(case, trace)[:rounds]


def frequencies(case: Case, rounds: int) -> tuple[np.ndarray, list[Round]]:
    """How often each arm is the answer of ASKS asks after the first rounds of a trace, and these rounds."""
    driver, history = after(case, rounds)
    arms = []
    for _ in range(ASKS):
        arms.append(driver.ask()[0])
        driver.asks += 1  # another stream
    return np.bincount(arms, minlength=len(case.problem.arms)) / ASKS, history


@pytest.mark.parametrize(
    ("case", "rounds"),
    [
        (
            Case(
                LEVELS, LEVELS.problem(budget=97, cost={"X": 2.3, "Z": 3.1, "do()": "1.9"}, arms=["X", "Z"]), cb.Kube()
            ),
            35,
        ),
        (Case(LEVELS, LEVELS.problem(budget=90, cost={"X": 9.1, "Z": 7.7, "do()": 4}, arms=["X", "Z"]), cb.Kube()), 9),
        (Case(LEVELS, LEVELS.problem(horizon=99, arms=["X", "Z"], reveal_parents=True), cb.CTS()), 25),
        (Case(cb.worlds.confounded_chain(), CHAIN, cb.CTS()), 4),
        (Case(PARALLEL, PARALLEL.problem(horizon=60, reveal_parents=True), cb.CTS()), 40),
        (Case(PARALLEL, PARALLEL.problem(budget=90, cost=1.4), cb.CausalThompson()), 12),
        (Case(LEVELS, LEVELS.problem(budget=97, cost={"X": 2.3, "Z": 3.1}, arms=["X", "Z"]), cb.CausalThompson()), 9),
        (Case(PARALLEL, PARALLEL.problem(budget=90, cost=1), cb.CausalThompson(block=0.7)), 20),
        (Case(REAL, REAL.problem(budget=90, cost=1), cb.CausalThompson()), 14),
        (
            Case(
                LEVELS,
                LEVELS.problem(budget=97, cost={"X": 1.1, "Z": 1.3}, arms=["X", "Z"], reveal_parents=True),
                cb.ImportanceSampling(),
            ),
            3,
        ),
        (Case(PARALLEL, PARALLEL.problem(horizon=60, reveal_parents=True), cb.ImportanceSampling()), 0),
    ],
)
def test_what_is_drawn_at_random_has_the_probabilities_of_the_oracle(case: Case, rounds: int) -> None:
    """6 standard errors for at most 9 arms in 11 cases: a right program fails with probability below 1e-6."""
    oracle, setting = oracle_of(case.policy.kind), setting_of(case)
    often, history = frequencies(case, rounds)
    draws = 10**9
    if case.policy.kind in {"c-ts", "causal-ts"}:
        draws = 400_000
        wanted = oracle.probabilities(setting, history, draws, np.random.default_rng(1))
    else:
        wanted = oracle.probabilities(setting, history)
    expected = np.array([wanted[a] for a in range(len(often))])
    assert (expected > 0.01).sum() > 1
    assert expected.sum() == pytest.approx(1)
    error = np.sqrt((expected * (1 - expected) + 1 / ASKS) * (1 / ASKS + 1 / draws))
    assert (abs(often - expected) < 6 * error).all()
    assert (often[expected == 0] == 0).all() or case.policy.kind in {"c-ts", "causal-ts"}


@pytest.mark.parametrize(
    ("case", "rounds"),
    [
        (Case(LEVELS, LEVELS.problem(horizon=99, arms=["X", "Z"], reveal_parents=True), cb.CTS()), 7),
        (Case(cb.worlds.confounded_chain(), CHAIN, cb.CTS()), 4),
        (Case(PARALLEL, PARALLEL.problem(horizon=60, reveal_parents=True), cb.CTS()), 0),
        (Case(PARALLEL, PARALLEL.problem(horizon=60, reveal_parents=True), cb.CTS()), 30),
    ],
)
def test_c_ts_draws_every_mean_from_its_posterior(case: Case, rounds: int) -> None:
    """39 tests by Kolmogorov & Smirnov at level 1e-8: a right program fails with probability below 1e-6."""
    stats = pytest.importorskip("scipy.stats", reason="the extra [report] is not installed")
    oracle, setting = oracle_of("c-ts"), setting_of(case)
    drawn, history = thetas(case, rounds)
    for y in range(drawn.shape[1]):
        kind, first, second = oracle.posterior(setting, history, y)
        posterior = (
            stats.norm(first, second)
            if kind == "normal"
            else stats.beta(first, second, loc=setting.low, scale=setting.width)
        )
        assert stats.kstest(drawn[:, y], posterior.cdf).pvalue > 1e-8


def thetas(case: Case, rounds: int) -> tuple[np.ndarray, list[Round]]:
    """What C-TS draws in ASKS asks after the first rounds of a trace, (asks, configurations), and these rounds."""
    driver, history = after(case, rounds)
    drawn = np.empty((ASKS, driver.state.scratch_theta.size))
    for i in range(ASKS):
        driver.ask()
        drawn[i] = driver.state.scratch_theta
        driver.asks += 1
    return drawn, history


@pytest.mark.parametrize("policy", [cb.CTS(), cb.ImportanceSampling(), cb.CausalUCB()])
def test_rewards_below_zero_are_counted_from_the_least(policy: cb.Policy) -> None:
    problem = LEVELS.problem(budget=40, cost={"X": 1.1, "Z": 1.3}, arms=["X", "Z"], reveal_parents=True)
    for seed in range(30):
        check(Case(LEVELS, problem, policy), seed)


def test_the_phases_of_successive_rejects_are_those_of_the_formula() -> None:
    """In floats (T - K) / (logbar(K) (K + 1 - k)) may miss a whole number: it is 4 in phase 2 of 4 arms and T = 23."""
    oracle = oracle_of("successive-rejects")
    assert oracle.n(2, 23, 4) == 4
    for arms in range(2, 9):
        for rounds in [*range(arms + 1, 200), 9877, 10**6 + 3]:
            targets = np.zeros(arms, np.int64)
            fill_targets(rounds, targets)
            assert targets.tolist() == [oracle.n(k, rounds, arms) for k in range(arms)]


def test_who_is_spared_in_a_tie_is_drawn_evenly() -> None:
    """All rewards are 0, so every decision of Successive Rejects is a tie.

    Each of the 7 arms is as often the survivor, and as often one of the last two.

    6 standard errors for 14 numbers: a right program fails with probability below 1e-6.
    """
    world = cb.World(
        [*(cb.node(f"X{i}", {0: 0.5, 1: 0.5}) for i in range(3)), cb.node("Y", {0: 1.0, 1: 0.0}, parents=["X0"])],
        reward="Y",
    )
    runs = 3500
    result = cb.simulate(
        world, world.problem(budget=40, cost=1), cb.SuccessiveRejects(), runs=runs, seed=1, progress=False
    )
    pulls = result.pulls["successive-rejects"][:, -1]
    assert (pulls.sum(axis=1) > 30).all()
    last = pulls == pulls.max(axis=1, keepdims=True)
    assert (last.sum(axis=1) == 2).all()
    survived = result.recommended["successive-rejects"][:, None] == np.arange(7)
    assert (last | ~survived).all()
    for share, expected in ((last.mean(axis=0), 2 / 7), (survived.mean(axis=0), 1 / 7)):
        assert (abs(share - expected) < 6 * np.sqrt(expected * (1 - expected) / runs)).all()


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
