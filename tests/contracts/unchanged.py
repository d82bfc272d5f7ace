"""What must stay the same when the code is rearranged: the choices of every policy, and the paper's findings.

After a change that is meant to change results, `python -m tests.contracts.unchanged` records them anew. With the names
of policies behind it, the choices of these alone are recorded anew, and nothing else: the slow part is left out.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import causalbandits as cb

RECORD = Path(__file__).with_name("unchanged.json")
RUNS, SEED = 25, 11


def situations() -> Iterator[tuple[str, cb.World, cb.Problem]]:
    """A dozen worlds, each with a problem: name, world, problem."""
    rare = cb.worlds.parallel(p=[0.02, 0.02] + [0.5] * 23, epsilon=0.3)
    yield "rare pair", rare, rare.problem(budget=1200, cost=15)
    cheap = cb.worlds.parallel(p=[0.5] * 10, epsilon=0.3)
    yield "cheap interventions", cheap, cheap.problem(budget=900, cost="1.1")
    yield "prices per arm", cheap, cheap.problem(budget="333.3", cost=[1, *(f"{1 + 0.1 * a:.1f}" for a in range(20))])
    yield "nothing to watch", cheap, cheap.problem(horizon=700, observe=False)
    chain = cb.worlds.confounded_chain()
    yield "Experiment 4", chain, chain.problem(horizon=300, observe=False, reveal_parents=True)
    yield "Experiment 4, watched", chain, chain.problem(budget=250, cost="1.7", reveal_parents=True)
    shop = cb.worlds.marketing()
    yield (
        "shop",
        shop,
        shop.problem(budget=600, cost={"Image": 2, "Description": 1, "Comparison": 3, "Promotion": "5.5"}),
    )
    several = ["do(Image=large, Promotion=yes)", "do(Image=small, Comparison=none)", "Description"]
    yield "several variables per arm", shop, shop.problem(budget=500, cost=2, arms=several)
    for name, options in _RANDOM.items():
        world = cb.worlds.random_world(np.random.default_rng(len(name)), **options)
        yield name, world, world.problem(budget=400, cost=2, reveal_parents="hidden" not in name)


_RANDOM: dict[str, dict[str, Any]] = {
    "random": {"variables": 5, "parents": 2},
    "random, many values": {"variables": 4, "values": (3, 5), "parents": 2},
    "random, hidden causes": {"variables": 6, "hidden": 2},
    "random, bounded reward": {"variables": 4, "parents": 2, "reward": ("-1", "0", "2.5")},
}


def choices(world: cb.World, problem: cb.Problem, kind: str) -> str | None:
    """A hash of what a policy did in every run, or None where it refuses the problem."""
    money = (
        problem.horizon if problem.horizon is not None else cb.simulate(world, problem, "ucb", runs=1).checkpoints[-1]
    )
    try:
        result = cb.simulate(
            world, problem, kind, runs=RUNS, seed=SEED, checkpoints=[int(money) // 3, int(money)], progress=False
        )
    except cb.InputError:
        return None
    everything = (
        result.pulls[kind],
        result.recommended[kind],
        np.round(result.left_over[kind] * 10**6).astype(np.int64),
    )
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in everything)).hexdigest()[:16]


def all_choices(kinds: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """By situation and policy."""
    return {name: {kind: choices(world, problem, kind) for kind in kinds} for name, world, problem in situations()}


def findings(folder: Path) -> dict[str, Any]:
    """By claim of the paper, from a short run: verdict, and by point what was found and its numbers."""
    command = [sys.executable, "-m", "causalbandits", "paper", "--runs", "20", "--seed", "3", "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    claims = json.loads((folder / "claims.json").read_text())
    return {claim["id"]: [claim["verdict"], *map(_numbers, claim["evidence"]["points"])] for claim in claims}


def _numbers(point: Mapping[str, Any]) -> list[Any]:
    values = point.get("values", {}).values()
    return [point.get("finding"), *(float(f"{value:.9g}") for value in values if value is not None)]


def record_anew(kinds: Sequence[str]) -> None:
    """Record the choices of these policies; without names all choices, and the findings."""
    if kinds:
        record = json.loads(RECORD.read_text())
        for kind in kinds:
            cb.policies.policy_named(kind)  # refuses a name that no policy has
        for name, by_kind in all_choices(kinds).items():
            record["choices"][name] = dict(sorted({**record["choices"][name], **by_kind}.items()))
    else:
        with tempfile.TemporaryDirectory() as folder:
            record = {
                "choices": all_choices(sorted(cb.policies.REGISTRY)),
                "findings": findings(Path(folder) / "report"),
            }
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    record_anew(sys.argv[1:])
