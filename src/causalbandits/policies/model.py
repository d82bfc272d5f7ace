"""The pooled model of a problem: the exact means of all arms from the tables of its factors, for policies."""

from __future__ import annotations

from functools import lru_cache

from ..problem import Problem
from .columns.factors import factor_tables
from .maths.circuit import Arm, Circuit, Table, circuit_of


@lru_cache(maxsize=8)
def model_of(problem: Problem) -> Circuit:
    """The circuit for the means of all arms that are not learned as a whole, over the cells of `factor_tables`.

    A cell holds the probability of a value in its row; of a reward that is not binary, the mean in its row. If
    P(parents of the reward | do(a)) is known, its numbers are in the cells behind them, arm by arm.
    """
    tables, graph = factor_tables(problem), problem.graph
    factors = [
        Table(
            factor.variable,
            factor.conditions,
            tuple(len(graph[name].values) for name in factor.conditions),
            card,
            offset,
            factor.variable == problem.reward.variable,
        )
        for factor, card, offset in zip(tables.factors, tables.cards, tables.offsets, strict=True)
    ]
    if tables.uses_parents:
        return circuit_of(*_with_known_parents(problem, factors, tables.cells))
    arms = [
        Arm({name: graph[name].index(value) for name, value in arm.items()}, needed)
        for arm, needed in zip(problem.arms, tables.needed, strict=True)
    ]
    return circuit_of(factors, arms)


def _with_known_parents(problem: Problem, factors: list[Table], cells: int) -> tuple[list[Table], list[Arm]]:
    """The reward's table and, for every arm, the known table of the parents. What an arm sets is in the latter."""
    graph = problem.graph
    parents = graph[problem.reward.variable].parents
    if not parents:
        return factors, [Arm({}, (0,)) for _ in problem.arms]
    *conditions, last = parents
    sizes = [len(graph[name].values) for name in conditions]
    number = len(graph[last].values)
    known = [
        Table(last, tuple(conditions), tuple(sizes), number, cells + a * problem.configurations, False)
        for a in range(len(problem.arms))
    ]
    return [*factors, *known], [Arm({}, (0, 1 + a)) for a in range(len(problem.arms))]
