"""An experiment that has begun, and whether it goes on after trouble."""

from __future__ import annotations

import pytest

import causalbandits as cb

from ..conftest import KINDS
from .audit import audit

IN_A_FILE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
ON_A_SERVER = pytest.mark.parametrize("url", KINDS[2:], indirect=True)
ON_DISK = pytest.mark.parametrize("url", KINDS[1:], indirect=True)
ROWS = [{"reward": 1, "values": {"Image": "large", "Description": "long", "Comparison": "none", "Promotion": "no"}}]


def begun(url: str) -> cb.Experiment:
    """An experiment with one trial told and one, the second, pending."""
    problem = cb.worlds.marketing().problem(budget=1000, cost=2)
    experiment = cb.Experiment.create(url, "checkout", problem, policy=cb.UCB())
    tell(experiment, experiment.ask().number)
    experiment.ask()
    return experiment


def tell(experiment: cb.Experiment, number: int) -> None:
    arm = next(trial.intervention for trial in experiment.status().pending if trial.number == number)
    experiment.tell(number, rows=[{**row, "values": {**row["values"], **arm}} for row in ROWS])


def goes_on(experiment: cb.Experiment, url: str) -> None:
    """The same object asks and tells again, and the books are right."""
    before = len(audit(url))
    tell(experiment, 2)
    tell(experiment, experiment.ask().number)
    assert [event["kind"] for event in audit(url)[before:]] == ["told", "asked", "told"]
