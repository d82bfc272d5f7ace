"""Random cases for the policies of the registry, and the tallies of a trace counted independently of the library."""

from __future__ import annotations

import numpy as np

import causalbandits as cb
from causalbandits import testing
from causalbandits.policies.columns import FACTORS
from causalbandits.policies.columns.factors import factor_tables
from causalbandits.testing.cases import Case, Driver

from ..policies.columns.slow import counted as counted_by_names
from ..policies.columns.slow import name_of

__all__ = ["Case", "Driver", "columns_of", "configurations_of", "random_case"]


def random_case(kind: str, seed: int) -> Case:
    """A random world and problem that the policy accepts; some of its parameters are not the default ones."""
    rng = np.random.default_rng(seed)
    policy = cb.policies.REGISTRY[kind]
    changed = {
        name: value * float(rng.choice([1, 1, 0.5, 1.5 if name == "share" else 4]))
        for name, value in policy().parameters.items()
        if isinstance(value, float)
    } | {name: bool(rng.random() < 0.5) for name, value in policy().parameters.items() if isinstance(value, bool)}
    return testing.random_case(policy(**changed, name=kind), seed, rng)


def columns_of(case: Case, trace: cb.Trace, first: int, last: int) -> dict[str, np.ndarray]:
    """What rounds of a trace showed, counted from the values shown: every column of every kind of tally, by name.

    Where a parent of the reward is hidden, the columns by configuration are left out.
    """
    problem, rewards = case.problem, trace.rewards[first:last]
    arms = len(problem.arms)
    holds = np.zeros((arms, last - first), bool)  # whether the arm's assignment held in an observation
    if problem.observes and trace.arms[first] == 0:
        for a, intervention in enumerate(problem.arms):
            if problem.backdoor_paths[a] is None:
                holds[a] = [all(trace.shown[n][r] == v for n, v in intervention.items()) for r in range(first, last)]
    counted = {
        "rounds": np.array(last - first),
        "reward": rewards.sum(),
        "shown": holds.sum(axis=1),
        "shown_reward": holds @ rewards,
    }
    if case.policy.reads is FACTORS:
        return counted | _cells_of(case, trace, first, last)
    if any(case.world.graph[name].hidden for name in case.world.graph[problem.reward.variable].parents):
        return counted
    configurations, number = configurations_of(case, trace)[first:last], problem.configurations
    return {
        **counted,
        "seen": np.bincount(configurations, minlength=number),
        "seen_reward": np.bincount(configurations, weights=rewards, minlength=number),
        "shown_seen": np.array([np.bincount(configurations[held], minlength=number) for held in holds]),
    }


def _cells_of(case: Case, trace: cb.Trace, first: int, last: int) -> dict[str, np.ndarray]:
    """The columns of counts per factor, from the slow count by names."""
    problem, tables = case.problem, factor_tables(case.problem)
    rounds = [({n: str(v[r]) for n, v in trace.shown.items()}, float(trace.rewards[r])) for r in range(first, last)]
    found, _, _ = counted_by_names(problem, problem.arms[int(trace.arms[first])], rounds)
    columns = np.zeros((3, tables.cells))
    for factor, card, offset in zip(tables.factors, tables.cards, tables.offsets, strict=True):
        for row, at in enumerate(np.ndindex(*[len(problem.graph[name].values) for name in factor.conditions])):
            names = tuple(problem.graph[name].values[i] for name, i in zip(factor.conditions, at, strict=True))
            for k in range(card):
                value: object = float(k) if problem.reward.kind == "binary" else "any"
                if factor.variable != problem.reward.variable:
                    value = problem.graph[factor.variable].values[k]
                columns[:, offset + row * card + k] = found.get((name_of(factor), names, value), (0, 0.0, 0.0))
    counts, sums, squares = columns
    return {"counts": counts, "sums": sums[tables.sums_from :], "squares": squares[tables.sums_from :]}


def configurations_of(case: Case, trace: cb.Trace) -> np.ndarray:
    """The configuration of the reward's parents in every round."""
    graph = case.world.graph
    number = np.zeros(len(trace), np.int64)
    for name in graph[case.problem.reward.variable].parents:
        values = list(graph[name].values)
        number = number * len(values) + np.array([values.index(v) for v in trace.shown[name]], np.int64)
    return number
