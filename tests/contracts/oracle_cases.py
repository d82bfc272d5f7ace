"""A policy and its oracle, fed the same history."""

from __future__ import annotations

import importlib
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

import causalbandits as cb
from causalbandits.policies.columns import FACTORS
from causalbandits.policies.columns.factors import factor_tables
from causalbandits.policies.registry import home_of

from ..oracles.setting import Round, Setting
from .cases import Case, Driver, configurations_of

ORACLES = {kind: home_of(policy) for kind, policy in cb.policies.REGISTRY.items() if home_of(policy) is not None}


def oracle_of(kind: str) -> ModuleType:
    """The slow version of a policy, from the file of the same name in tests/oracles."""
    return importlib.import_module(f"..oracles.{ORACLES[kind]}", __package__)


def setting_of(case: Case) -> Setting:
    problem, parents = case.problem, case.problem.parents
    return Setting(
        arms=[dict(arm) for arm in problem.arms],
        costs=[Fraction(cost, 10**6) for cost in problem.exact_costs],
        share=case.policy.parameters.get("share", 0.5),
        per_cost=case.policy.parameters.get("per_cost", True),
        budget=Fraction(problem.exact_budget, 10**6),
        teaches=[bool(t) for t in problem.teaches],
        width=problem.reward.high - problem.reward.low if problem.reward_scale is None else 2 * problem.reward_scale,
        keeps_money=problem.keep_money,
        parents=None if parents is None else parents.tolist(),
        parent_cards=[len(case.world.graph[name].values) for name in case.world.graph[problem.reward.variable].parents],
        exploration=case.policy.parameters.get("exploration", 2.0),
        side_information=case.policy.parameters.get("side_information", True),
        cap=case.policy.parameters.get("cap", True),
        block=case.policy.parameters.get("block", 0.0),
        low=problem.reward.low,
        is_bounded=problem.reward.kind != "real",
        design=getattr(case.policy.view(problem), "design", np.zeros(0)).tolist(),
        **(factors_of(case) if case.policy.reads is FACTORS else {}),
    )


def factors_of(case: Case) -> dict[str, Any]:
    """What the graph says of the factors of a problem, for policies that read them."""
    tables, graph = factor_tables(case.problem), case.problem.graph
    return {
        "factors": tuple((factor.variable, factor.conditions) for factor in tables.factors),
        "needed": tables.needed,
        "taught": tables.taught,
        "values": {v.name: [str(value) for value in v.values] for v in graph.variables if v.values and not v.hidden},
        "reward": case.problem.reward.variable,
        "reward_parents": graph[case.problem.reward.variable].parents,
    }


def history_of(case: Case, trace: cb.Trace) -> list[Round]:
    seen = (
        configurations_of(case, trace).tolist()
        if case.policy.reads.name in ("parents", "both")
        else [None] * len(trace)
    )
    shown = [{name: str(values[r]) for name, values in trace.shown.items()} for r in range(len(trace))]
    return [Round(int(trace.arms[r]), float(trace.rewards[r]), shown[r], seen[r]) for r in range(len(trace))]


PARALLEL = cb.worlds.parallel(p=[0.05, 0.1, 0.5, 0.4], epsilon=0.3)
REAL = cb.World(
    [cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Z", {0: 0.5, 1: 0.5}), cb.linear("Y", {"X": 0.4, "Z": 0.2}, noise=0.3)],
    reward="Y",
)
CHAIN = cb.worlds.confounded_chain().problem(horizon=150, observe=False, reveal_parents=True)


W_GIVEN = {(0, 0): [0.5, 0.3, 0.2], (0, 1): [0.1, 0.6, 0.3], (1, 0): [0.3, 0.3, 0.4], (1, 1): [0.2, 0.1, 0.7]}
Y_GIVEN = {0: [0.5, 0.3, 0.2], 1: [0.2, 0.3, 0.5], 2: [0.4, 0.2, 0.4]}
LEVELS = cb.World(
    [
        cb.node("X", {0: 0.7, 1: 0.3}),
        cb.node("Z", {0: 0.5, 1: 0.5}),
        cb.node("W", [0, 1, 2], given=["X", "Z"], table=W_GIVEN),
        cb.node("Y", [-2, 1, 4], given="W", table=Y_GIVEN),
    ],
    reward="Y",
)


def after(case: Case, rounds: int) -> tuple[Driver, list[Round]]:
    """A driver that knows the first rounds of a trace, and these rounds."""
    trace = cb.trace(case.world, case.problem, case.policy, 3)
    driver = Driver(case, 3, 0)
    for r in range(rounds):
        driver.hand_out(int(trace.arms[r]), 1)
        driver.tell(trace, r, r + 1)
    return driver, history_of(case, trace)[:rounds]
