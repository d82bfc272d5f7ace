"""Which policy in which kind of problem: the figures behind `cb.recommend_policy`, as in docs/policies.md.

Run: python -m benchmarks.which_policy [find|earn ...] [--policies KIND ...]

A row is a kind of problem. A figure is the mean regret of a policy over random worlds of that kind: simple regret to
find, cumulative regret to earn. All policies of a row meet the same worlds and the same random events. The best one is
marked. Every registered policy takes part, unless some are named, with the parameters that suit the objective.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import causalbandits as cb

from .registered import playable

OBJECTIVES = ("find", "earn")
SEED = 1
PARAMETERS: dict[tuple[str, str], dict[str, Any]] = {  # that suit the objective better than the defaults
    ("causal-ucb", "find"): {"per_cost": False},
    ("causal-ucb-learned", "find"): {"per_cost": False},
}


@dataclass(frozen=True)
class Family:
    """Random worlds of one kind, and the problems to pose in them."""

    name: str
    worlds: list[cb.World]
    runs: int
    budgets: tuple[int, ...]
    costs: tuple[float, ...]
    watched: tuple[bool, ...]
    revealed: tuple[bool, ...]


def small(seed: int, backdoors: bool, hidden: int = 0) -> cb.World:
    """8 variables with 2 or 3 values each. The reward has 3 parents with 8 to 27 configurations."""
    return cb.worlds.random_world(np.random.default_rng(seed), variables=8, backdoors=backdoors, hidden=hidden)


def many_causes(seed: int, backdoors: bool, causes: int) -> cb.World:
    """12 variables with 2 values each.

    The log odds of the reward are a sum over its causes, plus noise for each configuration.
    """
    world = cb.worlds.random_world(np.random.default_rng(seed), variables=12, values=(2, 2), backdoors=backdoors)
    rng = np.random.default_rng(1000 + seed)
    names = [f"V{i + 1}" for i in sorted(rng.choice(12, causes, replace=False).tolist())]
    weights = rng.normal(size=causes)
    odds = weights @ (np.indices((2,) * causes).reshape(causes, -1) * 2 - 1) + 0.5 * rng.normal(size=2**causes)
    chance = 1 / (1 + np.exp(-odds))
    table = np.stack([1 - chance, chance], -1).reshape(*(2,) * causes, 2)
    nodes = [node for node in world.nodes if node.variable.name != "Y"]
    return cb.World([*nodes, cb.node("Y", ["0", "1"], given=names, table=table)], reward="Y")


def families() -> Iterator[Family]:
    """All kinds of worlds. 64 configurations are few for 25 arms, 2048 are many."""
    both = (False, True)
    for backdoors in both:
        path = "backdoor paths" if backdoors else "no backdoor path"
        yield Family(
            path,
            [small(seed, backdoors) for seed in range(40)],
            25,
            (300, 3000),
            (1, 3),
            both if backdoors else (True,),
            both,
        )
        for causes in (8, 11):
            worlds = [many_causes(seed, backdoors, causes) for seed in range(12)]
            yield Family(f"{path}, {2**causes} configurations", worlds, 10, (300, 2000), (1,), (True,), (True,))
        for causes in (6, 8, 11):
            worlds = [many_causes(seed, backdoors, causes) for seed in range(12)]
            yield Family(f"{path}, {2**causes} configurations", worlds, 10, (2000,), (1, 3), (True,), (False,))
    for hidden in (1, 2):
        worlds = [small(seed, True, hidden) for seed in range(40)]
        yield Family(f"{hidden} of 8 variables hidden", worlds, 25, (300, 3000), (1, 3), both, (False,))
    paper = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    yield Family("50 causes, one matters", [paper], 40, (3000, 30_000), (1, 1.1, 3), both, (False,))


def row(
    family: Family, objective: str, budget: int, options: dict[str, Any], wanted: Sequence[str]
) -> dict[str, float]:
    """The mean regret of every policy that accepts these problems."""
    regrets: dict[str, list[float]] = {}
    for world in family.worlds:
        problem = world.problem(budget=budget, **options)
        kinds = playable(problem, wanted)
        if not kinds:
            return {}
        policies = [cb.policies.REGISTRY[kind](**PARAMETERS.get((kind, objective), {}), name=kind) for kind in kinds]
        result = cb.simulate(world, problem, policies, runs=family.runs, seed=SEED, progress=False)
        for kind, summary in result.summary().items():
            regret = summary.simple_regret if objective == "find" else summary.cumulative_regret
            regrets.setdefault(kind, []).append(regret.mean)
    return {kind: float(np.mean(means)) for kind, means in regrets.items() if len(means) == len(family.worlds)}


def rows(objective: str, wanted: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    for family in families():
        cases = itertools.product(family.revealed, family.watched, family.costs, family.budgets)
        for revealed, watched, cost, budget in cases:
            title = family.name + ("" if watched else ", not watched") + (", revealed" if revealed else "")
            options = {"cost": cost, "observe": watched, "reveal_parents": revealed}
            yield f"{title}, cost {cost}, budget {budget}", row(family, objective, budget, options, wanted)


def cell(kind: str, means: dict[str, float]) -> str:
    """The figure of a policy, in bold if it is the best; empty if the policy does not accept the problems."""
    if kind not in means:
        return ""
    return f"**{means[kind]:.3g}**" if means[kind] == min(means.values()) else f"{means[kind]:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.which_policy", description=__doc__.splitlines()[0])
    parser.add_argument("objectives", nargs="*", metavar="objective", help=f"only these: {', '.join(OBJECTIVES)}")
    parser.add_argument("--policies", nargs="+", default=[], metavar="KIND", help="only these policies")
    options = parser.parse_args()
    kinds = options.policies or list(cb.policies.REGISTRY)
    for objective in options.objectives or OBJECTIVES:
        print(f"\n| to {objective} | {' | '.join(kinds)} |\n|{'---|' * (len(kinds) + 1)}")
        for title, means in rows(objective, options.policies):
            print(f"| {title} | {' | '.join(cell(kind, means) for kind in kinds)} |", flush=True)


if __name__ == "__main__":
    main()
