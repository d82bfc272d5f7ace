"""What a round showed: checked as it is told, and turned into the counts that policies learn from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, unknown
from ..policies.columns import ARMS, Columns
from ..problem import Problem

LARGEST = 1e15  # of a number that is told: up to here sums and squares stay finite, whatever else is told


class Counter:
    """Counts outcomes in one kind of tally."""

    def __init__(self, problem: Problem, columns: Columns) -> None:
        self.problem, self.columns = problem, columns
        self._places = {variable.name: i for i, variable in enumerate(problem.graph.variables)}
        self._numbers = {v.name: {value: n for n, value in enumerate(v.values)} for v in problem.graph.variables}
        self._layout = columns.layout(problem, self._places)

    def count(self, arm: int, outcomes: Sequence[Outcome]) -> Any:
        """A tally of some rounds of an arm."""
        tally = self.columns.tally(self.problem)
        tally.rounds = len(outcomes)
        values = [-1] * len(self._places)
        for outcome in outcomes:
            tally.reward += outcome.reward
            for name, place in self._places.items():
                values[place] = self._numbers[name].get(outcome.values.get(name, ""), -1)
            self.columns.add(self._layout, tally, arm, values, outcome.reward)
        return tally


class Outcome(NamedTuple):
    """One round: the reward as a number, and the values that were seen."""

    reward: float
    values: Mapping[str, str]


@dataclass(frozen=True)
class Reader:
    """Checks outcomes for a problem and a policy that reads these columns of a tally."""

    problem: Problem
    columns: Columns

    def outcome(self, arm: int, reward: Any, values: Mapping[str, Any] | None) -> Outcome:
        """An outcome of an arm, if nothing is wrong with it and nothing is missing."""
        if values is not None and not isinstance(values, Mapping):
            raise InputError(f'The values are a mapping such as {{"Image": "large"}}, not {values!r}.')
        intervention = self.problem.arms[arm]
        seen = {
            str(name): self._value(str(name), value)
            for name, value in (values or {}).items()
            if name != self.problem.reward.variable
        }
        for name, value in intervention.items():
            if seen.setdefault(name, value) != value:
                raise InputError(
                    f"The trial is {intervention}, but {name}={seen[name]} was told; tell what happened under {intervention}, or abandon it."
                )
        for name in self._needed(arm):
            if name not in seen:
                raise InputError(f"The values of {intervention} must show {name}, which is missing; add it.")
        return Outcome(
            self._reward(reward, (values or {}).get(self.problem.reward.variable)), dict(sorted(seen.items()))
        )

    def logged(self, row: Any) -> Outcome:
        """A row of a log, {variable: value, ...} with the reward's variable among them, as an outcome of the observation."""
        if not isinstance(row, Mapping):
            raise InputError(
                f'A logged row is a mapping such as {{"Image": "large", "{self.problem.reward.variable}": 1}}, not {row!r}.'
            )
        return self.outcome(0, None, row)

    def _needed(self, arm: int) -> list[str]:
        """The variables that a round must show: for the policy, and for the pooled means of the status."""
        return list(dict.fromkeys([*ARMS.needs(self.problem, arm), *self.columns.needs(self.problem, arm)]))

    def _value(self, name: str, said: Any) -> str:
        """A value of a visible variable, by its name."""
        variable = self.problem.graph[name]
        if variable.hidden:
            raise InputError(f"{name} is hidden in this problem, so it cannot be told; leave it out.")
        if variable.values:
            return self._named(name, said) or variable.values[variable.index(said)]
        return str(_number(name, said))

    def _reward(self, said: Any, shown: Any) -> float:
        """The reward, told as such, as the value of its variable, or as both if they agree."""
        if said is None and shown is None:
            raise InputError(f"The reward is missing; tell reward=, or the value of {self.problem.reward.variable}.")
        told = [] if said is None else [self._told(said)]
        told += [] if shown is None else [self._shown_reward(shown)]
        if told[0] != told[-1]:
            raise InputError(
                f"The reward was told as {said} and as {self.problem.reward.variable}={shown}; tell one of the two."
            )
        return told[0]

    def _told(self, said: Any) -> float:
        """What was told as the reward: a number, or a value of its variable. Where 0 or 1 would be both and mean opposite things, neither."""
        reward, value = self.problem.reward, self._named(self.problem.reward.variable, said)
        if reward.kind != "binary" or value is None:
            return self._as_number(said)
        counts = float(value == reward.success)
        if (isinstance(said, bool | np.bool_) or value in ("0", "1")) and float(said) != counts:
            raise InputError(
                f"The reward {said} may also mean {reward.variable}={value}, which counts as {counts:g}; tell {reward.variable} among the values."
            )
        return counts

    def _shown_reward(self, shown: Any) -> float:
        """What was told as the value of the reward's variable."""
        value = self._named(self.problem.reward.variable, shown)
        return (
            float(value == self.problem.reward.success)
            if self.problem.reward.kind == "binary" and value is not None
            else self._as_number(shown)
        )

    def _as_number(self, said: Any) -> float:
        reward = self.problem.reward
        number = _number("The reward", said)
        if reward.kind == "binary" and number not in (0.0, 1.0):
            raise InputError(f"The reward is 1 for {reward.variable}={reward.success} and 0 otherwise, not {said!r}.")
        if reward.kind == "bounded" and not reward.low <= number <= reward.high:
            raise InputError(f"The reward {said} lies outside its bounds, {reward.low:g} to {reward.high:g}.")
        values = self.problem.graph[reward.variable].values
        if reward.kind != "binary" and values and number not in map(float, values):
            raise unknown(f"value of {reward.variable}", said, values)
        return number

    def _named(self, name: str, said: Any) -> str | None:
        """The value of a variable that is meant, or None: True and False are also true and false, 1.0 is also 1."""
        values = self.problem.graph[name].values
        ways = [str(said)]
        if isinstance(said, bool | np.bool_):
            ways.append(str(said).lower())
        elif isinstance(said, float | np.floating) and float(said).is_integer():
            ways.append(str(int(said)))
        return next((way for way in ways if way in values), None)


def _number(what: str, said: Any) -> float:
    try:
        number = float(said)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a number, not {said!r}.") from None
    except OverflowError:  # a whole number that no float holds
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{what} must be a finite number, not {said!r}.")
    if abs(number) > LARGEST:
        raise InputError(f"{what} must be a number between -{LARGEST:g} and {LARGEST:g}, not {said!r}.")
    return number + 0.0  # of -0.0 this makes 0.0: they are the same, told twice


def to_json(outcomes: Sequence[Outcome]) -> str:
    """Outcomes as the journal keeps them: the same outcomes are the same text."""
    rows = [{"reward": outcome.reward, "values": outcome.values} for outcome in outcomes]
    return json.dumps({"rows": rows}, separators=(",", ":"), ensure_ascii=False)


def from_json(rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Outcomes from the rows that the journal kept."""
    return [Outcome(row["reward"], row["values"]) for row in rows]


def hash_of(text: str) -> str:
    """What is compared to find that the same was told again."""
    return hashlib.sha256(text.encode()).hexdigest()
