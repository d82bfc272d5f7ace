"""Outcomes: they mean the same in Python, as JSON, in a CSV file and on the command line."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.live import Experiment


def begun(values: tuple[str, ...], success: str | None, **options: Any) -> Experiment:
    graph = cb.Graph(
        (cb.Variable("X", ("false", "true")), cb.Variable("Z", ("0", "1", "2")), cb.Variable("Y", values, ("X", "Z")))
    )
    problem = cb.Problem(graph, "Y", success=success, budget=50, **options)
    return cb.Experiment.create(f"memory:{uuid.uuid4().hex}", "outcomes", problem, policy="obs")


@pytest.mark.parametrize(
    ("reward_value", "counts"), [("0", 1.0), (0, 1.0), (0.0, 1.0), (np.int64(0), 1.0), ("1", 0.0), (1, 0.0), (1.0, 0.0)]
)
def test_a_reward_whose_success_is_0_counts_the_same_from_every_source(reward_value: Any, counts: float) -> None:
    """Y is churn, and that nobody leaves is the success."""
    exp = begun(("0", "1"), "0")
    exp.import_observations([{"X": "true", "Z": 0, "Y": reward_value}])
    assert exp.status().arms[0].mean == counts
    trial = exp.ask()
    with pytest.raises(cb.InputError, match=r"may also mean Y=[01], which counts as [01]; tell Y among the values"):
        exp.tell(trial.number, reward=reward_value, values={"X": "true", "Z": 0})
    exp.tell(trial.number, values={"X": "true", "Z": 0, "Y": reward_value})
    assert exp.status().arms[0].mean == counts


@pytest.mark.parametrize("reward_value", [1, 1.0, "1", True, "yes"])
def test_1_is_the_success_by_default(reward_value: Any) -> None:
    exp = begun(("no", "yes"), "yes")
    exp.tell(exp.ask().number, reward=reward_value, values={"X": "true", "Z": 0})
    exp.import_observations([{"X": "true", "Z": 0, "Y": reward_value}])
    assert exp.status().arms[0].mean == 1.0


def test_truth_values_and_whole_floats_are_the_values_that_the_file_names() -> None:
    """TOML's and JSON's true is the value "true"; a column of numbers with a gap comes as floats."""
    exp = begun(("false", "true"), "false")
    trial = exp.ask()
    exp.tell(trial.number, values={"X": True, "Z": 2.0, "Y": False})
    exp.tell(trial.number, values={"X": "true", "Z": "2", "Y": "false"})  # the same
    assert exp.history()[-1]["rows"] == [{"reward": 1.0, "values": {"X": "true", "Z": "2"}}]
    with pytest.raises(cb.InputError, match="may also mean Y=true, which counts as 0"):
        exp.tell(exp.ask().number, reward=True, values={"X": True, "Z": 2.0})
    with pytest.raises(cb.InputError, match=r"no value of Z '2\.5'"):
        exp.tell(2, values={"X": True, "Z": 2.5, "Y": False})
    with pytest.raises(cb.InputError, match="no value of Z 'True'"):
        exp.tell(2, values={"X": True, "Z": True, "Y": False})


def test_minus_zero_is_zero() -> None:
    exp = begun((), None, bounds=(-1, 1))
    trial = exp.ask()
    exp.tell(trial.number, reward=-0.0, values={"X": "true", "Z": "2"})
    assert exp.tell(trial.number, reward=0, values={"X": "true", "Z": "2"}).status == "told"


@pytest.mark.parametrize("rows", [5, "abc", {"reward": 1}])
def test_rows_that_are_not_a_list_are_refused(rows: Any) -> None:
    exp = begun(("no", "yes"), "yes")
    number = exp.ask().number
    for call in (lambda: exp.tell(number, rows=rows), lambda: exp.import_observations(rows)):
        with pytest.raises(cb.InputError, match="The rows must be a list with a mapping for each round"):
            call()


def test_the_row_with_a_mistake_is_named() -> None:
    exp = begun(("no", "yes"), "yes")
    right = {"X": "true", "Z": 0, "Y": "yes"}
    with pytest.raises(cb.InputError, match=r"^Row 3: There is no value of Z '7'"):
        exp.import_observations([right, right, {**right, "Z": 7}])
    trial = exp.ask(count=2)
    with pytest.raises(cb.InputError, match=r"^Row 2: The values of do\(\) must show X"):
        exp.tell(trial.number, rows=[{"values": right}, {"reward": 1}])
    with pytest.raises(cb.InputError, match=r"^There is no value of Z"):
        exp.import_observations([{**right, "Z": 7}])
