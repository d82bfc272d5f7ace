"""Problem files: a problem, and what belongs to it, as an experimenter writes it in TOML. Reading makes no world: see world_files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...advice.recommend import RecommendedPolicy, recommend_policy
from ...errors import InputError, unknown
from ...graph import Graph, Variable
from ...money import millionths
from ...policies.checks import accept
from ...policies.contract import Policy
from ...policies.registry import policy_named
from ...problem import Problem, Reward, arms_of
from .distributions import Tables, reward_parents, tables_of
from .document import Document, VariableSaid, is_at_the_top, misplaced, read_document, shown
from .source import Source


@dataclass(frozen=True)
class Setup:
    """What a problem file says. `tables` are the probabilities of the variables as written, or None; `lease` is in seconds."""

    name: str
    problem: Problem
    policy: Policy | None
    seed: int | None
    lease: float | None
    tables: Tables | None
    reference: str
    source: Source = field(repr=False, compare=False)

    @property
    def advice(self) -> RecommendedPolicy | None:
        """The recommended policy, where the file names none."""
        return recommend_policy(self.problem) if self.policy is None else None

    def policies(self, kinds: Sequence[str] = ()) -> list[Policy]:
        """The policies of these kinds, the file's own with its parameters; of none, the file's own or the recommended one.

        One that cannot play the problem is refused.
        """
        if not kinds and self.policy is None:
            return [recommend_policy(self.problem).policy]
        own = {} if self.policy is None else {self.policy.kind: self.policy}
        chosen = [own[kind] if kind in own else policy_named(kind)() for kind in kinds or own]
        for policy in chosen:
            with self.source.at():
                accept(policy, self.problem)
        return chosen


def read(path: str | Path) -> Setup:
    """Read a problem file; a mistake is answered with the file, the line and the key."""
    source, said = read_document(path)
    graph = _graph(source, said)
    tables = tables_of(source, said, graph)
    problem = _problem(source, said, graph)
    with source.at("policy"):
        policy = None if said.policy is None else _policy(said.policy)
    return Setup(said.name or Path(path).stem, problem, policy, said.seed, said.lease, tables, said.reference, source)


def _graph(source: Source, said: Document) -> Graph:
    variables = []
    for name, variable in said.variables.items():
        with source.at("variables", name):
            variables.append(_variable(name, variable))
        with source.at("variables", name, "parents"):
            for parent in variables[-1].parents:
                if parent not in said.variables:
                    raise unknown("variable", parent, said.variables)
    with source.at("variables"):
        return Graph(tuple(variables))


def _variable(name: str, said: VariableSaid) -> Variable:
    parents = next((causes for causes in (said.parents, said.given, said.weights) if causes is not None), ())
    intervenable = bool(said.values) if said.intervenable is None else said.intervenable
    return Variable(name, said.values, tuple(parents), said.hidden, intervenable)


def _policy(said: Mapping[str, Any]) -> Policy:
    made = policy_named(said["kind"])
    known = [parameter.name for parameter in fields(made)]
    parameters: dict[str, Any] = {
        name: float(value) if isinstance(value, Decimal) else value for name, value in said.items() if name != "kind"
    }
    for name in parameters:
        if name not in known:
            raise unknown(f"parameter of {made.kind} called", name, known)
    if not isinstance(parameters.get("name", ""), str):
        raise InputError(f"The name of a policy must be text in quotation marks, not {shown(parameters['name'])}.")
    return made(**parameters)


def _problem(source: Source, said: Document, graph: Graph) -> Problem:
    """The problem, made step by step, so that a mistake is told with its key."""
    reward = _reward(source, said, graph)
    with source.at(*_stated(said, "arms")):
        arms = arms_of(graph, said.reward, said.arms, said.observe)
    _check_money(source, said)
    whole: dict[str, Any] = {
        "budget": said.budget,
        "horizon": said.horizon,
        "cost": said.cost,
        "arms": said.arms,
        "observe": said.observe,
    }
    whole["objective"] = said.objective
    with source.at(*_stated(said, "cost", "budget", "horizon")):
        problem = Problem(graph, reward, **whole)
    if said.reward_parents is not None:
        parents = reward_parents(source, said.reward_parents, graph, said.reward, arms)
        with source.at("reward_parents"):
            problem = Problem(graph, reward, **whole, parents=parents)
    if said.strict:
        with source.at("strict"):
            problem = Problem(graph, reward, **whole, parents=problem.parents, strict=True)
    return problem


def _reward(source: Source, said: Document, graph: Graph) -> Reward:
    with source.at("reward"):
        graph[said.reward]
    with source.at(*_stated(said, "bounds", "success", "reward")):
        if said.bounds is not None and len(said.bounds) != 2:
            raise InputError(
                f"The bounds must be two numbers, the lower first, as in bounds = [0, 10], not {len(said.bounds)}."
            )
        return Reward.of(
            graph,
            said.reward,
            success=said.success,
            bounds=None if said.bounds is None else (said.bounds[0], said.bounds[1]),
        )


def _check_money(source: Source, said: Document) -> None:
    """Refuse an amount that is no money; that there is one for every arm is seen by the problem."""
    if said.budget is not None:
        with source.at("budget"):
            millionths(said.budget, "budget")
    for name, amount in said.cost.items() if isinstance(said.cost, Mapping) else ():
        with source.at("cost", name):
            if is_at_the_top(name) and name not in said.variables:
                raise misplaced(name)
            millionths(amount, f"cost of {name}")


def _stated(said: Document, *keys: str) -> tuple[str, ...]:
    """The first of the keys that the file states, as a place; nowhere if it states none."""
    return next(((key,) for key in keys if getattr(said, key) is not None), ())
