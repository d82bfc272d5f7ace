"""Write problems as TOML text. Defaults are left out, as a user would do. Reading the text gives the same problem."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arms import arms_of
from ...errors import InputError, check_kind, shown, unknown
from ...graph import Graph, Variable
from ...intervention import OBSERVATION
from ...lease import SENTENCE, is_lease
from ...mechanisms import Linear, Table
from ...money import UNIT, decimal_text
from ...problem import Problem
from ...reward import Reward
from ..paths import checked_path
from .source import quoted, written

if TYPE_CHECKING:
    from ...policies.contract import Policy
    from ...world import World


def write(path: str | Path, problem: Problem, **also: Any) -> None:
    """Write a problem file: see `dumps`."""
    for name in also:
        if name not in signature(dumps).parameters:
            raise unknown("option of write called", name, [*signature(dumps).parameters][1:])
    place, text = checked_path(path), dumps(problem, **also)
    try:
        place.write_bytes(text.encode())
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{str(path)!r} cannot be written: {reason.lower()}.") from None


def dumps(
    problem: Problem,
    *,
    policy: Policy | None = None,
    world: World | None = None,
    name: str | None = None,
    seed: int | None = None,
    lease: float | None = None,
) -> str:
    """A problem as the text of a problem file. With its world the text has the probabilities too."""
    check_kind("The problem", problem, Problem, "a cb.Problem, such as world.problem(budget=50)")
    if policy is not None and not isinstance(getattr(policy, "parameters", None), dict):
        raise InputError(f"The policy must be an instance such as GammaNB(), not {shown(policy)}.")
    if world is not None and not isinstance(getattr(world, "graph", None), Graph):
        raise InputError(f"The world must be a cb.World, not {shown(world)}.")
    if name is not None:
        check_kind("The name", name, str, "a text")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise InputError(f"The seed must be a whole number, at least 0, not {shown(seed)}.")
    if lease is not None and not is_lease(lease):
        raise InputError(f"{SENTENCE}, not {shown(lease)}.")
    if world is not None and (world.graph != problem.graph or world.reward != problem.reward):
        raise InputError("The problem belongs to another world; make it with world.problem(...).")
    _check_writable(problem)
    head = [
        *_pairs(name=name, reference=(world.reference or None) if world is not None else None),
        *_reward(problem.reward),
        *_pairs(reward_scale=problem.reward_scale, keep_money=True if problem.keep_money else None),
        *_pairs(
            budget=_Bare(decimal_text(problem.exact_budget)) if problem.horizon is None else None,
            horizon=problem.horizon,
        ),
        *_arms(problem),
        *_pairs(objective=None if problem.objective == "find" else problem.objective),
        *_pairs(strict=True if problem.strict else None, policy=_policy(policy), seed=seed, lease=lease),
    ]
    cost = _cost(problem)
    head += [f"cost = {cost}"] if isinstance(cost, str) else []
    sections = [head]
    if isinstance(cost, dict):
        sections.append(["[cost]", *_mapped(cost)])
    for variable in problem.graph.variables:
        sections += _variable(problem.graph, variable, None if world is None else world.mechanisms[variable.name])
    sections += _parents(problem)
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


class _Bare(str):
    """Text that is TOML already and needs no quotation marks."""


def _toml(value: Any) -> str:
    """A value in TOML. A whole float is written as 3, and other floats to the last bit."""
    match value:
        case _Bare():
            return value
        case bool():
            return str(value).lower()
        case str():
            return quoted(value)
        case int() | Decimal():
            return str(value)
        case float() | np.floating():
            number = float(value)
            return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
        case dict():
            return "{ " + ", ".join(_mapped(value)) + " }"
        case _:
            return "[" + ", ".join(map(_toml, value)) + "]"


def _mapped(values: dict[str, Any]) -> list[str]:
    return [f"{written((key,))} = {_toml(value)}" for key, value in values.items()]


def _pairs(**values: Any) -> list[str]:
    """A line for each value that is not None."""
    return _mapped({key: value for key, value in values.items() if value is not None})


def _reward(reward: Reward) -> list[str]:
    bounds = [reward.low, reward.high] if reward.kind == "bounded" else None
    return _pairs(
        reward=reward.variable, success=None if reward.success is None else _value(reward.success), bounds=bounds
    )


def _value(text: str) -> str:
    """A named value. A whole number has no quotation marks."""
    return _Bare(text) if re.fullmatch("0|[1-9][0-9]{0,17}", text) else text


def _arms(problem: Problem) -> list[str]:
    usual = problem.arms == arms_of(problem.graph, problem.reward.variable, None, problem.observes)
    arms = [str(arm) for arm in problem.arms if arm != OBSERVATION]
    return _pairs(arms=None if usual else arms, observe=None if problem.observes else False)


def _policy(policy: Policy | None) -> Any:
    if policy is None:
        return None
    section = {"kind": policy.kind, **policy.parameters} | ({} if policy.name is None else {"name": policy.name})
    return section if len(section) > 1 else policy.kind


def _cost(problem: Problem) -> str | dict[str, _Bare] | None:
    """The costs in the shortest form that is exact: one number, by variable, or by arm."""
    if problem.horizon is not None:
        return None
    costs = dict(zip(problem.arms, problem.exact_costs, strict=True))
    observation = costs.pop(OBSERVATION, UNIT)
    special = {} if observation == UNIT else {str(OBSERVATION): _Bare(decimal_text(observation))}
    if not special and len(set(costs.values())) == 1:
        return decimal_text(problem.exact_costs[-1])
    by_variable = {name: cost for arm, cost in costs.items() for name in arm}
    if all(sum(by_variable[name] for name in arm) == cost for arm, cost in costs.items()):
        return special | {name: _Bare(decimal_text(cost)) for name, cost in by_variable.items()}
    return special | {str(arm): _Bare(decimal_text(cost)) for arm, cost in costs.items()}


def _variable(graph: Graph, variable: Variable, mechanism: Table | Linear | None) -> list[list[str]]:
    """The section of a variable, and the section of its table if it has one."""
    here = written(("variables", variable.name))
    values: dict[str, Any] = {"values": [_value(value) for value in variable.values] or "real"}
    if variable.parents:
        values["parents"] = list(variable.parents)
    if variable.hidden:
        values["hidden"] = True
    if variable.intervenable != bool(variable.values):
        values["intervenable"] = variable.intervenable
    rows: list[str] = []
    if isinstance(mechanism, Linear):
        values |= {"weights": dict(mechanism.weights), "noise": mechanism.noise}
        values |= {"intercept": mechanism.intercept} if mechanism.intercept else {}
    elif mechanism is not None:
        values |= {} if mechanism.given == variable.parents else {"given": list(mechanism.given)}
        if mechanism.given:
            rows = [f"[{here}.table]", *_rows([graph[cause] for cause in mechanism.given], mechanism.probabilities)]
        else:
            values["probabilities"] = list(mechanism.probabilities)
    return [[f"[{here}]", *_mapped(values)], *([rows] if rows else [])]


def _rows(causes: Sequence[Variable], table: Any) -> Iterable[str]:
    """A line per configuration. For two values it is the probability of the second, if that loses no bit."""
    for at in np.ndindex(table.shape[:-1]):
        row = table[at]
        short = len(row) == 2 and 1 - row[1] == row[0]
        yield f"{written((_configuration(causes, at),))} = {_toml(row[1] if short else list(row))}"


def _configuration(causes: Sequence[Variable], at: Sequence[int]) -> str:
    return ", ".join(cause.values[i] for cause, i in zip(causes, at, strict=True))


def _parents(problem: Problem) -> list[list[str]]:
    """P(parents of the reward | do(arm)), a section per arm."""
    if problem.parents is None:
        return []
    causes = [problem.graph[name] for name in problem.graph[problem.reward.variable].parents]
    configurations = list(np.ndindex(tuple(len(cause.values) for cause in causes)))
    return [
        [
            f"[{written(('reward_parents', str(arm)))}]",
            *_mapped({_configuration(causes, at): p for at, p in zip(configurations, row, strict=True)}),
        ]
        for arm, row in zip(problem.arms, problem.parents, strict=True)
    ]


def _check_writable(problem: Problem) -> None:
    """Refuse what a file cannot express: names with blanks around them, or a reward that its values do not suggest."""
    for variable in problem.graph.variables:
        for text in (variable.name, *variable.values):
            if text != text.strip():
                raise InputError(
                    f"{text!r} of {variable.name} begins or ends with a blank, which a file cannot express; rename it."
                )
    reward = problem.reward
    bounds = (reward.low, reward.high) if reward.kind == "bounded" else None
    if Reward.of(problem.graph, reward.variable, success=reward.success, bounds=bounds) != reward:
        raise InputError(
            f"The reward {reward.variable} is {reward.kind}, but its values suggest another kind; "
            "a file cannot express that."
        )
