"""Read a problem file: the problem, and the policy, seed and lease that belong to it.

Reading makes no world: see world_files.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...advice.recommend import RecommendedPolicy, recommend_policy
from ...arms import arms_of, cost_key, costs_of
from ...errors import InputError, as_list, unknown
from ...graph import Graph, Variable
from ...intervention import Intervention
from ...money import millionths
from ...policies.checks import accept
from ...policies.contract import Policy
from ...policies.registry import policy_named
from ...problem import Problem, checked_scale
from ...reward import Reward
from ..paths import checked_path
from .distributions import Distributions, distributions_of, reward_parents
from .document import Document, VariableSection, is_at_the_top, misplaced, read_document, shown
from .source import Source


@dataclass(frozen=True)
class Setup:
    """The content of a problem file. `tables` are the probabilities as written, or None. `lease` is in seconds."""

    name: str
    problem: Problem
    policy: Policy | None
    seed: int | None
    lease: float | None
    tables: Distributions | None
    reference: str
    source: Source = field(repr=False, compare=False)

    @property
    def advice(self) -> RecommendedPolicy | None:
        """The recommended policy, if the file names none."""
        return recommend_policy(self.problem) if self.policy is None else None

    def policies(self, kinds: Sequence[str] = ()) -> list[Policy]:
        """The policies of these kinds. By default the policy of the file, or the recommended one.

        The policy of the file keeps its parameters. A policy that does not accept the problem is refused.
        """
        kinds = [kinds] if isinstance(kinds, str) else as_list("The kinds of policies", kinds, '["ucb"]')
        if not kinds and self.policy is None:
            return [recommend_policy(self.problem).policy]
        own = {} if self.policy is None else {self.policy.kind: self.policy}
        chosen = [own[kind] if kind in own else policy_named(kind)() for kind in kinds or own]
        for policy in chosen:
            with self.source.at():
                accept(policy, self.problem)
        return chosen


def read(path: str | Path) -> Setup:
    """Read a problem file. An error names the file, the line and the key."""
    path = checked_path(path)
    source, document = read_document(path)
    graph = _graph(source, document)
    tables = distributions_of(source, document, graph)
    problem = _problem(source, document, graph)
    with source.at("policy"):
        policy = None if document.policy is None else _policy(document.policy)
    return Setup(
        name=document.name or Path(path).stem,
        problem=problem,
        policy=policy,
        seed=document.seed,
        lease=document.lease,
        tables=tables,
        reference=document.reference,
        source=source,
    )


def _graph(source: Source, document: Document) -> Graph:
    variables = []
    for name, variable in document.variables.items():
        with source.at("variables", name):
            variables.append(_variable(name, variable))
        with source.at("variables", name, "parents"):
            for parent in variables[-1].parents:
                if parent not in document.variables:
                    raise unknown("variable", parent, document.variables)
    with source.at("variables"):
        return Graph(tuple(variables))


def _variable(name: str, section: VariableSection) -> Variable:
    parents = next((causes for causes in (section.parents, section.given, section.weights) if causes is not None), ())
    intervenable = bool(section.values) if section.intervenable is None else section.intervenable
    return Variable(name, section.values, tuple(parents), section.hidden, intervenable)


def _policy(section: Mapping[str, Any]) -> Policy:
    policy = policy_named(section["kind"])
    known = [parameter.name for parameter in fields(policy)]
    parameters: dict[str, Any] = {
        name: float(value) if isinstance(value, Decimal) else value for name, value in section.items() if name != "kind"
    }
    for name in parameters:
        if name not in known:
            raise unknown(f"parameter of {policy.kind} called", name, known)
    if not isinstance(parameters.get("name", ""), str):
        raise InputError(f"The name of a policy must be text in quotation marks, not {shown(parameters['name'])}.")
    return policy(**parameters)


def _problem(source: Source, document: Document, graph: Graph) -> Problem:
    """The problem. It is made step by step, so that an error names its key."""
    reward = _reward(source, document, graph)
    with source.at(*_stated(document, "arms")):
        arms = arms_of(graph, document.reward, document.arms, document.observe)
    _check_limit(source, document)
    _check_money(source, document, graph, arms)
    terms: dict[str, Any] = {
        "budget": document.budget,
        "horizon": document.horizon,
        "cost": document.cost,
        "arms": document.arms,
        "observe": document.observe,
        "objective": document.objective,
        "keep_money": document.keep_money,
    }
    if document.reward_scale is not None:
        with source.at("reward_scale"):
            terms["reward_scale"] = checked_scale(document.reward_scale, reward)
    with source.at(*_stated(document, "budget", "horizon")):  # whatever else can be wrong was checked before
        problem = Problem(graph, reward, **terms)
    if document.reward_parents is not None:
        parents = reward_parents(source, document.reward_parents, graph, document.reward, arms)
        with source.at("reward_parents"):
            problem = Problem(graph, reward, **terms, parents=parents)
    if document.strict:
        with source.at("strict"):
            problem = Problem(graph, reward, **terms, parents=problem.parents, strict=True)
    return problem


def _reward(source: Source, document: Document, graph: Graph) -> Reward:
    with source.at("reward"):
        graph[document.reward]
    with source.at(*_stated(document, "bounds", "success", "reward")):
        if document.bounds is not None and len(document.bounds) != 2:
            raise InputError(
                f"The bounds must be two numbers, the lower first, as in bounds = [0, 10], not {len(document.bounds)}."
            )
        return Reward.of(
            graph,
            document.reward,
            success=document.success,
            bounds=None if document.bounds is None else (document.bounds[0], document.bounds[1]),
        )


def _check_limit(source: Source, document: Document) -> None:
    """Refuse a file without a budget or horizon, or with both."""
    costs = document.cost if isinstance(document.cost, Mapping) else {}
    for name in costs:
        if is_at_the_top(name) and name not in document.variables:
            raise source.mistake(("cost", name), misplaced(name))
    if document.budget is None and document.horizon is None:
        raise source.mistake(
            (),
            "The file has neither a budget nor a horizon; "
            "add budget = 500 (money) or horizon = 500 (rounds) at the top, above the first section in [ ].",
        )
    if document.budget is not None and document.horizon is not None:
        raise source.mistake(("horizon",), "The file has a budget and a horizon; keep one of the two.")


def _check_money(source: Source, document: Document, graph: Graph, arms: Sequence[Intervention]) -> None:
    """Refuse an amount that is not money, a cost of something that no arm sets, and an arm without a cost."""
    if document.budget is not None:
        with source.at("budget"):
            millionths(document.budget, "budget")
    for name, amount in document.cost.items() if isinstance(document.cost, Mapping) else ():
        with source.at("cost", name):
            cost_key(graph, arms, name)
            millionths(amount, f"cost of {name}")
    with source.at("cost"):
        if document.cost is not None and document.horizon is not None:
            raise InputError("With a horizon every arm costs one round; give a budget to use costs.")
        costs_of(graph, arms, 1 if document.cost is None else document.cost)


def _stated(document: Document, *keys: str) -> tuple[str, ...]:
    """The first of these keys that the file has, as a place; an empty place if it has none."""
    return next(((key,) for key in keys if getattr(document, key) is not None), ())
