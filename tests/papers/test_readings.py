"""The readings that fit the published figures, against slow versions written from the pseudo-code."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log, prod, sqrt

import pytest

import causalbandits as cb
from causalbandits.papers.nair2021.readings import CUCB2WithLastRound, GammaNBWithSetSize

from ..contracts.cases import Case
from ..contracts.oracle_cases import history_of, setting_of
from ..oracles.c_ucb_2 import zeta
from ..oracles.common import (
    affordable,
    argmax,
    best_of_sampled,
    interventions,
    m,
    means_by_parents,
    own_rewards,
    replaced_means,
    shares_shown,
)
from ..oracles.setting import Round, Setting

WORLD = cb.worlds.parallel(p=[0.05, 0.1, 0.5, 0.4], epsilon=0.3)
CHAIN = cb.worlds.confounded_chain()


def infrequent_arms(setting: Setting, history: list[Round]) -> tuple[list[int], Fraction]:
    """A and p_hat, from the first floor(B/2) observations."""
    n = floor(setting.budget / 2)
    p_hat = shares_shown(setting, history[:n])
    return [a for a in interventions(setting) if p_hat[a] < Fraction(1, m(p_hat))], min(p_hat.values())


def watches_on(setting: Setting, history: list[Round]) -> bool:
    """Line 6 with |A|: p_hat |A| >= 1 / gamma."""
    rare, p_hat = infrequent_arms(setting, history)
    return not rare or p_hat * len(rare) >= 1 / setting.costs[-1]


def next_of_gamma_nb(setting: Setting, history: list[Round]) -> set[int]:
    if len(history) < floor(setting.budget / 2):
        return {0}
    if watches_on(setting, history):
        return {0} & set(affordable(setting, history))
    rare, _ = infrequent_arms(setting, history)
    pulls = floor(setting.budget / 2 / (setting.costs[-1] * len(rare)))
    return next(({a} for a in rare if len(own_rewards(history, a)) < pulls), set())


def recommended_by_gamma_nb(setting: Setting, history: list[Round]) -> set[int]:
    means = replaced_means(setting, history)
    if not watches_on(setting, history):
        means |= {a: 0.0 for a in infrequent_arms(setting, history)[0] if not own_rewards(history, a)}  # line 14
    return best_of_sampled(setting, means)


@pytest.mark.parametrize(("cost", "budget"), [(1, 100), (8, 100), (15, 100), (40, 100)])
def test_gamma_nb_with_the_size_of_a_in_line_6(cost: int, budget: int) -> None:
    case = Case(WORLD, WORLD.problem(budget=budget, cost=cost), GammaNBWithSetSize())
    for seed in range(12):
        trace = cb.trace(case.world, case.problem, case.policy, seed)
        setting, history = setting_of(case), history_of(case, trace)
        for r in range(0, len(history), 7):
            assert history[r].arm in next_of_gamma_nb(setting, history[:r])
        assert next_of_gamma_nb(setting, history) == set()
        assert trace.recommended in recommended_by_gamma_nb(setting, history)


def test_the_size_of_a_in_line_6_decides_otherwise_than_m() -> None:
    problem = WORLD.problem(budget=100, cost=8)
    result = cb.simulate(WORLD, problem, [cb.GammaNB(), GammaNBWithSetSize()], runs=200, seed=1)
    watched = {label: (pulls[:, -1, 0] == 100).mean() for label, pulls in result.pulls.items()}
    assert watched["gamma-nb-set-size"] < watched["gamma-nb"]


def next_of_c_ucb_2(setting: Setting, history: list[Round]) -> set[int]:
    if len(history) < len(setting.arms):
        return {len(history)}
    t = len(history)
    counted = history[len(setting.arms) - 1 :]  # line 1 counts its last round only
    mu_hat = means_by_parents(setting, counted)
    radius = sqrt(max(0.0, log(prod(setting.parent_cards) * t**2 / 2)) / t)
    return argmax({a: mu_hat[a] + setting.width * radius * zeta(setting, a) for a in affordable(setting, history)})


def test_c_ucb_2_with_the_last_round_of_line_1() -> None:
    case = Case(CHAIN, CHAIN.problem(horizon=40, observe=False, reveal_parents=True), CUCB2WithLastRound())
    for seed in range(4):
        trace = cb.trace(case.world, case.problem, case.policy, seed)
        setting, history = setting_of(case), history_of(case, trace)
        for r in range(len(history)):
            assert history[r].arm in next_of_c_ucb_2(setting, history[:r])
