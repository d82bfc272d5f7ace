"""Worlds: exact means by three routes (contraction, enumeration, sampling), and worlds written by hand."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.mechanisms import Linear, Table

from .fixed import Fixed, FixedByArms, FixedByBoth, FixedByParents

ALARM = 1e-6  # the chance that a right program fails a test of sampling; seeds are fixed, so it fails always or never
ROUNDS = 60_000
WAYS = {  # the ways in which the engine draws rounds
    "one block": Fixed(count=0),
    "blocks of 100": Fixed(count=100),
    "7 rounds at a time": Fixed(count=7),
    "1 round at a time": Fixed(count=1),
    "one block, by arms": FixedByArms(count=0),
    "1 round at a time, by arms": FixedByArms(count=1),
    "one block, by parents": FixedByParents(count=0),
    "1 round at a time, by parents": FixedByParents(count=1),
    "one block, by both": FixedByBoth(count=0),
}


def enumerate_world(world: cb.World, do: dict[str, str]) -> dict[tuple[int, ...], float]:
    """P(all variables with named values | do): the mutilated product, one factor per variable that is not set."""
    names = [name for name in world.graph.order if world.graph[name].values]
    joint = {}
    for values in itertools.product(*(range(len(world.graph[name].values)) for name in names)):
        at = dict(zip(names, values, strict=True))
        p = 1.0
        for name in names:
            if name in do:
                p *= float(world.graph[name].values[at[name]] == do[name])
            else:
                table = world.mechanisms[name]
                p *= float(table.probabilities[(*(at[cause] for cause in table.given), at[name])])
        joint[values] = p
    return joint


def enumerated(world: cb.World, do: dict[str, str], wanted: list[str]) -> np.ndarray:
    """P(wanted | do) by enumeration."""
    names = [name for name in world.graph.order if world.graph[name].values]
    table = np.zeros([len(world.graph[name].values) for name in wanted])
    for values, p in enumerate_world(world, do).items():
        at = dict(zip(names, values, strict=True))
        table[tuple(at[name] for name in wanted)] += p
    return table


def enumerated_moments(world: cb.World, do: dict[str, str]) -> tuple[float, float]:
    """Mean and standard deviation of the reward under an intervention, by enumeration."""
    mechanism = world.mechanisms[world.reward.variable]
    wanted = list(mechanism.given) if isinstance(mechanism, Linear) else [world.reward.variable]
    table = enumerated(world, do, wanted)
    mean = second = 0.0
    for at in np.ndindex(table.shape):
        values = [world.graph[name].values[i] for name, i in zip(wanted, at, strict=True)]
        if isinstance(mechanism, Linear):
            value = mechanism.intercept + sum(
                mechanism.weights[n] * float(v) for n, v in zip(wanted, values, strict=True)
            )
        elif world.reward.kind == "binary":
            value = float(values[0] == world.reward.success)
        else:
            value = float(values[0])
        mean += table[at] * value
        second += table[at] * value**2
    noise = mechanism.noise if isinstance(mechanism, Linear) else 0.0
    return mean, math.sqrt(second - mean**2 + noise**2)


def small_world(seed: int) -> cb.World:
    rng = np.random.default_rng(seed)
    return cb.worlds.random_world(rng, variables=int(rng.integers(2, 6)), values=(2, 3), hidden=int(rng.integers(0, 2)))


def interventions_of(world: cb.World) -> list[dict[str, str]]:
    """The observation, every setting of one visible variable, and of two."""
    visible = [v for v in world.graph.variables if not v.hidden and v.values and v.name != world.reward.variable]
    single = [{v.name: value} for v in visible for value in v.values]
    return [{}, *single, *({**a, **b} for a, b in itertools.combinations(single, 2) if a.keys() != b.keys())]


def bounded_world(hidden: bool = True) -> cb.World:
    """A reward with the values 0, 1 and 3, confounded by U, that has an effect of its own; Coin and Die have nothing to do with it."""
    values = ["low", "mid", "high"]
    rewards = {
        (x, u): [0.1 + 0.2 * i, 0.7 - 0.2 * i - 0.1 * j, 0.2 + 0.1 * j]
        for i, x in enumerate(values)
        for j, u in enumerate("abc")
    }
    return cb.World(
        [
            cb.node("Coin", {0: 0.6, 1: 0.4}),
            cb.node("Die", {"one": 0.2, "two": 0.3, "three": 0.5}),
            cb.node("U", {"a": 0.2, "b": 0.5, "c": 0.3}, hidden=hidden),
            cb.node("X", values, given="U", table={"a": [0.7, 0.2, 0.1], "b": [0.1, 0.6, 0.3], "c": [0.05, 0.15, 0.8]}),
            cb.node("Z", {0: 0.35, 1: 0.65}),
            cb.node("Y", [0, 1, 3], given=["X", "U"], table=rewards, parents=["Z", "X", "U"]),
            cb.node(
                "E",
                ["no", "yes"],
                given=["Y", "Z"],
                table={(y, z): 0.1 + 0.2 * y + 0.1 * z for y in (0, 1, 3) for z in (0, 1)},
            ),
        ],
        reward="Y",
    )


def linear_world() -> cb.World:
    """A linear reward with an intercept, a negative weight, causes with values other than 0 and 1, and one that is set."""
    return cb.World(
        [
            cb.node("A", {-1: 0.2, 0.5: 0.5, 2: 0.3}),
            cb.node("B", [1, 3], given="A", table={-1: 0.2, 0.5: 0.4, 2: 0.9}),
            cb.node("Other", {0: 0.5, 1: 0.5}),
            cb.linear("Y", {"B": -0.4, "A": 0.7}, noise=0.3, intercept=1.5),
        ],
        reward="Y",
    )


SAMPLED = {
    "binary, a chain": small_world(13),
    "binary, a hidden common cause": small_world(28),
    "bounded": bounded_world(hidden=False),
    "bounded, a hidden common cause": bounded_world(),
    "real": cb.worlds.confounded_chain(),
    "real, an intercept": linear_world(),
    "marketing": cb.worlds.marketing(),
}
sampled = pytest.mark.parametrize(
    ("world", "policy"),
    [
        pytest.param(world, policy, id=f"{name} - {way}")
        for name, world in SAMPLED.items()
        for way, policy in WAYS.items()
        if policy.reads.name not in ("parents", "both")
        or not any(world.graph[parent].hidden for parent in world.graph[world.reward.variable].parents)
    ],
)


def sample(
    world: cb.World, policy: cb.Policy, arms: list[dict[str, str]], arm: int, rounds: int = ROUNDS, seed: int = 17
) -> cb.Trace:
    """Rounds of one arm, drawn in the policy's way."""
    problem = world.problem(horizon=rounds, arms=arms, reveal_parents=policy.reads.name == "parents")
    trace = cb.trace(world, problem, replace(policy, arm=arm), seed=seed, run=arm)
    assert (trace.arms == arm).all()
    assert len(trace) == rounds
    return trace


