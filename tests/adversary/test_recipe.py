"""Recipes: over their whole range they give valid worlds, and shuffling changes the order of arms alone."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.adversary.recipe import DRAWS, HIGHEST_PRICE, LOWEST_PRICE, MOST_ROUNDS, Recipe, mutated
from causalbandits.adversary.recipe import random_recipe as random
from causalbandits.adversary.worlds import world_of
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
    assert list(DRAWS) == [field.name for field in fields(Recipe)]
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
