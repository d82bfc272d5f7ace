"""Random choices of policies: drawn with the probabilities that the oracle computes."""

from __future__ import annotations

import numpy as np
import pytest

import causalbandits as cb

from ..oracles.setting import Round
from .cases import Case
from .oracle_cases import CHAIN, LEVELS, PARALLEL, REAL, after, oracle_of, setting_of

ASKS = 20_000


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
        (Case(PARALLEL, PARALLEL.problem(budget=90, cost=1.4), cb.CausalThompson(exploration=0.25)), 12),
        (Case(PARALLEL, PARALLEL.problem(budget=90, cost=1.4), cb.ThompsonSampling()), 12),
        (Case(REAL, REAL.problem(budget=90, cost=1), cb.ThompsonSampling(exploration=0.25)), 14),
        (Case(PARALLEL, PARALLEL.problem(budget=90, cost=1), cb.ThompsonSampling(side_information=False)), 20),
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
def test_random_choices_have_the_probabilities_of_the_oracle(case: Case, rounds: int) -> None:
    """6 standard errors for at most 9 arms in 15 cases: a right program fails with probability below 1e-6."""
    oracle, setting = oracle_of(case.policy.kind), setting_of(case)
    often, history = frequencies(case, rounds)
    draws = 10**9
    if case.policy.kind in {"c-ts", "causal-ts", "thompson"}:
        draws = 400_000
        wanted = oracle.probabilities(setting, history, draws, np.random.default_rng(1))
    else:
        wanted = oracle.probabilities(setting, history)
    expected = np.array([wanted[a] for a in range(len(often))])
    assert (expected > 0.01).sum() > 1
    assert expected.sum() == pytest.approx(1)
    error = np.sqrt((expected * (1 - expected) + 1 / ASKS) * (1 / ASKS + 1 / draws))
    assert (abs(often - expected) < 6 * error).all()
    assert (often[expected == 0] == 0).all() or case.policy.kind in {"c-ts", "causal-ts", "thompson"}


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
    drawn = np.empty((ASKS, driver.view.configurations))
    for i in range(ASKS):
        driver.ask()
        drawn[i] = driver.state.scratch_theta
        driver.asks += 1
    return drawn, history
