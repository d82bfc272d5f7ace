"""The search: first random recipes, then mutations of the worst ones. The same seed tries the same recipes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..policies.columns import columns_named
from ..policies.contract import Policy
from ..problem import Objective
from .recipe import Recipe, mutated, random_recipe
from .score import Score, scored

RANDOM_SHARE = 0.4  # of all evaluations, or of the time
ELITE = 8  # mutations start from one of so many worst recipes
REFUSALS = 3000  # random recipes that a policy may refuse in a row


@dataclass(frozen=True)
class Limit:
    """When the search ends: after some evaluations, after some seconds, or at the first of both."""

    evaluations: int | None
    seconds: float | None

    def share(self, evaluations: int, started: float) -> float:
        """The part of the search that is over."""
        shares = [0.0]
        if self.evaluations is not None:
            shares.append(evaluations / self.evaluations)
        if self.seconds is not None:
            shares.append((time.monotonic() - started) / self.seconds)
        return max(shares)


def search(
    policy: Policy,
    objective: Objective,
    limit: Limit,
    seed: int,
    advance: Callable[[float, str], None],
    is_wanted: Callable[[Recipe], bool],
) -> list[tuple[Recipe, Score]]:
    """All wanted recipes that were evaluated, with their scores.

    `advance` is told the part that is over, and the worst.
    """
    rng = np.random.default_rng([seed, 15])
    tried: list[tuple[Recipe, Score]] = []
    refusals, started = 0, time.monotonic()
    while (share := limit.share(len(tried), started)) < 1:
        recipe = random_recipe(rng) if share < RANDOM_SHARE or not tried else mutated(_start(tried, rng), rng)
        columns = columns_named(policy.reads)
        if not (columns.by_parents or columns.counts_factors):  # what it cannot read its rivals are not told either
            recipe = replace(recipe, reveal=False)
        score = scored(policy, recipe, objective, seed) if is_wanted(recipe) else None
        if score is None:
            refusals += 1
            if refusals >= REFUSALS and not tried:
                raise InputError(
                    f"{policy.label} refuses {REFUSALS} random problems in a row; let it accept more problems."
                )
            continue
        tried.append((recipe, score))
        worst = max(score.severity for _, score in tried)
        advance(min(1.0, limit.share(len(tried), started)), f"{len(tried)} worlds, severity {worst:.2f}")
    return tried


def _start(tried: list[tuple[Recipe, Score]], rng: np.random.Generator) -> Recipe:
    """One of the worst recipes: by severity in two of three cases, by how fast regret grows in the third."""
    by_growth = rng.uniform() < 1 / 3
    order = sorted(tried, key=lambda each: -(each[1].excess_growth if by_growth else _badness(each)))
    return order[min(int(rng.geometric(0.3)) - 1, ELITE - 1, len(order) - 1)][0]


def _badness(each: tuple[Recipe, Score]) -> float:
    """Severity; where no rival played, the loss. A budget that is too small to be judged counts half."""
    recipe, score = each
    return (score.severity or score.loss / 1000) * (1.0 if recipe.is_judged else 0.5)
