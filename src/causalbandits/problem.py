"""A problem: what a learner is told. The graph, the reward, the arms, what they cost, and the budget or the horizon."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .arms import Cost, arms_of, costs_of
from .errors import InputError, unknown
from .graph import Graph
from .intervention import OBSERVATION, Intervention
from .money import Money, in_words, millionths

LARGEST_PARENT_TABLE = 1_000_000  # configurations of the reward's parents that are tabulated at most

Objective = Literal["find", "earn"]


@dataclass(frozen=True)
class Reward:
    """The reward variable and how its values count: binary (`success` is 1), bounded (low to high) or real."""

    variable: str
    kind: Literal["binary", "bounded", "real"]
    success: str | None = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(
                f"The bounds of the reward {self.variable} must be two numbers, the lower first, not {self.low:g} and {self.high:g}."
            )

    @classmethod
    def of(cls, graph: Graph, name: str, *, success: Any = None, bounds: tuple[float, float] | None = None) -> Reward:
        """The reward as its values suggest: see World."""
        variable = graph[name]
        if variable.hidden:
            raise InputError(f"The reward {name} is hidden; a learner must see it.")
        if success is not None:
            if bounds is not None:
                raise InputError(
                    f"The reward {name} cannot be both binary (success=) and bounded (bounds=); give one of the two."
                )
            variable.index(success)
            return cls(name, "binary", str(success))
        if bounds is not None:
            reward = cls(name, "bounded", None, *map(float, bounds))
            for value in variable.values:
                if not reward.low <= _number(name, value) <= reward.high:
                    raise InputError(
                        f"The reward {name} can be {value}, outside its bounds {reward.low:g} to {reward.high:g}; widen them."
                    )
            return reward
        if not variable.values:
            return cls(name, "real")
        if set(variable.values) == {"0", "1"}:
            return cls(name, "binary", "1")
        try:
            numbers = [float(value) for value in variable.values]
        except ValueError:
            raise InputError(
                f"Say which value of the reward {name} counts as 1, with success={variable.values[-1]!r} for example."
            ) from None
        return cls(name, "bounded", None, min(numbers), max(numbers))


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"The reward {name} has bounds, so its values must be numbers, not {value!r}.") from None


class Problem:
    """Arms, costs and budget over a graph. Everything here is known to the learner; no probability of the world is, unless `parents` says it.

    `reward` is a Reward, or the name of a variable with `success=` or `bounds=` as for a World.

    `arms`: interventions ("do(X=1, Z=0)"), or names of variables that may be set to any value; default: every variable that is visible,
    intervenable and not the reward. The observation is arm 0 unless `observe=False`. `cost`: one number for all interventions, a cost per
    variable (several variables add up), per arm by its text, or a list with one cost per arm; the observation costs 1 unless "do()" is given.
    With a `horizon` every arm costs one round. `parents`: P(parents of the reward | do(arm)), one row per arm. `strict=True` refuses arms with
    a backdoor path. `objective`: "find" the best intervention, or "earn" while learning; by it a policy is recommended where none is named.
    """

    def __init__(
        self,
        graph: Graph,
        reward: Reward | str,
        *,
        success: Any = None,
        bounds: tuple[float, float] | None = None,
        budget: Money | None = None,
        horizon: int | None = None,
        cost: Cost | None = None,
        arms: Sequence[str | Mapping[str, Any]] | None = None,
        observe: bool = True,
        parents: NDArray[np.float64] | None = None,
        strict: bool = False,
        objective: Objective = "find",
    ) -> None:
        self.graph = graph
        self.reward = Reward.of(graph, reward, success=success, bounds=bounds) if isinstance(reward, str) else reward
        graph[self.reward.variable]
        self.arms = arms_of(graph, self.reward.variable, arms, observe)
        if (budget is None) == (horizon is None):
            raise InputError("Give a problem either a budget or a horizon.")
        if horizon is not None:
            if cost is not None:
                raise InputError("With a horizon every arm costs one round; give a budget to use costs.")
            if (
                isinstance(horizon, bool)
                or not isinstance(horizon, int | float | np.number)
                or not horizon >= 1
                or horizon % 1 != 0
            ):
                raise InputError(f"The horizon must be a whole number of rounds, at least 1, not {horizon}.")
            cost = [1] * len(self.arms)
        self.horizon = None if horizon is None else int(horizon)
        self.costs = costs_of(self.arms, 1 if cost is None else cost)  # millionths, like all money
        self.budget = millionths(horizon if budget is None else budget, "budget" if horizon is None else "horizon")  # type: ignore[arg-type]
        if self.budget < min(self.costs):
            cheapest = self.arms[int(np.argmin(self.costs))]
            raise InputError(
                f"The budget {in_words(self.budget)} is below the cheapest arm: {cheapest} costs {in_words(min(self.costs))}."
            )
        self.parents = None if parents is None else self._checked_parents(parents)
        self.objective = checked_objective(objective)
        self.strict = strict
        if strict:
            self.refuse_backdoors("A strict problem")

    def __repr__(self) -> str:
        money = f"budget {in_words(self.budget)}" if self.horizon is None else f"horizon {self.horizon}"
        return f"Problem({len(self.arms)} arms, {money})"

    @property
    def observes(self) -> bool:
        """Whether the observation is an arm (then it is arm 0)."""
        return self.arms[0] == OBSERVATION

    def arm(self, intervention: str | Mapping[str, Any]) -> int:
        """The index of an intervention."""
        said = Intervention.of(intervention)
        try:
            return self.arms.index(said)
        except ValueError:
            raise unknown("arm", said, self.arms) from None

    @cached_property
    def backdoor_paths(self) -> tuple[str | None, ...]:
        """For every arm the path that keeps watching from telling about it, or None where watching tells."""
        paths = {
            tuple(arm): self.graph.backdoor_path(list(arm), self.reward.variable)
            for arm in {tuple(arm): arm for arm in self.arms}.values()
        }
        return tuple(paths[tuple(arm)] for arm in self.arms)  # the values that an arm sets do not matter

    def backdoor_path(self, intervention: str | Mapping[str, Any]) -> str | None:
        """The backdoor path of one arm, such as "X <- Season -> Y", or None."""
        return self.backdoor_paths[self.arm(intervention)]

    @cached_property
    def teaches(self) -> NDArray[np.bool_]:
        """For every arm whether watching tells about it."""
        return np.array([path is None for path in self.backdoor_paths]) & self.observes

    def refuse_backdoors(self, who: str) -> None:
        """Refuse, naming the first arm with a backdoor path."""
        for arm, path in zip(self.arms, self.backdoor_paths, strict=True):
            if path is not None:
                raise InputError(
                    f"{who} takes only arms that watching can judge, but {arm} has the backdoor path {path}; "
                    "leave that arm out, or use a policy that intervenes."
                )

    @property
    def configurations(self) -> int:
        """How many configurations the reward's parents have."""
        return math.prod(len(self.graph[name].values) for name in self.graph[self.reward.variable].parents)

    def configuration(self, number: int) -> str:
        """The configuration of the reward's parents with this number, in words."""
        parents = [self.graph[name] for name in self.graph[self.reward.variable].parents]
        values = np.unravel_index(number, [len(parent.values) for parent in parents])
        return ", ".join(
            f"{parent.name}={parent.values[int(value)]}" for parent, value in zip(parents, values, strict=True)
        )

    def _checked_parents(self, parents: NDArray[np.float64]) -> NDArray[np.float64]:
        names = self.graph[self.reward.variable].parents
        for name in names:
            if self.graph[name].hidden:
                raise InputError(
                    f"The parents of {self.reward.variable} cannot be revealed, for {name} is hidden and their values would never be seen."
                )
        table = np.ascontiguousarray(parents, dtype=np.float64)
        shape = (len(self.arms), self.configurations)
        if table.shape != shape:
            raise InputError(
                f"The parents' distribution has shape {table.shape}; it needs one row per arm and one column per configuration, {shape}."
            )
        for arm, row in zip(self.arms, table, strict=True):
            if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1) < 1e-9):
                raise InputError(
                    f"The parents' distribution under {arm} sums to {row.sum():.6g}; probabilities must sum to 1."
                )
        return table


def checked_objective(said: Any) -> Objective:
    """The objective, if it is one."""
    if said not in ("find", "earn"):
        raise InputError(
            f'The objective is "find" (the best intervention) or "earn" (as much as possible while learning), not {said!r}.'
        )
    return said  # type: ignore[no-any-return]
