"""The bounds of the four theorems against tests/oracles/bounds.py, which takes the proofs literally."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits import bounds

from .oracles import bounds as oracle

PROBABILITIES = [0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5]
VARIABLES = [1, 2, 10, 50, 300]
MANY = settings(max_examples=60, deadline=None)
hundredths = st.integers(0, 100).map(lambda k: k / 100)
probabilities = st.integers(4, 200).map(lambda k: k / 400)
numbers_of_variables = st.integers(2, 500)
prices = st.integers(100, 400).map(lambda k: k / 100)
GROWTH = [1, 1.0001, 1.01, 1.1, 2, 10, 1e9]  # how far beyond a least size to look


def near(value: float, expected: Decimal, rel: float = 1e-11) -> bool:
    return value == pytest.approx(float(expected), rel=rel)


def holds_from(size: int, margin: oracle.Margin) -> bool:
    """At the size and at many sizes beyond."""
    return all(margin(Decimal(math.ceil(size * factor))) >= 0 for factor in GROWTH)


@pytest.mark.parametrize("p", PROBABILITIES[::2])
@pytest.mark.parametrize("variables", VARIABLES)
def test_theorem_1_is_the_last_equation_of_its_proof(p: float, variables: int) -> None:
    for budget in (1 / (16 * p * variables) * 1.01, 100, 3000.5, 1e5, 1e9):
        if 16 * p * variables * budget > 1:
            assert near(bounds.theorem_1(p, variables, budget), oracle.theorem_1(p, variables, budget))


@pytest.mark.parametrize("p", PROBABILITIES[1::2])
@pytest.mark.parametrize("variables", VARIABLES)
def test_theorem_1_holds_from_its_least_budget_on_and_fails_just_before(p: float, variables: int) -> None:
    least, margin = bounds.theorem_1_budget(p, variables), oracle.theorem_1_margin(p, variables)
    assert least == oracle.least_whole(margin)
    assert margin(Decimal(least - 1)) < 0
    assert holds_from(least, margin)


@MANY
@given(p=probabilities, variables=numbers_of_variables)
def test_theorem_1_has_the_least_budget_that_a_search_finds(p: float, variables: int) -> None:
    assert bounds.theorem_1_budget(p, variables) == oracle.least_whole(oracle.theorem_1_margin(p, variables))


@pytest.mark.parametrize(("p", "variables"), [(0.5, 1), (0.5, 40), (0.3, 3), (0.2, 2), (1 / 16, 1)])
def test_theorem_1_has_the_least_budget_that_looking_at_every_budget_finds(p: float, variables: int) -> None:
    """With p = 1/16 and one variable the condition also holds at B = 1, where log(16 p M B) = 0.

    But it does not hold from there on.
    """
    least = bounds.theorem_1_budget(p, variables)
    literal = [2 * math.sqrt(math.log(16 * p * variables * b) / b) <= p for b in range(1, 2 * least)]
    assert least == 1 + max(b for b, holds in enumerate(literal, start=1) if not holds)


@pytest.mark.parametrize(("p", "variables"), [(0.0114, 1), (0.01, 1), (0.005, 2), (0.001, 11), (0.0001, 50)])
def test_theorem_1_has_its_least_budget_where_few_variables_are_rare(p: float, variables: int) -> None:
    assert bounds.theorem_1_budget(p, variables) == pytest.approx(
        oracle.least_whole(oracle.theorem_1_margin(p, variables)), rel=1e-9
    )


def test_theorem_1_holds_at_its_least_budget_even_if_that_is_huge() -> None:
    assert oracle.theorem_1_margin(1e-6, 20_000)(Decimal(bounds.theorem_1_budget(1e-6, 20_000))) >= 0


def test_theorem_1_needs_about_147_000_in_experiment_1() -> None:
    """PAPER.md; the bound there says something, and with the experiment's own budget of 100 it does not."""
    least = bounds.theorem_1_budget(0.02, 50)
    assert round(least, -3) == 147_000
    assert bounds.theorem_1(0.02, 50, least) < 1 < bounds.theorem_1(0.02, 50, 100)


