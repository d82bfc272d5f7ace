"""A world: a graph with mechanisms. It knows its exact means, and makes problems for learners."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arms import Cost, arms_of
from .errors import InputError, as_list, check_kind, check_truth, names_of
from .graph import Graph
from .intervention import Intervention
from .mechanisms import Linear, Node, Table
from .money import Money
from .problem import LARGEST_PARENT_TABLE, Objective, Problem
from .reward import Reward

InterventionLike = str | Mapping[str, Any]  # what Intervention.of reads


@dataclass(frozen=True, init=False, repr=False, eq=False)
class World:
    """Variables with their mechanisms. One of them is the reward.

    A reward with the values 0 and 1 is binary. If it has other names, `success` is the value that counts as 1.
    A reward whose values are other numbers, or with `bounds=(low, high)`, is bounded. A linear reward is real.
    It cannot be changed.
    """

    nodes: tuple[Node, ...]
    reference: str
    graph: Graph
    reward: Reward
    _mechanisms: dict[str, Table | Linear]

    def __init__(
        self,
        nodes: Sequence[Node],
        *,
        reward: str,
        success: Any = None,
        bounds: tuple[float, float] | None = None,
        reference: str = "",
    ) -> None:
        listed = tuple(as_list("The nodes of a world", nodes, '[cb.node("X", {0: 0.5, 1: 0.5}), ...]'))
        for node in listed:
            check_kind("A node of a world", node, Node, 'made with cb.node, as in cb.node("X", {0: 0.5, 1: 0.5})')
        check_kind("The reward", reward, str, "the name of a variable")
        check_kind("The reference", reference, str, "a text")
        graph = Graph(tuple(node.variable for node in listed))
        made = {node.variable.name: node.mechanism([graph[name] for name in node.given]) for node in listed}
        chosen = Reward.of(graph, reward, success=success, bounds=bounds)
        vars(self).update(nodes=listed, reference=reference, graph=graph, reward=chosen, _mechanisms=made)
        for name, mechanism in self.mechanisms.items():
            if isinstance(mechanism, Linear):
                if name != reward:
                    raise InputError(f"{name} is a real number but not the reward; only the reward may be linear.")
                if self.reward.kind == "bounded" and mechanism.noise > 0:
                    raise InputError(
                        f"{name} has Gaussian noise, so it has no bounds; leave out bounds=, or the noise."
                    )
                for cause in mechanism.given:
                    _numbers(self.graph[cause].values, f"{name} is linear in {cause}")
        if self.graph[reward].values:
            self.reward_values  # noqa: B018  raises an error if a value is not a number
        for variable in self.graph.variables:
            if reward in variable.parents and not self.graph[reward].values:
                raise InputError(
                    f"{variable.name} depends on {reward}, which is a real number; "
                    "a table needs causes with named values."
                )

    def __repr__(self) -> str:
        return f"World({len(self.nodes)} variables, reward {self.reward.variable})"

    @property
    def mechanisms(self) -> Mapping[str, Table | Linear]:
        """The mechanism of every variable."""
        return MappingProxyType(self._mechanisms)

    @cached_property
    def reward_values(self) -> NDArray[np.float64]:
        """The number that each named value of the reward counts as (empty for a linear reward)."""
        variable = self.graph[self.reward.variable]
        if self.reward.kind == "binary":
            return np.array([float(value == self.reward.success) for value in variable.values])
        return _numbers(variable.values, f"the reward {variable.name} is {self.reward.kind}")

    def problem(
        self,
        *,
        budget: Money | None = None,
        horizon: int | None = None,
        cost: Cost | None = None,
        arms: Sequence[InterventionLike] | None = None,
        observe: bool = True,
        reveal_parents: bool = False,
        strict: bool = False,
        objective: Objective = "find",
        reward_scale: float | None = None,
        keep_money: bool = False,
    ) -> Problem:
        """The problem that a learner gets. For the parameters see `Problem`.

        `reveal_parents` also gives it P(parents of the reward | do(arm)).
        """
        check_truth("reveal_parents", reveal_parents)
        parents = None
        if reveal_parents:
            interventions = arms_of(self.graph, self.reward.variable, arms, observe)
            parents = np.array([self.parent_distribution(arm).ravel() for arm in interventions])
        return Problem(
            self.graph,
            self.reward,
            budget=budget,
            horizon=horizon,
            cost=cost,
            arms=arms,
            observe=observe,
            parents=parents,
            strict=strict,
            objective=objective,
            reward_scale=reward_scale,
            keep_money=keep_money,
        )

    def mean(self, intervention: InterventionLike) -> float:
        """The exact mean of the reward under an intervention."""
        do = self._checked(intervention)
        mechanism = self.mechanisms[self.reward.variable]
        if isinstance(mechanism, Linear):
            means = (
                weight * float(self.marginal([cause], do) @ _numbers(self.graph[cause].values, cause))
                for cause, weight in mechanism.weights.items()
            )
            return mechanism.intercept + math.fsum(means)
        return float(self.marginal([self.reward.variable], do) @ self.reward_values)

    def means(self, problem: Problem) -> NDArray[np.float64]:
        """The exact mean of every arm of a problem. Arms with the same effect on the reward are computed once."""
        check_kind("The problem", problem, Problem, "a cb.Problem, such as world.problem(budget=50)")
        found: dict[frozenset[tuple[str, str]], float] = {}
        keys = []
        for arm in problem.arms:
            depends = set(self.needed([self.reward.variable], arm))
            keys.append(frozenset(setting for setting in arm.items() if setting[0] in depends))
            if keys[-1] not in found:
                found[keys[-1]] = self.mean(arm)
        return np.array([found[key] for key in keys])

    def parent_distribution(self, intervention: InterventionLike) -> NDArray[np.float64]:
        """The exact P(parents of the reward | do(intervention)), one axis per parent in the order of the graph."""
        parents = self.graph[self.reward.variable].parents
        configurations = math.prod(len(self.graph[name].values) for name in parents)
        if configurations > LARGEST_PARENT_TABLE:
            raise InputError(
                f"{self.reward.variable} has {len(parents)} parents with {configurations:.3g} configurations; "
                f"at most {LARGEST_PARENT_TABLE:,} can be revealed: choose a world with fewer, "
                "or a policy that does not need them."
            )
        return self.marginal(parents, self._checked(intervention))

    def marginal(self, names: Sequence[str], intervention: InterventionLike) -> NDArray[np.float64]:
        """The exact P(names | do(intervention)): the tables of the ancestors, multiplied and summed."""
        import opt_einsum

        do, names = self._checked(intervention), names_of("The names", names)
        for name in names:
            if not self.graph[name].values:
                raise InputError(f"{name} is a real number and has no table of probabilities; ask for its mean.")
        configurations = math.prod(len(self.graph[name].values) for name in names)
        if configurations > LARGEST_PARENT_TABLE or len(set(names)) < len(names):
            raise InputError(
                f"A marginal is a table of at most {LARGEST_PARENT_TABLE:,} numbers over different variables; "
                "name fewer of them."
            )
        index = {name: i for i, name in enumerate(self.graph.order)}
        operands: list[Any] = []
        for name in self.needed(names, do):
            if name in do:
                point = np.zeros(len(self.graph[name].values))
                point[self.graph[name].index(do[name])] = 1.0
                operands += [point, [index[name]]]
            else:
                table = self.mechanisms[name]
                assert isinstance(table, Table), "only the reward is linear, and nothing depends on it"
                operands += [table.probabilities, [index[cause] for cause in (*table.given, name)]]
        if not operands:
            return np.ones(())
        return np.asarray(opt_einsum.contract(*operands, [index[name] for name in names]))

    def needed(self, names: Sequence[str], do: InterventionLike) -> list[str]:
        """The variables on which `names` depend under an intervention, causes first.

        These are their ancestors through the tables. Ancestors of a variable that is set do not count.
        """
        do, stack = Intervention.of(do), names_of("The names", names)
        for name in stack:
            self.graph[name]
        found = set(stack)
        while stack:
            name = stack.pop()
            causes = () if name in do else self.mechanisms[name].given
            stack += [cause for cause in causes if cause not in found]
            found.update(causes)
        return [name for name in self.graph.order if name in found]

    def _checked(self, intervention: InterventionLike) -> Intervention:
        do = Intervention.of(intervention)
        if self.reward.variable in do:
            raise InputError(f"{do} sets the reward {self.reward.variable}; an intervention sets other variables.")
        self.graph.check(do)
        return do


def _numbers(values: Sequence[str], why: str) -> NDArray[np.float64]:
    try:
        numbers = np.array([float(value) for value in values])
    except ValueError:
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise InputError(f"The values {list(values)} must be finite numbers, because {why}.")
    return numbers
