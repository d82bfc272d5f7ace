"""Outcomes of rounds: check what a user tells, and count it in the tally that a policy reads."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, unknown
from ..intervention import OBSERVATION, Intervention
from ..policies.columns import ARMS, Columns
from ..problem import Problem

LARGEST = 1e15  # the largest number that may be told; sums and squares of such numbers stay finite


DO = "do"  # the key of a logged row that says what was set in it, unless a variable has this name


class Outcome(NamedTuple):
    """The outcome of one round: the reward as a number, and the values that were seen."""

    reward: float
    values: Mapping[str, str]
    do: Intervention = OBSERVATION  # what was set in a logged round


class Counter:
    """Counts outcomes in one kind of tally."""

    def __init__(self, problem: Problem, columns: Columns) -> None:
        self.problem, self.columns = problem, columns
        self._places = {variable.name: i for i, variable in enumerate(problem.graph.variables)}
        self._numbers = {v.name: {value: n for n, value in enumerate(v.values)} for v in problem.graph.variables}
        self._layout = columns.layout(problem, self._places)

    def count(self, arm: int, outcomes: Sequence[Outcome]) -> Any:
        """The tally of some rounds of an arm."""
        return self._count(self._layout, arm, outcomes)

    def count_other(self, intervention: Intervention, outcomes: Sequence[Outcome]) -> Any:
        """The tally of some rounds of an intervention that is no arm."""
        return self._count(self.columns.layout_of_other(self.problem, self._places, intervention), 0, outcomes)

    def _count(self, layout: Any, arm: int, outcomes: Sequence[Outcome]) -> Any:
        tally = self.columns.tally(self.problem)
        tally.rounds = len(outcomes)
        values = [-1] * len(self._places)
        for outcome in outcomes:
            tally.reward += outcome.reward
            for name, place in self._places.items():
                values[place] = self._numbers[name].get(outcome.values.get(name, ""), -1)
            self.columns.add(layout, tally, arm, values, outcome.reward)
        return tally


@dataclass(frozen=True)
class Reader:
    """Checks the outcomes of a problem for a policy that reads these columns of a tally."""

    problem: Problem
    columns: Columns

    def outcome(self, arm: int, reward: Any, values: Mapping[str, Any] | None) -> Outcome:
        """The outcome of a round of an arm, checked."""
        if values is not None and not isinstance(values, Mapping):
            raise InputError(f'The values must be a mapping such as {{"Image": "large"}}, not {values!r}.')
        intervention = self.problem.arms[arm]
        seen = self._seen(intervention, values or {}, f"The trial is {intervention}", "or abandon it")
        for name in self._needed(arm):
            if name not in seen:
                raise InputError(f"The values of {intervention} must show {name}, which is missing; add it.")
        return Outcome(self._reward(reward, (values or {}).get(self.problem.reward.variable)), seen)

    def logged(self, row: Any) -> Outcome:
        """A row of a log as an outcome of the observation, or of what the row says was set. It includes the reward."""
        if not isinstance(row, Mapping):
            example = f'{{"Image": "large", "{self.problem.reward.variable}": 1}}'
            raise InputError(f"A logged row must be a mapping such as {example}, not {row!r}.")
        did = self._did(row)
        if did == OBSERVATION and self.problem.observes:
            return self.outcome(0, None, self._without_do(row))
        values = self._without_do(row)
        seen = self._seen(did, values, f"The row was played under {did}", "or leave the row out")
        return Outcome(self._reward(None, values.get(self.problem.reward.variable)), seen, did)

    def _did(self, row: Mapping[str, Any]) -> Intervention:
        """What was set in a logged row, checked."""
        given = None if DO in self.problem.graph else row.get(DO)
        did = OBSERVATION if given is None or given == "" else Intervention.of(given)
        self.problem.graph.check(did)
        if self.problem.reward.variable in did:
            raise InputError(f"A logged row was played under {did}, which sets the reward; leave such rows out.")
        if did != OBSERVATION and not self.columns.takes_others:
            raise InputError(
                f"The policy reads {self.columns.name} and learns from logged observations only, but the row was "
                f"played under {did}; leave such rows out, or use a policy that reads factors."
            )
        return did

    def _without_do(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        return row if DO in self.problem.graph else {name: value for name, value in row.items() if name != DO}

    def _seen(self, intervention: Intervention, given: Mapping[str, Any], subject: str, way_out: str) -> dict[str, str]:
        """The values that a round of an intervention showed, apart from the reward's, checked."""
        target = self.problem.reward.variable
        shown = given
        if self.columns.may_leave_out:  # an empty cell of a file leaves its variable out
            shown = {name: value for name, value in given.items() if value is not None and value != ""}
        seen = {str(name): self._value(str(name), value) for name, value in shown.items() if name != target}
        for name, value in intervention.items():
            if seen.setdefault(name, value) != value:
                raise InputError(
                    f"{subject}, but {name}={seen[name]} was told; tell what happened under {intervention}, {way_out}."
                )
        return dict(sorted(seen.items()))

    def _needed(self, arm: int) -> list[str]:
        """The variables that a round must show: for the policy, and for the pooled means of the status."""
        if self.columns.may_leave_out:
            return []
        return list(dict.fromkeys([*ARMS.needs(self.problem, arm), *self.columns.needs(self.problem, arm)]))

    def _value(self, name: str, value: Any) -> str:
        """The name of a visible variable's value, checked."""
        variable = self.problem.graph[name]
        if variable.hidden:
            raise InputError(f"{name} is hidden in this problem, so it cannot be told; leave it out.")
        if variable.values:
            return self._value_name(name, value) or variable.values[variable.index(value)]
        return str(_number(name, value))

    def _reward(self, reward: Any, value: Any) -> float:
        """The reward, given as such, or as the value of its variable, or as both if they agree."""
        variable = self.problem.reward.variable
        if reward is None and value is None:
            raise InputError(f"The reward is missing; tell reward=, or the value of {variable}.")
        if reward is None:
            return self._reward_of_value(value)
        number = self._reward_of_option(reward)
        if value is not None and number != self._reward_of_value(value):
            raise InputError(f"The reward was told as {reward} and as {variable}={value}; tell one of the two.")
        return number

    def _reward_of_option(self, option: Any) -> float:
        """The reward from the option `reward`: a number, or the name of a value of its variable.

        If 0 or 1 could be either, with opposite meanings, the option is refused.
        """
        reward, value = self.problem.reward, self._value_name(self.problem.reward.variable, option)
        if reward.kind != "binary" or value is None:
            return self._reward_number(option)
        number = float(value == reward.success)
        if (isinstance(option, bool | np.bool_) or value in ("0", "1")) and float(option) != number:
            raise InputError(
                f"The reward {option} may also mean {reward.variable}={value}, which counts as {number:g}; "
                f"tell {reward.variable} among the values."
            )
        return number

    def _reward_of_value(self, value: Any) -> float:
        """The reward from the value of its variable."""
        reward, name = self.problem.reward, self._value_name(self.problem.reward.variable, value)
        if reward.kind == "binary" and name is not None:
            return float(name == reward.success)
        return self._reward_number(value)

    def _reward_number(self, value: Any) -> float:
        """A reward that was given as a number, checked."""
        reward = self.problem.reward
        number = _number("The reward", value)
        if reward.kind == "binary" and number not in (0.0, 1.0):
            raise InputError(f"The reward is 1 for {reward.variable}={reward.success} and 0 otherwise, not {value!r}.")
        if reward.kind == "bounded" and not reward.low <= number <= reward.high:
            raise InputError(f"The reward {value} lies outside its bounds, {reward.low:g} to {reward.high:g}.")
        values = self.problem.graph[reward.variable].values
        if reward.kind != "binary" and values and number not in map(float, values):
            raise unknown(f"value of {reward.variable}", value, values)
        return number

    def _value_name(self, variable: str, value: Any) -> str | None:
        """The name of a variable's value, or None. True and False are also true and false, and 1.0 is also 1."""
        values = self.problem.graph[variable].values
        names = [str(value)]
        if isinstance(value, bool | np.bool_):
            names.append(str(value).lower())
        elif isinstance(value, float | np.floating) and float(value).is_integer():
            names.append(str(int(value)))
        return next((name for name in names if name in values), None)


def _number(name: str, value: Any) -> float:
    """A finite number, checked. `name` is the subject of the error message."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, not {value!r}.") from None
    except OverflowError:  # a whole number that is too large for a float
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{name} must be a finite number, not {value!r}.")
    if abs(number) > LARGEST:
        raise InputError(f"{name} must be a number between -{LARGEST:g} and {LARGEST:g}, not {value!r}.")
    return number + 0.0  # turns -0.0 into 0.0, so that both give the same text in the journal


def to_json(outcomes: Sequence[Outcome]) -> str:
    """Outcomes as text for the journal. The same outcomes always give the same text."""
    rows = [
        {"reward": outcome.reward, "values": outcome.values, **({DO: dict(outcome.do)} if outcome.do else {})}
        for outcome in outcomes
    ]
    return json.dumps({"rows": rows}, separators=(",", ":"), ensure_ascii=False)


def from_json(rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Outcomes from the rows of the journal."""
    return [Outcome(row["reward"], row["values"], Intervention(row[DO]) if DO in row else OBSERVATION) for row in rows]


def hash_of(text: str) -> str:
    """A hash of an outcome's text. Equal hashes mean that the same outcome was told again."""
    return hashlib.sha256(text.encode()).hexdigest()