def cheap_and_expensive(p: float, m: int) -> tuple[list[float], list[float]]:
    """Costs that the two cases of the proof cover."""
    low, high = 1 / (5 * p * m), 5 / (p * m)
    return [round(low * factor, 9) for factor in (0.05, 0.3, 0.999999)], [
        round(high * factor, 9) for factor in (1.000001, 10, 12345.678)
    ]


@pytest.mark.parametrize("p", PROBABILITIES[::2])
@pytest.mark.parametrize("m", [2, 3, 17])
@pytest.mark.parametrize("variables", [17, 3000])
def test_theorem_2_is_the_second_last_line_of_each_case(p: float, m: int, variables: int) -> None:
    cheap, expensive = cheap_and_expensive(p, m)
    for budget in (100, 3000, 1e5 + 0.5, 1e7):
        for cost in cheap:
            assert near(
                bounds.theorem_2(p, m, variables, cost, budget), oracle.theorem_2_a(p, m, variables, cost, budget)
            )
        for cost in expensive:
            assert near(
                bounds.theorem_2(p, m, variables, cost, budget), oracle.theorem_2_b(p, m, variables, cost, budget)
            )


@pytest.mark.parametrize("p", PROBABILITIES[::3])
@pytest.mark.parametrize(("m", "variables"), [(2, 2), (17, 50), (5, 10**7), (2, 10**8)])
def test_theorem_2_holds_from_its_least_budget_on_and_fails_just_before(p: float, m: int, variables: int) -> None:
    """With few variables condition b) decides, with many p M in condition a).

    With very high costs gamma m decides.
    """
    cheap, expensive = cheap_and_expensive(p, m)
    for cost in cheap + expensive:
        least, conditions = (
            bounds.theorem_2_budget(p, m, variables, cost),
            oracle.theorem_2_margins(p, m, variables, cost),
        )
        assert least == oracle.theorem_2_least(p, m, variables, cost)
        assert min(condition(Decimal(least - 1)) for condition in conditions) < 0
        assert all(holds_from(least, condition) for condition in conditions)
        if cost in expensive:
            assert holds_from(least, oracle.theorem_1_margin(p, variables))


@MANY
@given(
    p=probabilities,
    m=st.integers(2, 20),
    variables=st.integers(20, 10**6),
    factor=st.integers(1, 2000),
    expensive=st.booleans(),
)
def test_theorem_2_has_the_least_budget_that_a_search_finds(
    p: float, m: int, variables: int, factor: int, expensive: bool
) -> None:
    # so that gamma m is whole or far from it
    cost = round((5 + factor) / (p * m) if expensive else factor / 2001 / (5 * p * m), 6)
    assert bounds.theorem_2_budget(p, m, variables, cost) == oracle.theorem_2_least(p, m, variables, cost)


def test_theorem_2_does_not_miss_a_whole_budget_by_rounding() -> None:
    """p M = 0.07 * 10^8 is whole, but not as a float."""
    assert 0.07 * 10**8 > 7_000_000
    assert bounds.theorem_2_budget(0.07, 2, 10**8, 40) == 7_000_000


def test_theorem_2_has_the_least_budget_that_looking_at_every_budget_finds() -> None:
    p, m, variables = 0.5, 2, 3
    for cost in (0.1, 5, 600.25):
        conditions = [*oracle.theorem_2_margins(p, m, variables, cost), oracle.theorem_1_margin(p, variables)]
        least = max(oracle.least_by_scan(condition, 1500) for condition in conditions)
        assert bounds.theorem_2_budget(p, m, variables, cost) == least
    assert least == 1201, "gamma m = 1200.5"