def frequencies_off(
    world: cb.World, trace: cb.Trace, names: list[str], exact: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How far the frequencies of the configurations shown are from `exact`, and how far they may be.

    Bernstein's inequality, two-sided, Bonferroni over the cells: |f - p| > sqrt(2 p (1 - p) l / n) + l / (3 n) with chance at most 2 exp(-l).
    """
    cells = [(trace.shown[name][:, None] == np.array(world.graph[name].values)).argmax(axis=1) for name in names]
    number = np.ravel_multi_index(cells, exact.shape)
    found = np.bincount(number, minlength=exact.size).reshape(exact.shape) / len(trace)
    log = math.log(2 * exact.size / ALARM)
    return np.abs(found - exact), np.sqrt(2 * exact * (1 - exact) * log / len(trace)) + log / (3 * len(trace))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_mean_by_contraction_is_the_mean_by_enumeration(seed: int) -> None:
    world = small_world(seed)
    for do in interventions_of(world):
        assert world.mean(do) == pytest.approx(enumerated_moments(world, do)[0], abs=1e-12)


@pytest.mark.parametrize(
    "world", [bounded_world(), linear_world(), cb.worlds.marketing()], ids=["bounded", "real", "marketing"]
)
def test_the_mean_of_every_kind_of_reward_is_the_mean_by_enumeration(world: cb.World) -> None:
    for do in interventions_of(world):
        assert world.mean(do) == pytest.approx(enumerated_moments(world, do)[0], abs=1e-12)


@sampled
def test_the_average_sampled_reward_of_every_arm_is_its_exact_mean(world: cb.World, policy: cb.Policy) -> None:
    others = interventions_of(world)[1:]
    arms = others[:: 1 + len(others) // 5]  # a few of one variable and of two
    assert {len(do) for do in arms} == {1, 2}
    quantile = NormalDist().inv_cdf(1 - ALARM / (2 * (1 + len(arms))))  # two-sided, Bonferroni over the arms
    for arm, do in enumerate([{}, *arms]):
        mean, deviation = enumerated_moments(world, do)
        rewards = sample(world, policy, arms, arm).rewards
        assert abs(rewards.mean() - mean) <= quantile * deviation / math.sqrt(ROUNDS), do


@sampled
def test_what_observation_shows_has_the_exact_joint_distribution(world: cb.World, policy: cb.Policy) -> None:
    trace = sample(world, policy, interventions_of(world), arm=0)
    visible = [v.name for v in world.graph.variables if v.values and not v.hidden]
    assert set(trace.shown) == set(visible)
    off, may_be = frequencies_off(world, trace, visible, world.marginal(visible, "do()"))
    assert (off <= may_be).all()


@sampled
def test_an_intervention_shows_what_it_set_and_the_exact_joint_distribution_of_the_rest(
    world: cb.World, policy: cb.Policy
) -> None:
    do = next(do for do in reversed(interventions_of(world)) if "E" not in do)
    trace = sample(world, policy, [do], arm=1)
    for name, value in do.items():
        assert (trace.shown[name] == value).all()
    rest = [v.name for v in world.graph.variables if v.values and not v.hidden and v.name not in do]
    off, may_be = frequencies_off(world, trace, rest, enumerated(world, do, rest))
    assert (off <= may_be).all()


@sampled
def test_the_reward_is_the_value_shown_or_normal_about_what_its_causes_add_up_to(
    world: cb.World, policy: cb.Policy
) -> None:
    trace = sample(world, policy, [{"Coin": "1"}] if "Coin" in world.graph else interventions_of(world)[1:2], arm=1)
    if world.reward.kind == "binary":
        np.testing.assert_array_equal(trace.rewards, trace.shown[world.reward.variable] == world.reward.success)
    elif world.reward.kind == "bounded":
        np.testing.assert_array_equal(trace.rewards, trace.shown["Y"].astype(float))
    else:
        mechanism = world.mechanisms["Y"]
        added = sum(weight * trace.shown[cause].astype(float) for cause, weight in mechanism.weights.items())
        noise = (trace.rewards - mechanism.intercept - added) / mechanism.noise
        steps, exact = np.arange(ROUNDS + 1) / ROUNDS, np.array([NormalDist().cdf(value) for value in np.sort(noise)])
        # Dvoretzky, Kiefer, Wolfowitz, Massart: the largest gap exceeds sqrt(log(2 / alarm) / (2 n)) with a chance of at most `alarm`
        assert np.maximum(exact - steps[:-1], steps[1:] - exact).max() <= math.sqrt(math.log(2 / ALARM) / (2 * ROUNDS))


@pytest.mark.parametrize("p", [0.4999, 0.0001, 1 / 3])
def test_a_block_draws_a_probability_to_many_digits(p: float) -> None:
    rounds = 2_000_000
    world = cb.World([cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Y", [0, 1], table=p)], reward="Y")
    found = sample(world, Fixed(count=0), [{"X": "1"}], arm=0, rounds=rounds).rewards.mean()
    quantile = NormalDist().inv_cdf(1 - ALARM / 2)  # two-sided
    assert (
        abs(found - p) <= quantile * math.sqrt(p * (1 - p) / rounds) + 10 / rounds
    )  # Poisson tail at 200 expected: 5 sd and 10 more is below 1e-6


@pytest.mark.parametrize("policy", WAYS.values(), ids=WAYS.keys())
def test_the_rounds_of_a_run_are_independent(policy: cb.Policy) -> None:
    quantile = NormalDist().inv_cdf(1 - ALARM / (2 * 2 * 64))  # two-sided, Bonferroni over two variables and 64 lags
    trace = sample(cb.worlds.parallel([0.5, 0.5], 1e-9), policy, [{"X1": "1"}], arm=0)
    for name in ("X1", "X2"):
        signs = np.where(
            trace.shown[name] == "1", 1, -1
        )  # products of two fair signs are uncorrelated, with variance 1
        for lag in range(1, 65):
            assert abs(np.mean(signs[lag:] * signs[:-lag])) <= quantile / math.sqrt(ROUNDS - lag), (name, lag)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_distribution_of_the_parents_is_the_one_by_enumeration(seed: int) -> None:
    world = small_world(seed)
    parents = list(world.graph["Y"].parents)
    for do in interventions_of(world):
        np.testing.assert_allclose(world.parent_distribution(do), enumerated(world, do, parents), atol=1e-12)


def test_revealed_parents_have_a_row_per_arm_numbered_as_in_words() -> None:
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=10, reveal_parents=True)
    assert [problem.configuration(i) for i in range(4)] == ["W1=0, W2=0", "W1=0, W2=1", "W1=1, W2=0", "W1=1, W2=1"]
    for arm, row in zip(problem.arms, problem.parents, strict=True):
        np.testing.assert_allclose(row, enumerated(world, dict(arm), ["W1", "W2"]).ravel(), atol=1e-12)


def test_the_confounded_chain_has_the_means_of_the_papers_table() -> None:
    """Nair, Patil & Sinha 2021, Experiment 4: expected rewards of do(X1=0), do(X1=1), do(X2=0), do(X2=1)."""
    world = cb.worlds.confounded_chain()
    problem = world.problem(horizon=100, observe=False)
    assert list(map(str, problem.arms)) == ["do(X1=0)", "do(X1=1)", "do(X2=0)", "do(X2=1)"]
    np.testing.assert_allclose(world.means(problem), [0.2595, 0.2405, 0.244, 0.254], rtol=0, atol=1e-12)


def test_a_world_of_fifty_parents_has_exact_means() -> None:
    p = [0.02, 0.02] + [0.5] * 48
    world = cb.worlds.parallel(p, epsilon=0.3)
    means = world.means(world.problem(budget=3000, cost=60))
    expected = [0.5, 0.5 - 0.02 * 0.3 / 0.98, 0.8, *[0.5] * 98]
    np.testing.assert_allclose(means, expected, rtol=0, atol=1e-12)


def test_the_distribution_of_fifty_parents_is_refused_in_one_sentence() -> None:
    world = cb.worlds.parallel([0.5] * 50, epsilon=0.3)
    for ask in (lambda: world.parent_distribution("do()"), lambda: world.problem(budget=9, reveal_parents=True)):
        with pytest.raises(cb.InputError, match=r"^Y has 50 parents with 1.13e\+15 configurations; [^\n]*\.$"):
            ask()


def test_in_the_shop_large_images_are_best_and_only_promotion_has_a_backdoor_path() -> None:
    world = cb.worlds.marketing()
    problem = world.problem(budget=1000, cost=5)
    means = world.means(problem)
    assert str(problem.arms[int(np.argmax(means))]) == "do(Image=large)"
    assert means.max() > 1.5 * world.mean("do()")
    confounded = {arm: path for arm, path in zip(map(str, problem.arms), problem.backdoor_paths, strict=True) if path}
    assert confounded == dict.fromkeys(["do(Promotion=no)", "do(Promotion=yes)"], "Promotion <- Season -> Purchase")
    both = world.marginal(["Promotion", "Purchase"], "do()")
    assert both[1, 1] / both[1].sum() > world.mean("do(Promotion=yes)") + 0.02  # watching flatters promotions


def test_a_random_world_without_backdoors_has_none_and_hides_as_many_as_asked() -> None:
    for seed in range(20):
        world = cb.worlds.random_world(np.random.default_rng(seed), variables=5, hidden=2, backdoors=False)
        assert sum(variable.hidden for variable in world.graph.variables) == 2
        assert world.problem(horizon=5).teaches.all()


MAPPING, LIST, NUMBER = (
    {"small": {"no": 0.8, "yes": 0.2}, "large": {"yes": 0.5, "no": 0.5}},
    {"small": [0.8, 0.2], "large": [0.5, 0.5]},
    {"small": 0.2, "large": 0.5},
)


@pytest.mark.parametrize(
    "table", [MAPPING, LIST, NUMBER, np.array([[0.8, 0.2], [0.5, 0.5]])], ids=["mapping", "list", "number", "array"]
)
@pytest.mark.parametrize(
    "image", [cb.node("Image", {"small": 0.6, "large": 0.4}), cb.node("Image", ["small", "large"], table=0.4)]
)
def test_a_row_may_be_a_mapping_a_list_or_a_number(table, image) -> None:
    world = cb.World([image, cb.node("Cart", ["no", "yes"], given="Image", table=table)], reward="Cart", success="yes")
    np.testing.assert_allclose(world.mechanisms["Cart"].probabilities, [[0.8, 0.2], [0.5, 0.5]], atol=1e-15)
    assert world.mean("do()") == pytest.approx(0.6 * 0.2 + 0.4 * 0.5, abs=1e-12)
    assert world.mean("do(Image=large)") == pytest.approx(0.5, abs=1e-12)


def test_the_order_of_the_causes_in_a_table_does_not_matter() -> None:
    a, b = cb.node("A", {0: 0.3, 1: 0.7}), cb.node("B", {"x": 0.2, "y": 0.3, "z": 0.5})
    table = {(i, v): 0.1 + 0.3 * i + 0.2 * j for i in (0, 1) for j, v in enumerate("xyz")}
    one = cb.World([a, b, cb.node("Y", [0, 1], given=["A", "B"], table=table)], reward="Y")
    other = cb.World(
        [cb.node("Y", [0, 1], given=["B", "A"], table={key[::-1]: p for key, p in table.items()}), b, a], reward="Y"
    )
    for do in ("do()", "do(A=1)", "do(B=y)", "do(A=0, B=z)"):
        assert one.mean(do) == pytest.approx(other.mean(do), abs=1e-15)
    assert one.mean("do(A=1, B=y)") == pytest.approx(0.6, abs=1e-12)


def test_success_says_which_value_counts_as_one() -> None:
    coin = cb.node("Y", ["lost", "won"], table=0.3)
    x = cb.node("X", {0: 0.5, 1: 0.5})
    assert cb.World([x, coin], reward="Y", success="won").mean("do()") == pytest.approx(0.3, abs=1e-15)
    assert cb.World([x, coin], reward="Y", success="lost").mean("do()") == pytest.approx(0.7, abs=1e-15)


def test_setting_an_effect_of_the_reward_changes_nothing() -> None:
    world = bounded_world()
    assert world.mean("do(E=yes)") == pytest.approx(world.mean("do()"), abs=1e-15)
    assert abs(world.mean("do(X=high)") - world.mean("do()")) > 0.05


@pytest.mark.parametrize(
    "ask", [lambda w: w.marginal(["Q"], "do()"), lambda w: w.marginal(["X"], "do(Q=1)"), lambda w: w.mean("do(Q=1)")]
)
def test_a_question_about_an_unknown_variable_of_a_world_is_answered_in_one_sentence(ask) -> None:
    with pytest.raises(cb.InputError, match="'Q'"):
        ask(bounded_world())


def test_a_world_cannot_be_changed_behind_what_was_worked_out_from_it() -> None:
    world = cb.worlds.marketing()
    table = world.mechanisms["Image"]
    assert isinstance(table, Table)
    with pytest.raises(ValueError, match="read-only"):
        table.probabilities[0] = 0.5
