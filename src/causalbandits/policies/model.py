"""The pooled model of a problem: the exact means of all arms from the tables of its factors, for policies."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from ..problem import Problem
from .columns.factors import factor_tables
from .maths.circuit import Arm, Circuit, Table, circuit_of


def model_of(problem: Problem) -> Circuit:
    """The circuit for the means of all arms that are not learned as a whole, over the cells of `factor_tables`.

    A cell holds the probability of a value in its row; of a reward that is not binary, the mean in its row.
    """
    if problem not in _KEPT:
        _KEPT[problem] = _new_model(problem)
    return _KEPT[problem]


_KEPT: WeakKeyDictionary[Problem, Circuit] = WeakKeyDictionary()


def _new_model(problem: Problem) -> Circuit:
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
    arms = [
        Arm({name: graph[name].index(value) for name, value in arm.items()}, needed)
        for arm, needed in zip(problem.arms, tables.needed, strict=True)
    ]
    return circuit_of(factors, arms)
