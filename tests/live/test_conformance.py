"""One suite for all storages: what ask, tell and abandon promise."""

from __future__ import annotations

import causalbandits as cb


def shop(url: str, **options: object) -> cb.Experiment:
    problem = cb.worlds.marketing().problem(budget=60, cost=2)
    return cb.Experiment.create(url, "checkout", problem, policy=cb.CRMNB(), seed=7, **options)  # type: ignore[arg-type]


def test_an_ask_reserves_and_a_tell_spends(url: str) -> None:
    exp = shop(url)
    trial = exp.ask(worker="web-3", request_id="visit-1")
    assert (trial.number, trial.status, trial.worker, trial.request_id, trial.rounds) == (1, "pending", "web-3", "visit-1", 1)
    before = exp.status()
    assert (before.spent, before.reserved, before.left) == (0.0, trial.cost, 60.0 - trial.cost)
