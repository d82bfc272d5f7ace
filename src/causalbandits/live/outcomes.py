"""What a round showed: checked as it is told, and turned into the counts that policies learn from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, unknown
from ..intervention import Intervention
from ..policies.records import Tally
from ..problem import Problem

LARGEST = 1e15  # of a number that is told: up to here sums and squares stay finite, whatever else is told


class Outcome(NamedTuple):
    """One round: the reward as a number, and the values that were seen."""

    reward: float
    values: Mapping[str, str]


@dataclass(frozen=True)
class Reader:
    """Reads outcomes for a problem and a policy that reads `reads` of a tally."""

    problem: Problem
    reads: str

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
        for name in self._needed(intervention):
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

    def counts(self, arm: int, outcomes: Sequence[Outcome]) -> Tally:
        """The counts of some rounds of an arm, with what they show of other arms, whether the policy reads it or not."""
        arms = len(self.problem.arms)
        configurations = self.problem.configurations if self.reads in ("parents", "both") else 0
        seen, seen_reward, both = (
            np.zeros(configurations, np.int64),
            np.zeros(configurations),
            np.zeros((0, 0), np.int64),
        )
        if self.reads == "both":
            both = np.zeros((arms, configurations), np.int64)
        tally = Tally(len(outcomes), 0.0, np.zeros(arms, np.int64), np.zeros(arms), seen, seen_reward, both)
        watches = self.watches(arm)
        for outcome in outcomes:
            tally.reward += outcome.reward
            if watches:
                for a in self._shown(outcome.values):
                    tally.shown[a] += 1
                    tally.shown_reward[a] += outcome.reward
            if configurations:
                y = sum(self.problem.graph[name].index(outcome.values[name]) * stride for name, stride in self._strides)
                tally.seen[y] += 1
                tally.seen_reward[y] += outcome.reward
                if watches and self.reads == "both":
                    tally.shown_seen[self._shown(outcome.values), y] += 1
        return tally

    def watches(self, arm: int) -> bool:
        """Whether the arm is the observation."""
        return arm == 0 and self._observes

    @cached_property
    def _observes(self) -> bool:
        return self.problem.observes

    def read(self, tally: Tally) -> Tally:
        """The tally with the columns that the policy reads, and no others."""
        return tally if self.reads == "arms" else replace(tally, shown=np.zeros(0, np.int64), shown_reward=np.zeros(0))

    def _shown(self, values: Mapping[str, str]) -> list[int]:
        """The arms that watching teaches about and whose assignment held; the observation is one of them."""
        single = self._single
        shown = [0] + [single[item] for item in values.items() if item in single]
        return shown + [a for a, arm in self._joint if all(values[name] == value for name, value in arm.items())]

    @cached_property
    def _single(self) -> dict[tuple[str, str], int]:
        """The arms of one variable that watching teaches about, by what they set."""
        return {
            next(iter(arm.items())): a
            for a, arm in enumerate(self.problem.arms)
            if len(arm) == 1 and self.problem.teaches[a]
        }

    @cached_property
    def _joint(self) -> list[tuple[int, Intervention]]:
        return [(a, arm) for a, arm in enumerate(self.problem.arms) if len(arm) > 1 and self.problem.teaches[a]]

    @cached_property
    def _parents(self) -> tuple[str, ...]:
        return self.problem.graph[self.problem.reward.variable].parents

    @cached_property
    def _strides(self) -> list[tuple[str, int]]:
        """For every parent of the reward, what a step of its value adds to the number of the configuration."""
        sizes = [len(self.problem.graph[name].values) for name in self._parents]
        return [(name, math.prod(sizes[i + 1 :])) for i, name in enumerate(self._parents)]

    def _needed(self, intervention: Intervention) -> list[str]:
        """The variables that a round must show: all that watching teaches about, and the reward's parents if the policy reads them."""
        taught = [] if intervention else self._taught
        return [*taught, *(self._parents if self.reads in ("parents", "both") else ())]

    @cached_property
    def _taught(self) -> list[str]:
        arms = zip(self.problem.arms, self.problem.teaches, strict=True)
        return list(dict.fromkeys(name for arm, teaches in arms if teaches for name in arm))

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


def digest(text: str) -> str:
    """What is compared to find that the same was told again."""
    return hashlib.sha256(text.encode()).hexdigest()
