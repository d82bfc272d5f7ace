"""Random worlds without backdoor paths, and what is claimed of a policy in them, on average and world by world."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from .. import worlds
from ..problem import Problem
from ..studies.claims import Claim, Every, Never
from ..studies.contrasts import Curve, NotMuchWorse, OnAverage
from ..studies.study import Axis, Data
from ..world import World

NUMBERS = range(1, 101)
AXIS = Axis("world", "random worlds")
SHARES = [i / 20 for i in range(1, 21)]
FACTOR, SLACK = 1.5, 0.01  # no world where it is worse than the best of the paper's by this factor, nor by this much


@cache
def random_world(number: float) -> tuple[World, Problem]:
    """3 to 30 variables of 2 to 4 values, of which the reward depends on up to four; costs of 1 to 20 and budgets of 1 to 100 times what
    every arm once costs, both uniform in their logarithm. A number names the same world always."""
    rng = np.random.default_rng([2026, int(number)])
    variables = int(rng.integers(3, 31))
    world = worlds.random_world(
        rng, variables=variables, values=(2, 4), parents=int(rng.integers(1, min(variables, 4) + 1)), backdoors=False
    )
    arms = len(world.problem(horizon=1).arms)
    costs = [1.0, *np.round(np.exp(rng.uniform(0, math.log(20), arms - 1)), 2)]
    budget = math.ceil(100 * sum(costs) * 10 ** rng.uniform(0, 2)) / 100
    return world, world.problem(budget=budget, cost=costs)


def worlds_claims(study: str, ours: str, others: list[str], letter: str, what: str) -> list[Claim]:
    one, rest = Curve(study, ours), [Curve(study, other) for other in others]
    return [
        Claim(
            f"{letter}1",
            f"On average over the worlds {ours} has a lower {what} than each of {', '.join(others)}.",
            Every([OnAverage(one, other) for other in rest]),
        ),
        Claim(
            f"{letter}2",
            f"In no world is {ours}'s {what} more than {FACTOR:g} times that of the best of them and by more than {SLACK:g} above it.",
            Never([NotMuchWorse(one, rest, FACTOR, SLACK)]),
        ),
    ]


def shows_worlds(study: str, ours: list[str], what: str) -> Callable[[Data], list[str]]:
    def shows(data: Data) -> list[str]:
        curves = data[study]
        means = {label: curves.means(label) for label in curves.samples[curves.study.measures[0].name]}
        told = "; ".join(
            f"{label}: mean {values.mean():.4f}, worst world {values.max():.3f}" for label, values in means.items()
        )
        theirs = np.min([values for label, values in means.items() if label not in ours], axis=0)
        won = ", ".join(f"{label} in {(means[label] <= theirs).mean():.0%}" for label in ours)
        return [
            f"{what} over the {len(NUMBERS)} worlds. {told}.",
            f"At most that of the best of the paper's policies there: {won} of the worlds.",
        ]

    return shows
