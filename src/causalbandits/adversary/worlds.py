"""The world and the problem of a recipe. The order of the arms is shuffled, so that no arm is the lucky first one."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Any

import numpy as np

from ..mechanisms import Node, linear, node
from ..problem import Objective, Problem
from ..world import World
from .recipe import Recipe, Rng


def world_of(recipe: Recipe, objective: Objective, rng: Rng | None = None) -> tuple[World, Problem]:
    """The world and the problem. With `rng`, causes change places and names, and values change places."""
    visible_cause = recipe.confounded > 0 and not recipe.hidden
    number = recipe.causes + int(visible_cause)
    places = list(range(number)) if rng is None else rng.permutation(number).tolist()
    names = [f"X{place + 1}" for place in places]  # by the number of the cause in the recipe
    causes, confounder = names[: recipe.causes], names[-1] if visible_cause else "U"
    nodes = _causes(recipe, causes, confounder, rng)
    nodes.sort(key=lambda each: (each.variable.name[0] != "X", int(each.variable.name[1:] or 0)))
    if recipe.confounded and recipe.hidden:
        nodes.append(node(confounder, {0: 0.5, 1: 0.5}, hidden=True))
    acting = causes[: recipe.parents]
    if recipe.mediated:
        nodes += [_mediator(recipe, f"M{name[1:]}", name) for name in acting]
        acting = [f"M{name[1:]}" for name in acting]
    effects = {name: recipe.gap * recipe.falloff**i for i, name in enumerate(acting)}
    last = dict.fromkeys(acting, recipe.values - 1)
    if recipe.confounded:
        effects[confounder], last[confounder] = recipe.push, 1
    if rng is not None:  # also the order of the reward's parents
        effects = {name: effects[name] for name in rng.permutation(list(effects)).tolist()}
    world = World([*nodes, _reward(recipe, effects, last)], reward="Y", **_bounds(recipe))
    return world, _problem(recipe, world, objective, causes[0])


def _causes(recipe: Recipe, names: list[str], confounder: str, rng: Rng | None) -> list[Node]:
    nodes = []
    for i, name in enumerate(names):
        chance = recipe.rare if i == 0 else recipe.common
        values = _order(recipe.values, rng)
        if i < recipe.confounded:
            chances = {0: chance * (1 - recipe.tilt), 1: chance * (1 + recipe.tilt)}
            table = {value: _row(values, p) for value, p in chances.items()}
            nodes.append(node(name, values, given=confounder, table=table))
        else:
            nodes.append(node(name, _row(values, chance)))
    if recipe.confounded and not recipe.hidden:
        nodes.append(node(confounder, _row(_order(2, rng), 0.5)))
    return nodes


def _order(values: int, rng: Rng | None) -> list[int]:
    return list(range(values)) if rng is None else rng.permutation(values).tolist()


def _row(values: list[int], chance: float) -> dict[int, float]:
    """The last value has this chance. The others share the rest."""
    last = len(values) - 1
    return {value: chance if value == last else (1 - chance) / last for value in values}


def _mediator(recipe: Recipe, name: str, cause: str) -> Node:
    values = list(range(recipe.values))
    others = recipe.values - 1
    table = {at: [1 - recipe.slip if v == at else recipe.slip / others for v in values] for at in values}
    return node(name, values, given=cause, table=table, intervenable=False)


def _reward(recipe: Recipe, effects: dict[str, float], last: dict[str, int]) -> Node:
    """The mean of Y is linear in its parents. If Y has bounds, the mean is cut off there.

    In a mirror image the value v of a parent acts as `last - v` would: the first value as the last one.
    """
    if recipe.reward == "real":
        sign, base = (-1, recipe.base + sum(effects.values())) if recipe.mirrored else (1, recipe.base)
        weights = {name: sign * recipe.scale * effect / last[name] for name, effect in effects.items()}
        return linear("Y", weights, noise=recipe.scale * recipe.noise, intercept=recipe.scale * base)
    table: dict[Any, Any] = {}
    for at in itertools.product(*(range(last[name] + 1) for name in effects)):
        mean = recipe.base + sum(
            effect * (last[name] - value if recipe.mirrored else value) / last[name]
            for (name, effect), value in zip(effects.items(), at, strict=True)
        )
        p = float(np.clip(mean, 0, 1))
        row = [1 - p, p] if recipe.reward == "binary" else [(1 - p) ** 2, 2 * p * (1 - p), p**2]
        table[at if len(at) > 1 else at[0]] = row
    values = [0, 1] if recipe.reward == "binary" else [0.0, recipe.scale / 2, recipe.scale]
    return node("Y", values, given=list(effects), table=table)


def _bounds(recipe: Recipe) -> dict[str, Any]:
    return {"bounds": (0.0, recipe.scale)} if recipe.reward == "bounded" else {}


def _problem(recipe: Recipe, world: World, objective: Objective, first: str) -> Problem:
    prices = {name: recipe.price for name in world.graph.order if name[0] == "X"}
    prices[f"do({first}={recipe.values - 1})"] = recipe.best_price
    if recipe.observe:
        prices["do()"] = recipe.watch
    once = sum(round(price * 1_000_000) for price in recipe.prices)
    budget = max(once, round(recipe.times * once))
    return world.problem(
        budget=Decimal(budget) / 1_000_000,
        cost=prices,
        observe=recipe.observe,
        reveal_parents=recipe.reveal,
        reward_scale=recipe.deviation if recipe.reward == "real" else None,
        objective=objective,
    )