@pytest.mark.parametrize(
    ("p", "m", "low", "high"), [(1 / 16, 2, 1.6, 40), (0.02, 2, 5, 125), (1 / 32, 4, 1.6, 40), (0.05, 2, 2, 50)]
)
def test_the_proof_of_theorem_2_covers_costs_below_1_in_5pm_and_from_5_in_pm_on(
    p: float, m: int, low: float, high: float
) -> None:
    assert near(bounds.theorem_2(p, m, 10, low - 1e-9, 1e6), oracle.theorem_2_a(p, m, 10, low - 1e-9, 1e6))
    assert near(bounds.theorem_2(p, m, 10, high, 1e6), oracle.theorem_2_b(p, m, 10, high, 1e6))
    assert bounds.theorem_2_budget(p, m, 10, low - 1e-9) > 0
    assert bounds.theorem_2_budget(p, m, 10, high) > 0
    for cost in (low, 1 / (p * m), math.nextafter(high, 0)):
        with pytest.raises(cb.InputError, match=f"covers costs below {low:g} and from {high:g} on, not {cost:g}"):
            bounds.theorem_2(p, m, 10, cost, 1e6)
        with pytest.raises(cb.InputError, match=f"covers costs below {low:g} and from {high:g} on, not {cost:g}"):
            bounds.theorem_2_budget(p, m, 10, cost)


def test_theorem_2_does_not_cover_the_cost_60_of_experiment_2() -> None:
    with pytest.raises(cb.InputError, match="below 5 and from 125 on, not 60"):
        bounds.theorem_2(0.02, 2, 50, 60, 3000)


@st.composite
def binary_worlds(draw: st.DrawFn) -> tuple[list[float], list[float], float]:
    """Means (the observation first), shares and cost; rates either the same or apart by more than rounding can tell."""
    variables = draw(st.integers(1, 3))
    ones = draw(st.lists(st.integers(1, 99).map(lambda k: k / 100), min_size=variables, max_size=variables))
    means = draw(st.lists(hundredths, min_size=2 * variables + 1, max_size=2 * variables + 1))
    cost = draw(prices)
    gaps = [
        max(means[0], *(mean / cost for mean in means[1:])) - rate
        for rate in (means[0], *(mean / cost for mean in means[1:]))
    ]
    assume(all(gap == 0 or gap > 1e-4 for gap in gaps))
    return means, [share for p in ones for share in (1 - p, p)], cost


def watching_is_best(means: list[float], cost: float) -> bool:
    return means[0] >= max(means[1:]) / cost


@MANY
@given(world=binary_worlds(), budget=st.integers(2, 10**9))
def test_theorem_3_is_the_last_equation_of_its_proof(
    world: tuple[list[float], list[float], float], budget: int
) -> None:
    means, shown, cost = world
    expected = (
        oracle.theorem_3_a(means, cost)
        if watching_is_best(means, cost)
        else oracle.theorem_3_b(means, shown, cost, budget)
    )
    assert near(bounds.theorem_3(means, shown, cost, budget), expected, rel=1e-9)
    assert near(bounds.theorem_3(np.array(means), np.array(shown), cost, budget), expected, rel=1e-9)


def test_theorem_3_agrees_with_a_calculation_by_hand_where_watching_is_best() -> None:
    """M = 2, gamma = 3, Delta_a = 0.2, -0.1, 0.5, 0.

    One arm has a larger mean, but not a larger mean per cost. It does not lower the bound.
    """
    means, shown = [0.5, 0.3, 0.6, 0.0, 0.5], [0.9, 0.1, 0.5, 0.5]
    by_hand = 1 + 4 * math.pi**2 * 2 / 3 + 0.7 * math.pi**2 / 3
    assert bounds.theorem_3(means, shown, 3, 1000) == bounds.theorem_3(means, shown, 3, 10**9) == pytest.approx(by_hand)


def test_theorem_3_agrees_with_a_calculation_by_hand_where_an_intervention_is_best() -> None:
    """gamma = 1 and d_0 = 0.1.

    Side information makes pulls of the worst arm unnecessary: 1 + 8 ln B (1/0.36 - 0.9/0.09) < 0.
    It does not do so for the arm that is like the observation. The arm that is as good as the best adds nothing.
    """
    means, shown, log_b, tail = [0.7, 0.8, 0.2, 0.8, 0.7], [0.1, 0.9, 0.4, 0.6], math.log(1000), math.pi**2 / 3
    by_hand = 0.1 * (50 * log_b / 0.01 + tail) + 0.6 * tail + 0.1 * (1 + 8 * log_b * (1 / 0.01 - 0.6 / 0.09) + tail)
    assert bounds.theorem_3(means, shown, 1, 1000) == pytest.approx(by_hand)


