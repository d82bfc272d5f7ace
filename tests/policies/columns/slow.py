"""The oracle of counts per factor: every round on its own, in plain Python, by names instead of places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import causalbandits as cb
from causalbandits.identify.factors import Factor, teaches
from causalbandits.identify.projection import project
from causalbandits.policies.columns.factors import factor_tables

Counts = dict[tuple[str, tuple[str, ...], object], list[float]]  # rounds, sum and squares of rewards


def name_of(factor: Factor) -> str:
    """P(Y | X) where X was set, and another name where X was seen and hidden causes connect both."""
    return f"{factor} with {', '.join(factor.given)} seen" if factor.given else str(factor)


def counted(
    problem: cb.Problem, did: Mapping[str, str], rounds: Sequence[tuple[Mapping[str, str], float]]
) -> tuple[Counts, np.ndarray, np.ndarray]:
    """The cells of the rounds of an intervention, and what they show of every arm."""
    projection = project(problem.graph)
    tables = factor_tables(problem)
    cells: Counts = {}
    shown, shown_reward = np.zeros(len(problem.arms), int), np.zeros(len(problem.arms))
    for values, reward in rounds:
        for factor in tables.factors:
            if not teaches(projection, tuple(did), factor) or not set(factor.conditions) <= set(values):
                continue
            value: object = values.get(factor.variable)
            if factor.variable == problem.reward.variable:
                value = reward if problem.reward.kind == "binary" else "any"
            if value is None:
                continue
            cell = cells.setdefault(
                (name_of(factor), tuple(values[c] for c in factor.conditions), value), [0, 0.0, 0.0]
            )
            cell[0] += 1
            cell[1] += reward
            cell[2] += reward**2
        for a, arm in enumerate(problem.arms):
            is_watched = problem.observes and not did and (not arm or problem.teaches[a])
            if is_watched and all(values.get(name) == value for name, value in arm.items()):
                shown[a] += 1
                shown_reward[a] += reward
    return cells, shown, shown_reward


def cells_of(problem: cb.Problem, tally: object) -> Counts:
    """The cells of a tally that are not empty, by names."""
    tables, reward = factor_tables(problem), problem.reward
    cells: Counts = {}
    for factor, card, offset in zip(tables.factors, tables.cards, tables.offsets, strict=True):
        sizes = [len(problem.graph[name].values) for name in factor.conditions]
        for row, at in enumerate(np.ndindex(*sizes)):
            names = tuple(problem.graph[name].values[i] for name, i in zip(factor.conditions, at, strict=True))
            for k in range(card):
                cell = offset + row * card + k
                count = int(tally.counts[cell])
                value: object = float(k) if reward.kind == "binary" else "any"
                if factor.variable != reward.variable:
                    value = problem.graph[factor.variable].values[k]
                if cell >= tables.sums_from:
                    i = cell - tables.sums_from
                    sums = [float(tally.sums[i]), float(tally.squares[i])]
                else:
                    sums = []
                if count or any(sums):
                    cells[name_of(factor), names, value] = [count, *sums]
    return cells
