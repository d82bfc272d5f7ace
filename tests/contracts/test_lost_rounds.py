"""Rounds that are lost, given up, told late or imported in between.

No policy stops while there is an arm that it wants and can pay for.
"""

from __future__ import annotations

import uuid

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.engine.streams import ASKS, start_stream
from causalbandits.live import Experiment, Trial

from .cases import Case, random_case

KINDS = sorted(cb.policies.REGISTRY)
GRAPH = cb.Graph((cb.Variable("X", ("0", "1")), cb.Variable("Z", ("0", "1")), cb.Variable("Y", ("0", "1"), ("X", "Z"))))
SEEN = {"X": "0", "Z": "0"}


def begun(problem: cb.Problem, policy: cb.Policy | str, **options: float) -> Experiment:
    return cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "lost", problem, policy=policy, **options)


def tell(exp: Experiment, trial: Trial) -> None:
    exp.tell(trial.number, rows=[{"reward": 1, "values": {**SEEN, **trial.intervention}}] * trial.rounds)


def finish(exp: Experiment) -> None:
    while True:
        tell(exp, exp.ask(count=1000))


def play(case: Case, seed: int) -> tuple[Experiment, str]:
    """An experiment that was played to its end, and the sentence that ended it.

    Workers lose some trials, give up others, and hold some back.
    """
    exp, rng, held = begun(case.problem, case.policy, seed=seed), np.random.default_rng(seed), []
    log = cb.trace(case.world, case.problem, case.policy, seed, 0).shown
    visible = {name: str(values[0]) for name, values in log.items() if name != case.problem.reward.variable}
    low = case.problem.reward.low
    while True:
        try:
            trial = exp.ask(count=int(rng.integers(1, 9)))
            held.append(trial)
        except cb.NothingYet:
            assert held, "nothing is pending, so there is nothing to wait for"
        except cb.BudgetExhausted as end:
            if not held:
                return exp, str(end)
        if held and (len(held) > 3 or rng.integers(0, 2) or exp.status().left < 1):
            trial = held.pop(int(rng.integers(len(held))))
            fate = rng.integers(0, 6)
            if fate == 0:
                exp.abandon(trial.number, spent=True)
            elif fate == 1 and trial.number < 300:
                exp.abandon(trial.number, spent=False)
            else:
                values = {**visible, **trial.intervention}
                exp.tell(trial.number, rows=[{"reward": low, "values": values}] * trial.rounds)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_ends_only_if_it_can_pay_for_no_arm_that_it_wants(kind: str, seed: int) -> None:
    case = random_case(kind, 700 + seed)
    exp, sentence = play(case, seed)
    learner, costs = exp._learner, np.array(case.problem.exact_costs)
    if learner.left < costs.min():
        assert "used up" in sentence
    elif (
        kind in {"gamma-nb", "pb", "nb-costs"}
        and learner.state.shown[0] >= learner.state.observations
        and not learner.state.only_watch
    ):
        assert not ((learner.state.plan > learner.state.pulls) & (costs <= learner.left)).any()
    elif kind in {
        "successive-rejects",
        "importance-sampling",
    }:  # they plan all rounds, and end where the next one cannot be paid
        start_stream(learner._rng, learner._keys, ASKS, np.int64(learner.asks))
        arm, count = case.policy.ask(learner.view, learner.state, learner.pending, np.int64(learner.left), learner._rng)
        assert count == 0 or costs[arm] > learner.left
    else:
        assert kind in {"gamma-nb", "pb", "obs", "nb-costs"}
        assert learner.left < costs[0]


@pytest.mark.parametrize("kind", ["crm-nb", "f-kube", "ucb"])
def test_a_lost_arm_that_became_too_expensive_does_not_end_the_experiment(kind: str) -> None:
    exp = begun(cb.Problem(GRAPH, "Y", budget=100, cost={"X": 1, "do(Z=0)": 1, "do(Z=1)": 60}), kind)
    trials = [exp.ask() for _ in range(5)]
    expensive = next(trial for trial in trials if trial.cost == 60)
    exp.abandon(expensive.number, spent=True)
    for trial in trials:
        if trial != expensive:
            tell(exp, trial)
    waiting = [exp.ask() for _ in range(30)]
    assert {trial.cost for trial in waiting} == {1.0}
    for trial in waiting:
        exp.abandon(trial.number, spent=False)
    assert exp.status().left == 36
    with pytest.raises(cb.BudgetExhausted, match="used up, 0 left"):
        finish(exp)


@pytest.mark.parametrize("kind", ["gamma-nb", "pb"])
def test_the_money_for_a_plan_that_can_no_longer_be_paid_is_shared_by_its_arms(kind: str) -> None:
    exp = begun(cb.Problem(GRAPH, "Y", budget=400, arms=["do(X=1)", "do(Z=1)"], cost={"X": 30, "Z": 10}), kind)
    tell(exp, exp.ask(count=1000))  # what is watched
    lost = exp.ask(count=1000)
    assert (lost.intervention, lost.rounds > 3) == ({"X": "1"}, True)
    exp.abandon(lost.number, spent=True)
    with pytest.raises(cb.BudgetExhausted):
        finish(exp)
    pulls = {str(arm.intervention): arm.pulls for arm in exp.status().arms}
    assert pulls["do(X=1)"] > 0
    assert pulls["do(Z=1)"] >= pulls["do(X=1)"] - 1
    assert pulls["do(Z=1)"] > 0
