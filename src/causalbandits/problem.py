"""A problem: what a learner knows. The graph, the reward, the arms with their costs, and the budget or horizon."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .arms import Cost, arms_of, costs_of
from .errors import InputError, unknown
from .graph import Graph
from .intervention import OBSERVATION, Intervention
from .money import Money, decimal_text, millionths
from .reward import Reward

if TYPE_CHECKING:
    from .policies.view import View

LARGEST_PARENT_TABLE = 1_000_000  # the largest number of entries of a table over the reward's parents

Objective = Literal["find", "earn"]


class Problem:
    """Arms, costs and a budget over a graph: what the learner knows. The world's means and tables are not part of it.

    Parameters:
        reward: a Reward, or the name of a variable with `success` or `bounds` as in `World`.
        budget, horizon: the money to spend, or the number of rounds. With a horizon every arm costs one round.
        cost: one number for all interventions, or a mapping by variable or by arm, or a list with one cost per arm.
            An arm that sets several variables costs their sum. The observation costs 1 unless "do()" has a cost.
        arms: interventions such as "do(X=1, Z=0)", or names of variables to be set to each of their values.
            By default each variable that is visible, intervenable and not the reward.
        observe: whether the observation is an arm. It is then arm 0.
        parents: P(parents of the reward | do(arm)), one row per arm, if the learner knows it.
        strict: refuse arms with a backdoor path.
        objective: "find" the best intervention, or "earn" while learning. The recommended policy depends on it.
        reward_scale: the standard deviation of a real reward, about. Policies take 1/2 if it is not given.
        keep_money: whether money may be kept. Our policies that earn then stop when no arm is worth its price.
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
        reward_scale: float | None = None,
        keep_money: bool = False,
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
        self.costs = costs_of(self.arms, 1 if cost is None else cost)  # millionths, as all money
        self.budget = millionths(horizon if budget is None else budget, "budget" if horizon is None else "horizon")  # type: ignore[arg-type]
        if self.budget < min(self.costs):
            cheapest = self.arms[int(np.argmin(self.costs))]
            raise InputError(
                f"The budget {decimal_text(self.budget)} is below the cheapest arm: "
                f"{cheapest} costs {decimal_text(min(self.costs))}."
            )
        self.parents = None if parents is None else self._checked_parents(parents)
        self.objective = checked_objective(objective)
        self.reward_scale = None if reward_scale is None else checked_scale(reward_scale, self.reward)
        self.keep_money = keep_money
        self.strict = strict
        if strict:
            self.refuse_backdoors("A strict problem")

    def __repr__(self) -> str:
        money = f"budget {decimal_text(self.budget)}" if self.horizon is None else f"horizon {self.horizon}"
        return f"Problem({len(self.arms)} arms, {money})"

    def view(self) -> View:
        """The numeric view of this problem, for policies that were written for version 0.1."""
        from .policies.view import view_of

        return view_of(self)

    @property
    def observes(self) -> bool:
        """Whether the observation is an arm. It is then arm 0."""
        return self.arms[0] == OBSERVATION

    def arm(self, intervention: str | Mapping[str, Any]) -> int:
        """The index of an intervention."""
        wanted = Intervention.of(intervention)
        try:
            return self.arms.index(wanted)
        except ValueError:
            raise unknown("arm", wanted, self.arms) from None

    @cached_property
    def backdoor_paths(self) -> tuple[str | None, ...]:
        """The backdoor path of every arm. None where the observation shows the effect of the arm."""
        paths = {
            tuple(arm): self.graph.backdoor_path(list(arm), self.reward.variable)
            for arm in {tuple(arm): arm for arm in self.arms}.values()
        }
        return tuple(paths[tuple(arm)] for arm in self.arms)  # one search for all values of the same variables

    def backdoor_path(self, intervention: str | Mapping[str, Any]) -> str | None:
        """The backdoor path of one arm, such as "X <- Season -> Y", or None."""
        return self.backdoor_paths[self.arm(intervention)]

    @cached_property
    def teaches(self) -> NDArray[np.bool_]:
        """For every arm, whether rounds of the observation teach its mean."""
        return np.array([path is None for path in self.backdoor_paths]) & self.observes

    def refuse_backdoors(self, who: str) -> None:
        """Refuse a problem with a backdoor path, and name the first arm that has one."""
        for arm, path in zip(self.arms, self.backdoor_paths, strict=True):
            if path is not None:
                raise InputError(
                    f"{who} takes only arms that can be learned by observing, but {arm} has the backdoor path {path}; "
                    "leave that arm out, or use a policy that intervenes."
                )

    @property
    def configurations(self) -> int:
        """The number of configurations of the reward's parents."""
        return math.prod(len(self.graph[name].values) for name in self.graph[self.reward.variable].parents)

    def configuration(self, number: int) -> str:
        """The configuration of the reward's parents with this number, as text such as "X=1, Z=0"."""
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
                    f"The parents of {self.reward.variable} cannot be revealed, because {name} is hidden; "
                    "make it visible, or leave the parents out."
                )
        table = np.ascontiguousarray(parents, dtype=np.float64)
        shape = (len(self.arms), self.configurations)
        if table.shape != shape:
            raise InputError(
                f"The parents' distribution has shape {table.shape}; "
                f"it needs one row per arm and one column per configuration, {shape}."
            )
        for arm, row in zip(self.arms, table, strict=True):
            if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1) < 1e-9):
                raise InputError(
                    f"The parents' distribution under {arm} sums to {row.sum():.6g}; probabilities must sum to 1."
                )
        return table


def checked_scale(scale: Any, reward: Reward) -> float:
    """The standard deviation of a real reward. Refuse what is not a positive number, and other rewards."""
    if reward.kind != "real":
        raise InputError(
            f"A reward_scale is for real rewards, but the reward {reward.variable} is {reward.kind}; leave it out."
        )
    is_number = isinstance(scale, int | float | np.number) and not isinstance(scale, bool)
    if not (is_number and math.isfinite(scale) and scale > 0):
        raise InputError(f"The reward_scale must be a positive number, the standard deviation, not {scale!r}.")
    return float(scale)


def checked_objective(objective: Any) -> Objective:
    """The objective. Refuse everything but "find" and "earn"."""
    if objective not in ("find", "earn"):
        raise InputError(
            'The objective is "find" (the best intervention) or "earn" (as much as possible while learning), '
            f"not {objective!r}."
        )
    return objective  # type: ignore[no-any-return]
