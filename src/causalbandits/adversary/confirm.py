"""Confirm what the search found: the policy and its best rival are measured again, with fresh runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ..policies.contract import Policy
from ..policies.registry import policies_by_kind
from ..problem import Objective
from ..regret import Estimate
from .judge import LIMITS, Losses, severity
from .recipe import MOST_ROUNDS, Recipe
from .score import STEP, Score, accepts, exponent, losses
from .worlds import world_of

RUNS = 1000  # of each policy
COPIES = 40  # shuffled copies of the world, among which the runs are divided
FRESH = 1_000_003  # added to the seed of the search: no run of the search is used again
GROWTH_RUNS, GROWTH_COPIES = 200, 8  # at the smaller and larger budgets

Verdict = Literal["finding", "small budget", "no finding"]


@dataclass(frozen=True)
class Point:
    """The losses at one budget, which is given in prices of all arms once."""

    times: float
    loss: Estimate
    rival_loss: Estimate


@dataclass(frozen=True)
class Case:
    """A world of the search, measured anew. Losses are means of 1000 fresh runs."""

    recipe: Recipe
    objective: Objective
    policy: str
    rival: str
    loss: Estimate
    rival_loss: Estimate
    mirror_loss: Estimate  # in the mirror image
    rival_mirror_loss: Estimate
    points: tuple[Point, ...]  # smaller and larger budgets, and this one

    @property
    def verdict(self) -> Verdict:
        """Whether it is a finding. With a budget that is too small to be judged it is only reported."""
        policy = Losses(self.loss.mean, self.mirror_loss.mean)
        rival = Losses(self.rival_loss.mean, self.rival_mirror_loss.mean)
        if severity(policy, rival, LIMITS[self.objective]) <= 1:
            return "no finding"
        return "finding" if self.recipe.is_judged else "small budget"

    @property
    def growth(self) -> float:
        """The exponent of the policy's regret in the budget."""
        return exponent([p.times for p in self.points], [p.loss.mean for p in self.points], self.objective)

    @property
    def rival_growth(self) -> float:
        """The same of the rival."""
        return exponent([p.times for p in self.points], [p.rival_loss.mean for p in self.points], self.objective)


def confirmed(policy: Policy, recipe: Recipe, rival: str, objective: Objective, seed: int, *, runs: int = RUNS) -> Case:
    """The case of a recipe, with this rival."""
    pair = [policy, policies_by_kind()[rival]()]
    loss, rival_loss = _measured(recipe, pair, objective, runs, COPIES, seed + FRESH)
    mirror = _measured(replace(recipe, mirrored=not recipe.mirrored), pair, objective, runs, COPIES, seed + FRESH)
    points = [Point(recipe.times, loss, rival_loss)]
    for factor in (1 / STEP**2, 1 / STEP, STEP):
        other = replace(recipe, times=recipe.times * factor)
        if other.times >= 1 and other.rounds <= MOST_ROUNDS and _all_accept(pair, other, objective):
            measured = _measured(other, pair, objective, min(runs, GROWTH_RUNS), GROWTH_COPIES, seed + FRESH)
            points.append(Point(other.times, *measured))
    points.sort(key=lambda point: point.times)
    return Case(recipe, objective, policy.label, rival, loss, rival_loss, *mirror, tuple(points))


def worst_ones(tried: Iterable[tuple[Recipe, Score]], number: int) -> list[tuple[Recipe, Score]]:
    """The worst recipes of different sorts, judged ones first. Recipes of one sort are alike in what is not a size."""
    found: dict[object, tuple[Recipe, Score]] = {}
    for recipe, score in sorted(tried, key=lambda each: (not each[0].is_judged, -each[1].severity)):
        if score.rival and len(found) < number:
            found.setdefault(_sort(recipe), (recipe, score))
    return list(found.values())


def _sort(recipe: Recipe) -> object:
    backdoor = "none" if not recipe.confounded else "hidden" if recipe.hidden else "visible"
    return recipe.reward, recipe.observe, backdoor, recipe.reveal, recipe.rare < 0.01


def _measured(
    recipe: Recipe, pair: list[Policy], objective: Objective, runs: int, copies: int, seed: int
) -> tuple[Estimate, Estimate]:
    found = losses(recipe, pair, objective, runs=runs, seed=seed, copies=min(copies, runs))
    return Estimate.of(found[pair[0].label]), Estimate.of(found[pair[1].label])


def _all_accept(pair: list[Policy], recipe: Recipe, objective: Objective) -> bool:
    problem = world_of(recipe, objective)[1]
    return all(accepts(policy, problem) for policy in pair)
