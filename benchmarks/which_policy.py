"""Which policy in which kind of problem: the figures behind `cb.recommend_policy`, as in docs/policies.md. Run: python -m benchmarks.which_policy

A row is a kind of problem, a figure the mean of a policy's regret over random worlds of a kind: simple regret to find, cumulative regret to earn. All
policies of a row meet the same worlds and the same luck; the best one is marked. It takes some ten minutes on two cores.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import causalbandits as cb
from causalbandits.policies.checks import accept

POLICIES = {
    "find": [
        "top-two",
        "causal-ucb",
        "causal-ucb-learned",
        "c-ts",
        "importance-sampling",
        "causal-kl",
        "gamma-nb",
        "successive-rejects",
    ],
    "earn": ["causal-kl", "causal-ts", "causal-ucb", "causal-ucb-learned", "c-ts", "crm-nb"],
}
SEED = 1


@dataclass(frozen=True)
class Family:
    """Random worlds of a kind; `backdoors` says whether causes have causes."""

    name: str
    worlds: list[cb.World]
    runs: int
    budgets: tuple[int, ...]
    costs: tuple[float, ...]
    watched: tuple[bool, ...]
    revealed: tuple[bool, ...]


def small(seed: int, backdoors: bool) -> cb.World:
    """8 variables of 2 or 3 values; the reward has 3 parents with 8 to 27 configurations."""
    return cb.worlds.random_world(np.random.default_rng(seed), variables=8, backdoors=backdoors)


def many_causes(seed: int, backdoors: bool, causes: int) -> cb.World:
    """12 variables of 2 values; the log odds of the reward are a sum over its causes, with a noise of their own for each configuration."""
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
    paper = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 48, epsilon=0.3)
    yield Family("50 causes, one matters", [paper], 40, (3000, 30_000), (1, 1.1, 3), both, (False,))


def row(family: Family, objective: str, budget: int, options: dict[str, Any]) -> dict[str, float]:
    """The mean regret of every policy that takes these problems."""
    found: dict[str, list[float]] = {}
    for world in family.worlds:
        problem = world.problem(budget=budget, **options)
        kinds = [kind for kind in POLICIES[objective] if kind in cb.policies.REGISTRY and is_taken(kind, problem)]
        for label, one in (
            cb.simulate(world, problem, kinds, runs=family.runs, seed=SEED, progress=False).summary().items()
        ):
            found.setdefault(label, []).append(
                (one.simple_regret if objective == "find" else one.cumulative_regret).mean
            )
    return {kind: float(np.mean(each)) for kind, each in found.items() if len(each) == len(family.worlds)}


def is_taken(kind: str, problem: cb.Problem) -> bool:
    try:
        accept(cb.policies.policy_named(kind)(), problem)
    except cb.InputError:
        return False
    return True


def rows(objective: str) -> Iterator[tuple[str, dict[str, float]]]:
    for family in families():
        for revealed in family.revealed:
            for watched in family.watched:
                for cost in family.costs:
                    for budget in family.budgets:
                        title = f"{family.name}{'' if watched else ', not watched'}{', revealed' if revealed else ''}, cost {cost}, budget {budget}"
                        yield (
                            title,
                            row(
                                family,
                                objective,
                                budget,
                                {"cost": cost, "observe": watched, "reveal_parents": revealed},
                            ),
                        )


def main(objectives: list[str]) -> None:
    for objective in objectives or list(POLICIES):
        kinds = [kind for kind in POLICIES[objective] if kind in cb.policies.REGISTRY]
        print(f"\n| to {objective} | {' | '.join(kinds)} |\n|{'---|' * (len(kinds) + 1)}")
        for title, means in rows(objective):
            best = min(means.values())
            said = [
                "" if kind not in means else f"**{means[kind]:.3g}**" if means[kind] == best else f"{means[kind]:.3g}"
                for kind in kinds
            ]
            print(f"| {title} | {' | '.join(said)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
