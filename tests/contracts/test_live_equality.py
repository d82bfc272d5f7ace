"""Live equals simulated: an experiment that is told the rounds of a simulated run makes the same choices."""

from __future__ import annotations

import uuid

import pytest

import causalbandits as cb
from causalbandits.testing.elsewhere import check_live, replay

from .cases import Case, random_case

KINDS = sorted(cb.policies.REGISTRY)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
@pytest.mark.parametrize("kind", KINDS)
def test_an_experiment_fed_with_a_trace_gives_it_back(kind: str, seed: int) -> None:
    check_live(random_case(kind, 900 + seed))


@pytest.mark.slow
def test_on_disk_too_and_from_a_fresh_learner_every_few_rounds(url: str) -> None:
    world = cb.worlds.marketing()
    case = Case(world, world.problem(budget=80, cost="1.3"), cb.CRMNB(), seed=7)
    experiment = replay(case, url, most=3, open_again_every=4)
    assert sum(arm.pulls for arm in experiment.status().arms) > 50


def test_another_seed_gives_other_choices() -> None:
    """So that the tests above could fail: ties are broken by the seed."""
    world = cb.worlds.marketing()
    problem = world.problem(budget=80, cost="1.3")
    first = {cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "x", problem, policy=cb.UCB(), seed=s) for s in (1, 2)}
    orders = []
    for exp in first:
        chosen = []
        for _ in range(40):
            trial = exp.ask()
            chosen.append(str(trial.intervention))
            exp.tell(
                trial.number,
                reward=0,
                values={v.name: v.values[0] for v in world.graph.variables if not v.hidden and v.name != "Purchase"}
                | dict(trial.intervention),
            )
        orders.append(chosen)
    assert orders[0] != orders[1]