def test_in_theorem_3_a_tie_with_the_observation_counts_for_the_observation() -> None:
    """max mu / mu_0 <= gamma: a* = a_0 (the paper, below the theorem)."""
    assert near(bounds.theorem_3([0.5, 0.25, 0.75], [0.5, 0.5], 1.5, 1000), oracle.theorem_3_a([0.5, 0.25, 0.75], 1.5))


def test_theorem_3_can_be_asked_about_the_budgets_that_it_needs() -> None:
    """Where an intervention is best they are beyond any float, but not beyond whole numbers."""
    means, shown = [0.5, 0.0, 1.0], [0.5, 0.5]
    budget = 10 ** math.ceil(bounds.theorem_3_log_budget(means, shown, 1) / math.log(10))
    assert near(bounds.theorem_3(means, shown, 1, budget), oracle.theorem_3_b(means, shown, 1, budget))


@MANY
@given(world=binary_worlds())
def test_theorem_3_has_the_least_budget_that_a_search_finds(world: tuple[list[float], list[float], float]) -> None:
    means, shown, cost = world
    if watching_is_best(means, cost):
        assume(all(mean / cost < means[0] for mean in means[1:]))
        expected = oracle.theorem_3_log_least_a(means, shown, cost)
    else:
        expected = oracle.theorem_3_log_least_b(means, shown, cost)
    assert near(bounds.theorem_3_log_budget(means, shown, cost), expected, rel=1e-10)


@pytest.mark.parametrize("cost", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.5])
def test_theorem_3_holds_from_its_least_budget_on_where_watching_is_best(p: float, cost: float) -> None:
    means, shown = oracle.parallel([p, 0.3], common=1, epsilon=0.05)
    least = math.ceil(math.exp(bounds.theorem_3_log_budget(means, shown, cost)))
    conditions = oracle.theorem_3_margins_a(means, shown, cost)
    assert all(holds_from(least, condition) for condition in conditions)
    assert min(condition(Decimal(least - 1)) for condition in conditions) < 0


@pytest.mark.parametrize("cost", [1.0, 1.05])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.5])
def test_theorem_3_holds_from_its_least_budget_on_where_an_intervention_is_best(p: float, cost: float) -> None:
    means, shown = oracle.parallel([p, 0.3], common=1, epsilon=0.05)
    least = Decimal(bounds.theorem_3_log_budget(means, shown, cost))
    margin = oracle.theorem_3_log_margin_b(means, shown, cost)
    assert all(margin(least * Decimal(factor) * (1 + Decimal("1e-11"))) >= 0 for factor in GROWTH)
    assert margin(least * (1 - Decimal("1e-11"))) < 0


def test_theorem_3_needs_at_least_e_299_in_experiment_3_at_gamma_1_1() -> None:
    """PAPER.md; that is e^(50 / d_0^2), and the proof's other condition, L, needs millions in the exponent."""
    means, shown = oracle.parallel([0.02, 0.02], common=48, epsilon=0.5)
    d_0 = 1 / 1.1 - 0.5
    assert round(50 / d_0**2) == 299
    assert near(bounds.theorem_3_log_budget(means, shown, 1.1), oracle.theorem_3_log_least_b(means, shown, 1.1))
    assert bounds.theorem_3_log_budget(means, shown, 1.1) > 5e6


@pytest.mark.parametrize(("means", "cost"), [([0.5, 0.25, 0.75], 1.5), ([0.5, 0.5, 0.5], 1)])
def test_theorem_3_never_holds_where_an_intervention_ties_with_watching(means: list[float], cost: float) -> None:
    assert bounds.theorem_3_log_budget(means, [0.5, 0.5], cost) == math.inf


