"""The best constant of every policy on worlds that no claim uses: `python -m benchmarks.tuning`.

Each policy has one constant, and all have the same grids, worlds and runs. The constant with the least mean loss wins.
The winners are written to src/causalbandits/comparison/tuned.json, where `causalbandits compare` finds them.
`--show` prints the losses of every constant and writes nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import causalbandits as cb
from causalbandits.comparison import tuned
from causalbandits.comparison.worlds import random_world
from causalbandits.papers.nair2021 import settings as nair2021
from causalbandits.regret import best_reward

SEED, RUNS = 77, 10
EXPLORATION = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8)
SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)
Setting = tuple[cb.World, cb.Problem]
EARN = ("crm-nb", "f-kube", "ucb", "kl-ucb", "thompson", "causal-kl", "causal-ts", "causal-ucb-learned")
POLICIES: dict[str, tuple[str, ...]] = {
    "experiment-3": EARN[:-1],  # causal-ucb-learned cannot count 2^50 configurations
    "random": EARN,
    "tables": ("c-ucb", "causal-ucb"),
    "experiments-1-2": ("gamma-nb",),
    "random-find": ("gamma-nb",),
}


def training(name: str) -> Iterator[Setting]:
    """The training worlds of a family. Their sizes, probabilities and budgets are drawn, and no claim uses them."""
    for number in range(20):
        rng = np.random.default_rng([number, 15])
        variables, rare = int(rng.integers(30, 61)), float(np.exp(rng.uniform(np.log(0.01), np.log(0.04))))
        world = nair2021.rare_pair(round(rare, 4), round(float(rng.uniform(0.25, 0.5)), 2), variables)
        if name == "experiment-3" and number < 10:
            budget, gamma = int(10 ** rng.uniform(3.7, 4.3)), round(float(rng.choice([1, 1.1, 1.5, 2, 3])) + 0.01, 2)
            yield world, world.problem(budget=budget, cost=gamma)
        elif name == "experiments-1-2":
            yield world, world.problem(budget=int(rng.integers(200, 3000)), cost=int(rng.integers(2, 76)))
        elif name in ("random", "random-find"):
            yield random_world(301 + number)
            yield random_world(321 + number)
        elif name == "tables":
            world, _ = nair2021.random_table(1001 + number)
            yield world, world.problem(horizon=1000, observe=False, reveal_parents=True)


def loss(policies: Sequence[cb.Policy], family: str, name: str) -> dict[str, float]:
    """The mean loss over the training worlds: simple regret to find, else regret per unit of the best reward."""
    losses: dict[str, list[float]] = {policy.label: [] for policy in policies}
    for world, problem in training(family):
        result = cb.simulate(world, problem, policies, runs=RUNS, seed=SEED, progress=False)
        best = best_reward(problem, result.means, problem.budget)
        for label, found in losses.items():
            regret = result.simple_regret[label] if name == "share" else result.cumulative_regret[label][:, -1] / best
            found.append(float(regret.mean()))
    return {label: float(np.mean(found)) for label, found in losses.items()}


def tune(family: str, kind: str) -> dict[str, float]:
    """The loss of every constant of a policy."""
    policy = cb.policies.REGISTRY[kind]
    name = "share" if kind == "gamma-nb" else "exploration"
    grid = SHARES if name == "share" else EXPLORATION
    candidates = [policy(**{name: value}, name=f"{value:g}") for value in grid]
    return loss(candidates, family, name)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="print the losses and write nothing")
    options = parser.parse_args()
    best: dict[str, dict[str, float]] = {}
    for family, kinds in POLICIES.items():
        for kind in kinds:
            losses = tune(family, kind)
            winner = min(losses, key=lambda value: losses[value])
            best.setdefault(family, {})[kind] = float(winner)
            print(
                f"{family}, {kind}: {winner}   { ({value: round(lost, 5) for value, lost in losses.items()}) }",
                flush=True,
            )
    if not options.show:
        Path(tuned.__file__).with_suffix(".json").write_text(json.dumps(best, indent=1) + "\n")


if __name__ == "__main__":
    main()
