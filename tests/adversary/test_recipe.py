"""Recipes: over their whole range they give valid worlds, and shuffling changes the order of arms alone."""

from __future__ import annotations

import itertools
import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.adversary.recipe import DRAWS, HIGHEST_PRICE, LOWEST_PRICE, MOST_ROUNDS, Recipe, mutated
from causalbandits.adversary.recipe import random_recipe as random
from causalbandits.adversary.worlds import world_of
from causalbandits.mechanisms import Linear, Table
from causalbandits.regret import best_reward

from ..fixed import Fixed


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 12), st.sampled_from(["find", "earn"]))
def test_every_recipe_gives_a_valid_world_and_a_budget_that_pays_all_arms(
    seed: int, mutations: int, objective: str
) -> None:
    rng = np.random.default_rng(seed)
    recipe = random(rng)
    for _ in range(mutations):
        recipe = mutated(recipe, rng)
    world, problem = world_of(recipe, objective, rng)  # type: ignore[arg-type]
    assert problem.objective == objective
    assert sorted(problem.exact_costs) == sorted(round(price * 1_000_000) for price in recipe.prices)
    assert problem.exact_budget >= sum(problem.exact_costs)
    assert problem.exact_budget // min(problem.exact_costs) <= MOST_ROUNDS
    assert all(LOWEST_PRICE <= price <= HIGHEST_PRICE for price in recipe.prices)
    plain_world, plain = world_of(recipe, objective)  # type: ignore[arg-type]
    pairs = [
        sorted(zip(p.costs, w.means(p).round(9), strict=True)) for w, p in ((world, problem), (plain_world, plain))
    ]
    np.testing.assert_allclose(pairs[0], pairs[1], rtol=1e-9, atol=1e-8)
    means = [best_reward(p, w.means(p), p.budget) for w, p in ((world, problem), (plain_world, plain))]
    assert means[0] == pytest.approx(means[1])


def test_the_random_recipes_reach_what_the_families_promise() -> None:
    rng = np.random.default_rng(1)
    recipes = [random(rng) for _ in range(3000)]
    assert [*DRAWS, "mirrored"] == [field.name for field in fields(Recipe)]
    assert {recipe.reward for recipe in recipes} == {"binary", "bounded", "real"}
    prices = [price for recipe in recipes for price in recipe.prices]
    assert min(prices) < 0.005
    assert max(prices) > 200
    assert min(recipe.times for recipe in recipes) < 1.5
    assert max(recipe.rounds for recipe in recipes) > MOST_ROUNDS / 3
    assert any(recipe.falloff == 1 and recipe.parents > 1 for recipe in recipes)  # a tie
    assert any(
        recipe.base == 0 and recipe.gap == 1 and recipe.reward == "binary" for recipe in recipes
    )  # deterministic
    assert any(recipe.confounded and recipe.hidden for recipe in recipes)
    assert any(recipe.rare < 1e-4 for recipe in recipes)
    assert max(len(recipe.prices) for recipe in recipes) > 40


def test_the_best_arm_is_at_every_place_in_some_copy() -> None:
    recipe = Recipe(causes=2, base=0.2, gap=0.5)
    places = set()
    for copy in range(60):
        world, problem = world_of(recipe, "earn", np.random.default_rng(copy))
        places.add(int(np.argmax(world.means(problem))))
    assert places == {1, 2, 3, 4}