REPAIRED = [  # means, shares and cost, with watching best
    ([0.5, 0.5, 0.5], [0.9, 0.1], 1.3),
    ([0.5, 0.5, 0.5], [0.99, 0.01], 1.3),
    ([0.5, 0.5, 0.5], [0.9, 0.1], 3),
    ([0.6, 0.7, 0.5, 0.2, 0.8], [0.5, 0.5, 0.4, 0.6], 2),
]


@pytest.mark.parametrize(("means", "shown", "cost"), REPAIRED)
def test_the_repaired_theorem_3_has_the_terms_of_its_proof(means: list[float], shown: list[float], cost: float) -> None:
    """The oracle adds the probabilities one by one, up to a tail that is left out. The bound has closed forms."""
    t_1, expected = oracle.theorem_3_repaired(means, shown, cost)
    bound = bounds.theorem_3_repaired(means, shown, cost)
    gaps = [cost * means[0] - mean for mean in means[1:]]
    tail = 4 * len(means) / (t_1 + 20_000) * 2 + 2 / len(means) ** 3  # the oracle's rest, and what closed forms add
    assert float(expected) <= bound <= float(expected) + sum(gaps) * tail


def test_the_repaired_theorem_3_says_nothing_where_watching_is_not_best_or_shows_an_arm_never() -> None:
    assert bounds.theorem_3_repaired([0.5, 0.5, 0.8], [0.5, 0.5], 1.5) == math.inf
    assert bounds.theorem_3_repaired([0.5, 0.5, 0.75], [0.5, 0.5], 1.5) == math.inf
    assert bounds.theorem_3_repaired([0.5, 0.5, 0.5], [1.0, 0.0], 1.5) == math.inf


@pytest.mark.parametrize(("p", "gamma"), [(0.1, 1.3), (0.01, 1.3), (0.1, 3.0)])
def test_crm_nb_stays_below_the_repaired_theorem_3_and_above_the_printed_one(p: float, gamma: float) -> None:
    """All means are 1/2. 100 runs at the least budget of the printed proof; the bounds are many errors away."""
    world = cb.worlds.parallel(p=[p], epsilon=0.0)
    means, shown = [0.5, 0.5, 0.5], [1 - p, p]
    budget = min(math.ceil(math.exp(bounds.theorem_3_log_budget(means, shown, gamma))), 60_000)
    result = cb.simulate(world, world.problem(budget=budget, cost=gamma), "crm-nb", runs=100, seed=7)
    regret = result.cumulative_regret["crm-nb"][:, -1]
    error = 6 * regret.std() / 10
    assert regret.mean() + error < bounds.theorem_3_repaired(means, shown, gamma)
    if gamma == 1.3:
        assert regret.mean() - error > bounds.theorem_3(means, shown, gamma, budget)


@st.composite
def no_backdoor_worlds(draw: st.DrawFn) -> tuple[list[float], list[float], float]:
    """mu_0 = p_i mu_{i,1} + (1 - p_i) mu_{i,0} for every i."""
    unit = st.floats(0.001, 0.999)
    mu_0 = draw(unit)
    means, shown = [mu_0], []
    for _ in range(draw(st.integers(1, 3))):
        p = draw(unit)
        low, high = max(0.0, (mu_0 - (1 - p)) / p), min(1.0, mu_0 / p)
        one = low + (high - low) * draw(st.floats(0, 1))
        means += [min(1.0, max(0.0, (mu_0 - p * one) / (1 - p))), one]
        shown += [1 - p, p]
    return means, shown, draw(st.floats(1, 3))


@settings(max_examples=200, deadline=None)
@given(world=no_backdoor_worlds())
def test_among_binary_worlds_where_an_intervention_is_best_a_deciding_fair_coin_needs_least(
    world: tuple[list[float], list[float], float],
) -> None:
    means, shown, cost = world
    assume(max(means[1:]) / cost - means[0] > 1e-6)
    assert bounds.theorem_3_log_budget(means, shown, cost) >= bounds.theorem_3_log_budget(
        [0.5, 0.0, 1.0], [0.5, 0.5], 1
    ) * (1 - 1e-9)


