"""What a trial that nobody tells does to the others, for every policy."""

from __future__ import annotations

import threading
import time
import uuid
from pathlib import Path

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.policies.registry import policies_by_kind

LIBRARY = sorted(kind for kind, policy in policies_by_kind().items() if policy.__module__.startswith("causalbandits."))
WAITING = {"c-ucb-2", "crm-nb", "f-kube", "gamma-nb", "kube", "nb-costs", "pb", "successive-rejects", "ucb"}
WORLD = cb.worlds.parallel(p=[0.3] * 3, epsilon=0.2)
PROBLEMS = (
    WORLD.problem(budget=90, cost=2),
    WORLD.problem(budget=60, cost=1),
    WORLD.problem(horizon=60),
    WORLD.problem(budget=60, cost=1, reveal_parents=True),
    WORLD.problem(horizon=60, reveal_parents=True),
    cb.worlds.confounded_chain().problem(horizon=60, reveal_parents=True),
)


def problem_for(kind: str) -> cb.Problem:
    for problem in PROBLEMS:
        try:
            cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "tried", problem, kind)
        except cb.InputError:
            continue
        return problem
    raise AssertionError(f"there is no problem for {kind}")


def ends_early(kind: str, lost: int) -> bool:
    """Whether the policy stops for a trial that is never told, with money left."""
    problem = problem_for(kind)
    experiment = cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "shop", problem, kind)
    seen = [v for v in problem.graph.variables if v.name != problem.reward.variable and not v.hidden]
    rng = np.random.default_rng(1)
    try:
        for number in range(1000):
            trial = experiment.ask()
            if number != lost:
                values = {v.name: str(rng.choice(v.values)) for v in seen} | dict(trial.intervention)
                experiment.tell(trial.number, int(rng.random() < 0.5), values)
    except cb.NothingYet:
        return True
    except cb.BudgetExhausted:
        return False
    raise AssertionError("the budget has an end")


@pytest.mark.parametrize("kind", LIBRARY)
def test_a_lost_trial_stops_the_policies_that_are_said_to_wait_and_no_other(kind: str) -> None:
    assert any(ends_early(kind, lost) for lost in (0, 2, 15)) == (kind in WAITING)


def test_the_page_on_live_experiments_names_the_policies_that_wait() -> None:
    text = (Path(__file__).parents[2] / "docs" / "live.md").read_text()
    crashes = text[text.index("**Crashes.**") :]
    waits = crashes[crashes.index("The papers' policies wait") : crashes.index("They raise `NothingYet`")]
    assert {kind for kind in LIBRARY if f"`{kind}`" in waits} == WAITING


def test_an_ask_can_wait_until_something_is_told(memory: str) -> None:
    experiment = cb.Experiment.create(memory, "shop", problem_for("ucb"), "ucb")
    pending = [experiment.ask() for _ in experiment.problem.arms]
    with pytest.raises(cb.NothingYet):
        experiment.ask()
    values = {v.name: "0" for v in WORLD.graph.variables if v.name != experiment.problem.reward.variable}

    def tell_all() -> None:
        time.sleep(0.3)
        for trial in pending:
            experiment.tell(trial.number, 1, values | dict(trial.intervention))

    teller = threading.Thread(target=tell_all)
    teller.start()
    assert experiment.ask(wait=20).status == "pending"
    teller.join()


def test_an_ask_that_waited_long_enough_says_so(memory: str) -> None:
    experiment = cb.Experiment.create(memory, "shop", problem_for("ucb"), "ucb")
    for _ in experiment.problem.arms:
        experiment.ask(wait=0.4)
    start = time.monotonic()
    with pytest.raises(cb.NothingYet):
        experiment.ask(wait=0.4)
    assert time.monotonic() - start > 0.4
    with pytest.raises(cb.InputError, match="wait must be at least 0"):
        experiment.ask(wait=-1)