def test_numbers_that_do_not_fit_together_are_not_playable() -> None:
    assert Recipe().is_playable
    assert not Recipe(parents=2).is_playable
    assert not Recipe(reveal=True, confounded=1).is_playable
    assert not Recipe(times=0.5).is_playable
    assert not Recipe(times=MOST_ROUNDS).is_playable
    with pytest.raises(cb.InputError, match="hidden"):
        world_of(Recipe(reveal=True, confounded=1), "earn")


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(causes=3, values=3, parents=2, rare=0.2, common=0.3, reward="real", scale=3.0, noise=0.1),
        Recipe(causes=2, values=2, rare=0.4, confounded=1, tilt=0.7, push=0.4, reward="real", noise=0.05, gap=0.6),
        Recipe(causes=2, values=4, parents=2, mediated=True, slip=0.2, reward="real", noise=0.0, falloff=1.0),
    ],
)
def test_the_stated_deviation_of_a_real_reward_is_that_of_a_log(recipe: Recipe) -> None:
    """Observed 20,000 times: a right program fails with probability below 1e-6."""
    world, problem = world_of(recipe, "earn")
    assert problem.reward_scale == recipe.deviation
    watch = world.problem(horizon=20_000)
    rewards = cb.trace(world, watch, Fixed(arm=0), seed=1).rewards
    assert rewards.std() == pytest.approx(recipe.deviation, rel=0.05)


def drawn(seed: int) -> list[Recipe]:
    """What a search draws: recipes, and mutations of each."""
    rng = np.random.default_rng(seed)
    recipes = []
    for _ in range(40):
        recipes.append(random(rng))
        recipes.extend(mutated(recipes[-1], rng) for _ in range(3))
    return recipes


def test_the_same_seed_draws_the_same_recipes_and_no_mirror_image() -> None:
    recipes = drawn(27)
    assert recipes == drawn(27)
    assert recipes != drawn(28)
    assert not any(recipe.mirrored for recipe in recipes)


def test_a_seed_keeps_its_recipes_from_version_to_version() -> None:
    """Recorded. Record anew if the draws change on purpose, and say so in the changelog."""
    rng = np.random.default_rng(27)
    recipe = random(rng)
    for _ in range(5):
        recipe = mutated(recipe, rng)
    expected = Recipe(
        causes=12,
        parents=3,
        base=0.895,
        gap=0.0047,
        falloff=0.0,
        confounded=2,
        tilt=0.675,
        push=0.39,
        hidden=False,
        mediated=True,
        reveal=True,
        watch=1.07,
        price=0.363,
        best_price=0.363,
        times=28.4,
        reward="bounded",
        scale=1.6,
    )
    assert recipe == expected
    assert int(rng.integers(10**9)) == 172131945


# two parents: X1 has three values and adds 0.3, X2 adds half of it
TWO = Recipe(causes=3, values=3, parents=2, base=0.2, gap=0.3, rare=0.1, common=0.4)
# watched, X1 is 1 with 0.45 and 2 with 0.1, so it adds 0.3 * (0.225 + 0.1); X2 adds 0.15 * (0.15 + 0.4)
TWO_PLAIN = {"do()": 0.38, "do(X1=0)": 0.2825, "do(X1=1)": 0.4325, "do(X1=2)": 0.5825, "do(X3=0)": 0.38}
# reversed, X1 adds 0.3 * (0.225 + 0.45) and X2 adds 0.15 * (0.15 + 0.3)
TWO_MIRROR = {"do()": 0.47, "do(X1=0)": 0.5675, "do(X1=1)": 0.4175, "do(X1=2)": 0.2675, "do(X2=2)": 0.4025}
# X1 is 1 with 0.2 or 0.6 if U is 0 or 1, so with 0.4; U adds 0.2
BACKDOOR = Recipe(base=0.1, gap=0.5, rare=0.4, confounded=1, tilt=0.5, push=0.2)
BACKDOOR_PLAIN = {"do()": 0.1 + 0.2 + 0.1, "do(X1=0)": 0.2, "do(X1=1)": 0.7}
BACKDOOR_MIRROR = {"do()": 0.1 + 0.3 + 0.1, "do(X1=0)": 0.7, "do(X1=1)": 0.2}
VISIBLE_PLAIN = {**BACKDOOR_PLAIN, "do(X2=0)": 0.1 + 0.5 * 0.2, "do(X2=1)": 0.3 + 0.5 * 0.6}
VISIBLE_MIRROR = {**BACKDOOR_MIRROR, "do(X2=0)": 0.3 + 0.5 * 0.8, "do(X2=1)": 0.1 + 0.5 * 0.4}
# M1 differs from X1 with 0.1
MEDIATED = Recipe(base=0.1, gap=0.5, rare=0.2, mediated=True, slip=0.1)
MEDIATED_PLAIN = {"do()": 0.1 + 0.5 * 0.26, "do(X1=0)": 0.15, "do(X1=1)": 0.55}
MEDIATED_MIRROR = {"do()": 0.1 + 0.5 * 0.74, "do(X1=0)": 0.55, "do(X1=1)": 0.15}