@st.composite
def known_parents(draw: st.DrawFn) -> tuple[list[float], list[list[float]]]:
    """Means and P(Pa(Y) = y | do(a)), with one support: some configurations nobody reaches."""
    arms, seen, unseen = draw(st.integers(2, 4)), draw(st.integers(2, 5)), draw(st.integers(0, 2))
    weights = draw(st.lists(st.lists(st.integers(1, 9), min_size=seen, max_size=seen), min_size=arms, max_size=arms))
    means = draw(st.lists(hundredths, min_size=arms, max_size=arms))
    return means, [[weight / sum(row) for weight in row] + [0.0] * unseen for row in weights]


@MANY
@given(instance=known_parents())
def test_theorem_4_is_the_last_line_of_its_proof(instance: tuple[list[float], list[list[float]]]) -> None:
    means, parents = instance
    assert near(bounds.theorem_4(means, np.array(parents)), oracle.theorem_4(means, parents), rel=1e-10)


@pytest.mark.parametrize("means", [[0.9, 0.1], [0.5, 0.4], [0.2, 1.0]])
@pytest.mark.parametrize(
    "parents", [[[0.5, 0.5], [0.5, 0.5]], [[0.3, 0.7], [0.9, 0.1]], [[0.25, 0.25, 0.5, 0.0], [0.01, 0.49, 0.5, 0.0]]]
)
def test_theorem_4_counts_the_rounds_from_which_on_both_conditions_hold(
    means: list[float], parents: list[list[float]]
) -> None:
    """With two configurations log(k^n t^2 / 2) = 0 at t = 1, which is not what the proof needs."""
    gap = abs(means[0] - means[1])
    rounds = round(bounds.theorem_4(means, np.array(parents)) / gap - 2 * math.pi**2 / 3)
    assert bounds.theorem_4(means, np.array(parents)) == pytest.approx(gap * (rounds + 2 * math.pi**2 / 3), rel=1e-12)
    first, second = oracle.theorem_4_margins(means, parents)
    (other,) = second.values()
    assert holds_from(rounds, first)
    assert holds_from(rounds, other)
    assert min(first(Decimal(rounds - 1)), other(Decimal(rounds - 1))) < 0


def test_theorem_4_has_the_rounds_that_looking_at_every_round_finds() -> None:
    """Two arms that toss the same fair coin: delta = 1/2, zeta = 2."""
    parents = [[0.5, 0.5], [0.5, 0.5]]
    l_1 = 1 + max(t for t in range(1, 1000) if t < 2 * math.log(2 * t**2) / 0.25)
    l_2 = {gap: 1 + max(t for t in range(1, 100_000) if t < 4 * math.log(t**2) * 4 / gap**2) for gap in (1.0, 0.25)}
    assert l_1 < l_2[1.0] < l_2[0.25]
    for gap, rounds in l_2.items():
        assert bounds.theorem_4([0.0, gap], np.array(parents)) == pytest.approx(
            gap * (rounds + 2 * math.pi**2 / 3), rel=1e-12
        )


def test_theorem_4_takes_the_larger_of_its_two_sizes() -> None:
    """One configuration is so rare under the best arm alone that L_1 decides for both other arms.

    Where the arms are similar, L_2 decides.
    """
    rare_means, rare_parents = [0.9, 0.1, 0.0], [[0.001, 0.999], [0.0011, 0.9989], [0.0011, 0.9989]]
    alike_means, alike_parents = [0.5, 0.45, 0.2], [[0.5, 0.5]] * 3
    for means, parents in ((rare_means, rare_parents), (alike_means, alike_parents)):
        first, second = oracle.theorem_4_margins(means, parents)
        decides = [oracle.least_whole(first) > oracle.least_whole(margin) for margin in second.values()]
        assert decides == [parents is rare_parents] * 2
        assert near(bounds.theorem_4(means, np.array(parents)), oracle.theorem_4(means, parents))


def test_theorem_4_is_zero_if_all_arms_are_equal() -> None:
    assert bounds.theorem_4([0.5, 0.5], np.array([[0.5, 0.5], [0.4, 0.6]])) == 0
