"""Read the arms and their costs as a user writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import InputError, unknown
from .graph import Graph, Variable
from .intervention import OBSERVATION, Intervention
from .money import UNIT, Money, millionths

Cost = Money | Mapping[str, Money] | Sequence[Money]


def arms_of(
    graph: Graph, reward: str, listed: Sequence[str | Mapping[str, Any]] | None, observe: bool
) -> tuple[Intervention, ...]:
    """The arms: first the observation, if `observe`, then the interventions in the order of the list."""
    if isinstance(listed, str | Mapping) or not isinstance(listed, Sequence | None):
        raise InputError(f"Give the arms as a list, not {listed!r}.")
    if listed is None:
        listed = [v.name for v in graph.variables if v.intervenable and not v.hidden and v.name != reward and v.values]
    arms: list[Intervention] = []
    for entry in listed:
        if isinstance(entry, str) and not entry.strip().startswith("do("):
            arms += [Intervention({entry: value}) for value in graph[entry].values]
        else:
            arms.append(Intervention.of(entry))
    seen: set[Intervention] = set()
    for arm in arms:
        if arm in seen:
            raise InputError(f"The arm {arm} is listed twice; name each arm once.")
        if reward in arm:
            raise InputError(f"The arm {arm} sets the reward {reward}; an arm sets other variables.")
        graph.check(arm)
        seen.add(arm)
    if OBSERVATION in arms and (arms[0] != OBSERVATION or not observe):
        raise InputError(
            "The observation do() must be the first arm, or left out with observe=False; name it first, or not at all."
        )
    arms = [arm for arm in arms if arm != OBSERVATION]
    if not arms:
        raise InputError("A problem needs at least one intervention; name some in arms=.")
    return (OBSERVATION, *arms) if observe else tuple(arms)


def costs_of(graph: Graph, arms: Sequence[Intervention], cost: Any) -> tuple[int, ...]:
    """The cost of every arm in millionths, from one number, a mapping or a list."""
    if isinstance(cost, Mapping):
        return _costs_by_name(graph, arms, cost)
    if np.ndim(cost) > 0:
        if len(cost) != len(arms):
            raise InputError(
                f"There are {len(cost)} costs for {len(arms)} arms; give one for each, the observation's first."
            )
        return tuple(millionths(amount, f"cost of {arm}") for arm, amount in zip(arms, cost, strict=True))
    uniform = millionths(cost, "cost of an intervention")
    return tuple(UNIT if arm == OBSERVATION else uniform for arm in arms)


def cost_key(graph: Graph, arms: Sequence[Intervention], key: Any) -> Intervention | str:
    """What a key of the costs stands for: an arm, or a variable that an arm sets. Refuse any other key."""
    if not isinstance(key, str) or key.strip().startswith("do("):
        arm = Intervention.of(key)
        if arm not in arms:
            raise unknown("arm", arm, arms)
        return arm
    variables = sorted({name for arm in arms for name in arm})
    if key not in variables:
        if key not in graph:
            raise unknown("variable that an arm sets", key, variables)
        raise InputError(f"{key} has a cost, but no arm sets it, because {_why_unset(graph[key])}; leave its cost out.")
    return key


def _why_unset(variable: Variable) -> str:
    """Why no arm sets a variable."""
    if variable.hidden:
        return "it is hidden"
    if not variable.values:
        return "it is a real number"
    return "it is not among the arms" if variable.intervenable else "it is not intervenable"


def _costs_by_name(graph: Graph, arms: Sequence[Intervention], named: Mapping[str, Money]) -> tuple[int, ...]:
    """The costs from a mapping. Its keys are texts of arms, or names of variables."""
    by_arm: dict[Intervention, int] = {OBSERVATION: UNIT}
    by_variable: dict[str, int] = {}
    for key, cost in named.items():
        priced = cost_key(graph, arms, key)
        amount = millionths(cost, f"cost of {priced}")
        if isinstance(priced, str):
            by_variable[priced] = amount
        else:
            by_arm[priced] = amount
    costs = []
    for arm in arms:
        if arm in by_arm:
            costs.append(by_arm[arm])
            continue
        for name in arm:
            if name not in by_variable:
                raise InputError(f"The arm {arm} has no cost; give one for it or for {name}.")
        costs.append(sum(by_variable[name] for name in arm))
    return tuple(costs)
