"""Random worlds without backdoor paths, and claims about a policy in them: on average, and world by world."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from .. import worlds
from ..problem import Problem
from ..studies.claims import Claim, Every, NotShown, Within
from ..studies.contrasts import Curve, NotMuchWorse, OnAverage
from ..studies.study import Axis, Data
from ..world import World

NUMBERS = range(1, 101)
AXIS = Axis("world", "random worlds")
SHARES = [i / 20 for i in range(1, 21)]
FACTOR, SLACK = 1.5, 0.02  # how much worse than the best of the paper's policies one of ours may be in any world
SMALL_SLACK = 0.01  # the same against another policy of ours
MARGIN = 1.05  # "not worse on average" means: by at most a twentieth


@cache
def random_world(number: float) -> tuple[World, Problem]:
    """A random world of 3 to 30 variables with 2 to 4 values each. The reward depends on one to four of them.

    Costs are 1 to 20. The budget is 1 to 100 times the cost of pulling every arm once. Both are uniform in their
    logarithm. The same number always gives the same world.
    """
    rng = np.random.default_rng([2026, int(number)])
    variables = int(rng.integers(3, 31))
    parents = int(rng.integers(1, min(variables, 4) + 1))
    world = worlds.random_world(rng, variables=variables, values=(2, 4), parents=parents, backdoors=False)
    arms = len(world.problem(horizon=1).arms)
    costs = [1.0, *np.round(np.exp(rng.uniform(0, math.log(20), arms - 1)), 2)]
    budget = math.ceil(100 * sum(costs) * 10 ** rng.uniform(0, 2)) / 100
    return world, world.problem(budget=budget, cost=costs)


def worlds_claims(study: str, ours: str, others: list[str], prefix: str, measure: str) -> list[Claim]:
    """Two claims about a policy of ours in random worlds: on average, and in every world."""
    one, rest = Curve(study, ours), [Curve(study, other) for other in others]
    return [
        Claim(
            f"{prefix}1",
            f"On average over the worlds {ours} has a lower {measure} than each of {', '.join(others)}.",
            Every([OnAverage(one, other) for other in rest]),
        ),
        Claim(
            f"{prefix}2",
            f"In no world is {ours}'s {measure} both more than {FACTOR:g} times that of the best of them "
            f"and more than {SLACK:g} above it.",
            Within([NotMuchWorse(one, rest, FACTOR, SLACK)]),
        ),
    ]


def as_good_claims(study: str, ours: str, other: str, prefix: str, measure: str, unit: str) -> list[Claim]:
    """Two more claims: a policy of ours is not worse than another one of ours, on average and in every world."""
    one, rest = Curve(study, ours), Curve(study, other)
    return [
        Claim(
            f"{prefix}3",
            f"On average over the worlds {ours}'s {measure} is at most {MARGIN:g} times {other}'s.",
            Every([OnAverage(one, rest, MARGIN)]),
        ),
        Claim(
            f"{prefix}4",
            f"In no world is it shown that {ours}'s {measure} is both more than {FACTOR:g} times {other}'s and more "
            f"than {unit} above it (3 standard errors).",
            NotShown([NotMuchWorse(one, [rest], FACTOR, SMALL_SLACK)]),
        ),
    ]


def describe_worlds(study: str, ours: list[str], measure: str) -> Callable[[Data], list[str]]:
    def describe(data: Data) -> list[str]:
        curves = data[study]
        means = {label: curves.means(label) for label in curves.samples[curves.study.measures[0].name]}
        regrets = "; ".join(
            f"{label}: mean {values.mean():.4f}, worst world {values.max():.3f}" for label, values in means.items()
        )
        best_of_theirs = np.min([values for label, values in means.items() if label not in ours], axis=0)
        won = ", ".join(f"{label} in {(means[label] <= best_of_theirs).mean():.0%}" for label in ours)
        return [
            f"{measure} over the {len(NUMBERS)} worlds. {regrets}.",
            f"As good as the best of the paper's policies there, or better: {won} of the worlds.",
        ]

    return describe