@pytest.mark.parametrize("reward", ["binary", "bounded", "real"])
@pytest.mark.parametrize(
    ("recipe", "plain", "mirror"),
    [
        (TWO, TWO_PLAIN, TWO_MIRROR),
        (BACKDOOR, BACKDOOR_PLAIN, BACKDOOR_MIRROR),
        (replace(BACKDOOR, hidden=False), VISIBLE_PLAIN, VISIBLE_MIRROR),
        (MEDIATED, MEDIATED_PLAIN, MEDIATED_MIRROR),
    ],
)
def test_in_a_mirror_image_the_first_values_act_as_the_last_ones(
    recipe: Recipe, plain: dict[str, float], mirror: dict[str, float], reward: str
) -> None:
    """The means are computed by hand. Prices and the budget stay."""
    one = replace(recipe, reward=reward, scale=1.0 if reward == "binary" else 4.0)  # type: ignore[arg-type]
    budgets = set()
    for mirrored, means in ((False, plain), (True, mirror)):
        world, problem = world_of(replace(one, mirrored=mirrored, best_price=0.5), "earn")
        assert {arm: world.mean(arm) for arm in means} == pytest.approx({a: one.scale * m for a, m in means.items()})
        assert (
            dict(zip(map(str, problem.arms), problem.exact_costs, strict=True))[f"do(X1={one.values - 1})"] == 500_000
        )
        budgets.add(problem.exact_budget)
    assert len(budgets) == 1


def test_the_best_arm_of_a_mirror_image_is_at_every_place_in_some_copy() -> None:
    """Shuffling changes the order of arms alone there too."""
    places = set()
    for copy in range(40):
        world, problem = world_of(replace(TWO, mirrored=True), "find", np.random.default_rng(copy))
        means = world.means(problem)
        assert sorted(means) == pytest.approx(sorted(world_of(replace(TWO, mirrored=True), "find")[0].means(problem)))
        places.add(int(np.argmax(means)))
    assert len(places) == 9


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    "recipe",
    [
        replace(TWO, noise=0.2, scale=3.0, falloff=-0.7),
        replace(BACKDOOR, noise=0.1, values=3),
        replace(BACKDOOR, noise=0.1, tilt=-0.5, hidden=False),
        replace(MEDIATED, noise=0.0, confounded=1, tilt=0.9, push=0.3, values=4),
    ],
)
def test_the_deviation_is_that_of_the_world_also_in_a_mirror_image(recipe: Recipe, mirrored: bool) -> None:
    """Its world is enumerated."""
    world, problem = world_of(replace(recipe, reward="real", mirrored=mirrored), "earn")
    assert problem.reward_scale == pytest.approx(_deviation(world), rel=1e-12)


def _deviation(world: cb.World) -> float:
    """The deviation of a linear reward, by the chances of all values of its causes."""
    names = [each.variable.name for each in world.nodes if each.variable.name != "Y"]
    sizes = {each.variable.name: len(each.variable.values) for each in world.nodes}
    reward = world.mechanisms["Y"]
    assert isinstance(reward, Linear)
    chances, means = [], []
    for values in itertools.product(*(range(sizes[name]) for name in names)):
        at, chance = dict(zip(names, values, strict=True)), 1.0
        for name in names:
            table = world.mechanisms[name]
            assert isinstance(table, Table)
            chance *= float(table.probabilities[tuple(at[cause] for cause in (*table.given, name))])
        chances.append(chance)
        means.append(reward.intercept + sum(weight * at[name] for name, weight in reward.weights.items()))
    mean, square = np.average([means, np.square(means)], axis=1, weights=chances)
    return math.sqrt(square - mean**2 + reward.noise**2)
