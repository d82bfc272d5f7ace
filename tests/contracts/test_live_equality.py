"""Live equals simulated, for every policy.

An experiment is told the outcomes of a simulated run. It must ask for the same arms, one after the other.
"""

from __future__ import annotations

import uuid

import numpy as np
import pytest

import causalbandits as cb

from .cases import Case, random_case

KINDS = sorted(cb.policies.REGISTRY)


def row(trace: cb.Trace, r: int) -> dict[str, object]:
    return {"reward": float(trace.rewards[r]), "values": {name: str(values[r]) for name, values in trace.shown.items()}}


def replayed(url: str, case: Case, seed: int, restart_every: int, most: int) -> tuple[list[int], cb.Experiment]:
    """The arms that an experiment asks for, while it is told the rounds of a trace.

    A trial has up to `most` rounds.
    """
    trace = cb.trace(case.world, case.problem, case.policy, seed=seed)
    exp = cb.Experiment.create(url, "replay", case.problem, policy=case.policy, seed=seed)
    rng, arms, calls = np.random.default_rng(seed), [], 0
    while len(arms) < len(trace):
        trial = exp.ask(count=int(rng.integers(1, most + 1)))
        rows = [row(trace, r) for r in range(len(arms), len(arms) + trial.rounds)]
        assert len(rows) == trial.rounds
        arms += [case.problem.arm(trial.intervention)] * trial.rounds
        assert arms == trace.arms[: len(arms)].tolist()  # before it is told what another arm showed
        exp.tell(trial.number, rows=rows)
        calls += 1
        if calls % restart_every == 0:
            exp = cb.Experiment.open(url, "replay")
    assert case.problem.arm(exp.recommend().intervention) == trace.recommended
    assert exp.status().left == pytest.approx(trace.left_over, abs=1e-9)
    with pytest.raises(cb.BudgetExhausted) as exhausted:
        exp.ask()
    assert exhausted.value.recommendation.intervention == exp.recommend().intervention
    return arms, exp


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_an_experiment_that_is_told_a_trace_asks_for_its_arms(kind: str, seed: int) -> None:
    case = random_case(kind, 900 + seed)
    alone, _ = replayed(f"memory:{uuid.uuid4().hex}", case, seed, restart_every=10**9, most=1)
    restarted, exp = replayed(f"memory:{uuid.uuid4().hex}", case, seed, restart_every=3, most=7)
    assert alone == restarted
    pulls = [estimate.pulls for estimate in exp.status().arms]
    assert pulls == np.bincount(alone, minlength=len(case.problem.arms)).tolist()


@pytest.mark.slow
def test_every_storage_gives_the_same_arms_also_to_a_new_learner(url: str) -> None:
    world = cb.worlds.marketing()
    case = Case(world, world.problem(budget=80, cost="1.3"), cb.CRMNB())
    assert len(replayed(url, case, 7, restart_every=4, most=3)[0]) > 50


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
