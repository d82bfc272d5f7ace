"""A problem: what a learner knows. The graph, the reward, the arms with their costs, and the budget or horizon."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .arms import Cost, arms_of, costs_of
from .display.sheets import Sheet, block, excerpt
from .errors import InputError, check_kind, check_truth, shown, unknown
from .graph import Graph
from .identify.teaching import Teaching, teaching
from .intervention import OBSERVATION, Intervention
from .money import Money, amount_of, decimal_text, millionths
from .reward import Reward

if TYPE_CHECKING:
    from .policies.view import View

LARGEST_PARENT_TABLE = 1_000_000  # the largest number of entries of a table over the reward's parents

Objective = Literal["find", "earn"]


@dataclass(frozen=True, init=False, repr=False, eq=False)
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

    It cannot be changed. `budget` and `costs` are in the unit of the user; what is computed uses `exact_budget` and
    `exact_costs`.
    """

    graph: Graph
    reward: Reward
    arms: tuple[Intervention, ...]
    horizon: int | None
    exact_budget: int  # whole millionths of money, or of rounds if there is a horizon
    exact_costs: tuple[int, ...]  # of every arm, in the same unit
    parents: NDArray[np.float64] | None
    objective: Objective
    reward_scale: float | None
    keep_money: bool
    strict: bool

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
        check_kind("The graph of a problem", graph, Graph, "a cb.Graph such as world.graph")
        check_kind("The reward of a problem", reward, Reward | str, "the name of a variable, or a cb.Reward")
        if isinstance(reward, Reward) and not (success is None and bounds is None):
            raise InputError("success= and bounds= go with the name of the reward's variable; a cb.Reward has its own.")
        for name, value in (("observe", observe), ("strict", strict), ("keep_money", keep_money)):
            check_truth(name, value)
        chosen = Reward.of(graph, reward, success=success, bounds=bounds) if isinstance(reward, str) else reward
        graph[chosen.variable]
        interventions = arms_of(graph, chosen.variable, arms, observe)
        exact_budget, exact_costs = _money(graph, interventions, budget, horizon, cost)
        fields = {
            "graph": graph,
            "reward": chosen,
            "arms": interventions,
            "horizon": None if horizon is None else int(horizon),
            "exact_budget": exact_budget,
            "exact_costs": exact_costs,
            "parents": None,
            "objective": checked_objective(objective),
            "reward_scale": None if reward_scale is None else checked_scale(reward_scale, chosen),
            "keep_money": bool(keep_money),
            "strict": bool(strict),
        }
        vars(self).update(fields)
        if parents is not None:
            vars(self)["parents"] = self._checked_parents(parents)
        if strict:
            self.refuse_backdoors("A strict problem")

    def __repr__(self) -> str:
        return f"Problem({self._size})"

    @property
    def _size(self) -> str:
        money = f"budget {decimal_text(self.exact_budget)}" if self.horizon is None else f"horizon {self.horizon}"
        return f"{len(self.arms)} arms, {money}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        reward = f"the reward is {self.reward.variable} ({self.reward.counts}); the objective is to {self.objective}"
        sheet = self.sheet
        return block(f"{self._size}; {reward}.", excerpt(sheet.columns, len(sheet.rows), sheet.rows.__getitem__))

    @property
    def sheet(self) -> Sheet:
        """The arms, their costs, and whether watching tells about them, as text."""
        rows = []
        for arm, cost, path in zip(self.arms, self.exact_costs, self.backdoor_paths, strict=True):
            answer = f"no: {path}" if path is not None else "yes" if self.observes else "no: watching is not an arm"
            rows.append((str(arm), decimal_text(cost), answer))
        return Sheet(("arm", "cost", "does watching tell about it?"), rows)

    @property
    def budget(self) -> float | None:
        """The money to spend; None if there is a horizon."""
        return amount_of(self.exact_budget) if self.horizon is None else None

    @property
    def costs(self) -> tuple[float, ...]:
        """What one round of every arm costs."""
        return tuple(map(amount_of, self.exact_costs))

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
        return _read_only(np.array([path is None for path in self.backdoor_paths]) & self.observes)

    def teaching(self) -> Teaching:
        """What the mean of every arm is made of, and which rounds teach it: watching, other arms, or only its own."""
        return self._teaching

    @cached_property
    def _teaching(self) -> Teaching:
        return teaching(self.graph, self.reward.variable, self.arms)

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
        most = self.configurations - 1
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number <= most:
            raise InputError(f"The number of a configuration must be a whole number from 0 to {most}, not {number!r}.")
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
        try:
            table = np.array(parents, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise InputError(
                f"The parents' distribution must be a table of numbers with one row per arm, not {shown(parents)}."
            ) from None
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
        return _read_only(table)


def _money(
    graph: Graph, arms: Sequence[Intervention], budget: Money | None, horizon: int | None, cost: Any
) -> tuple[int, tuple[int, ...]]:
    """The budget (or horizon) and the cost of every arm, in millionths."""
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
        cost = [1] * len(arms)
    costs = costs_of(graph, arms, 1 if cost is None else cost)
    money = millionths(horizon if budget is None else budget, "budget" if horizon is None else "horizon")  # type: ignore[arg-type]
    if money < min(costs):
        cheapest = arms[int(np.argmin(costs))]
        raise InputError(
            f"The budget {decimal_text(money)} is below the cheapest arm: {cheapest} costs {decimal_text(min(costs))}."
        )
    return money, costs


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


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
    if not isinstance(objective, str) or objective not in ("find", "earn"):
        raise InputError(
            'The objective is "find" (the best intervention) or "earn" (as much as possible while learning), '
            f"not {objective!r}."
        )
    return objective  # type: ignore[return-value]
