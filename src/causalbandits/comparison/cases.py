"""Odd worlds, in which a policy could fail or get stuck. All of our policies are run in each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..mechanisms import Node, linear, node
from ..policies.contract import Policy
from ..problem import Problem
from ..studies.claims import Claim, Every
from ..studies.contrasts import Below, Curve
from ..studies.study import MONEY_LEFT, SHARE_LOST, SIMPLE_REGRET, Axis, Data, Figure, Panel, Part, Study
from ..world import World
from .earn import CAUSAL_KL, CAUSAL_TS, CAUSAL_UCB_LEARNED, FACTOR_UCB
from .find import FACTOR_FIND, TOP_TWO
from .general import CAUSAL_UCB

EARNERS = [CAUSAL_KL, CAUSAL_TS, CAUSAL_UCB, CAUSAL_UCB_LEARNED, FACTOR_UCB]
ALL = [*EARNERS, TOP_TWO, FACTOR_FIND]
UNREVEALED = [FACTOR_UCB, FACTOR_FIND]  # they read P(parents) where it is revealed, so they are also run without it
CASES: dict[str, Callable[[], World]] = {
    "the best arm is never seen by watching": lambda: _two_causes(0.0),
    "the best arm is hardly ever seen by watching": lambda: _two_causes(0.001),
    "all arms are equal": lambda: World([_coin("X"), node("Y", {0: 0.4, 1: 0.6})], reward="Y"),
    "an arm always pays": lambda: World([_coin("X"), node("Y", [0, 1], given="X", table={0: 0.2, 1: 1.0})], reward="Y"),
    "rewards of -1, 0 and 3": lambda: World(
        [_coin("X"), node("Y", [-1, 0, 3], given="X", table={0: [0.2, 0.4, 0.4], 1: [0.5, 0.3, 0.2]})], reward="Y"
    ),
    "rewards that are real numbers": lambda: World(
        [_coin("X"), linear("Y", {"X": 0.5}, noise=0.2, intercept=0.2)], reward="Y"
    ),
    "real numbers far from 0": lambda: World(
        [_coin("X"), linear("Y", {"X": 1.0}, noise=0.5, intercept=20)], reward="Y"
    ),
}
NUMBERED = "; ".join(f"{i + 1}: {name}" for i, name in enumerate(CASES))
BUDGET_CASES, COST_CASES = 2000, 1.5


def _coin(name: str, probability: float = 0.5) -> Node:
    return node(name, {0: 1 - probability, 1: probability})


def _two_causes(probability: float) -> World:
    """X1 = 1 raises the mean reward from 0.5 to 0.9. Without an intervention it has this probability."""
    reward = node("Y", [0, 1], given="X1", table={0: 0.5, 1: 0.9})
    return World([_coin("X1", probability), _coin("X2"), reward], reward="Y")


def name_of_case(number: float) -> str:
    return list(CASES)[int(number) - 1]


def case(number: float) -> tuple[World, Problem]:
    world = CASES[name_of_case(number)]()
    return world, world.problem(budget=BUDGET_CASES, cost=COST_CASES, reveal_parents=True)


def unrevealed_case(number: float) -> tuple[World, Problem]:
    world = CASES[name_of_case(number)]()
    return world, world.problem(budget=BUDGET_CASES, cost=COST_CASES)


def curves(policies: Sequence[Policy], measure: str | None = None) -> list[Curve]:
    """Their curves in all cases, with and without P(parents)."""
    return [
        Curve(study, policy.label, measure)
        for study, known in (("cases", ALL), ("cases-unrevealed", UNREVEALED))
        for policy in policies
        if policy in known
    ]


def describe_cases(data: Data) -> list[str]:
    lost = {policy.label: data["cases"].samples["share_lost"][policy.label] for policy in EARNERS}
    lost["factor-ucb, told nothing,"] = data["cases-unrevealed"].samples["share_lost"][FACTOR_UCB.label]
    worst = max(lost, key=lambda label: lost[label].mean(axis=1).max())
    at = int(lost[worst].mean(axis=1).argmax())
    return [
        f"{worst} loses the most, in the case “{name_of_case(at + 1)}”: "
        f"{lost[worst][at].mean():.1%} of what could be earned."
    ]


ODD = Part(
    id="cases",
    title="Worlds in which a policy could get stuck",
    question="Is there a world in which one of our policies fails?",
    studies=[
        Study(
            "cases",
            Axis("case", "case"),
            range(1, len(CASES) + 1),
            case,
            ALL,
            runs=400,
            measures=[SHARE_LOST, SIMPLE_REGRET, MONEY_LEFT],
            value_name=name_of_case,
        ),
        Study(
            "cases-unrevealed",
            Axis("case", "case"),
            range(1, len(CASES) + 1),
            unrevealed_case,
            UNREVEALED,
            runs=400,
            measures=[SHARE_LOST, SIMPLE_REGRET, MONEY_LEFT],
            value_name=lambda number: f"{name_of_case(number)}, nothing revealed",
        ),
    ],
    figures=[
        Figure(
            "cases",
            f"Regret divided by the best possible reward, with B = {BUDGET_CASES:,}, γ = {COST_CASES:g}. {NUMBERED}.",
            [
                Panel(
                    "cases",
                    curves=[policy.label for policy in EARNERS],
                    ticks=[str(i + 1) for i in range(len(CASES))],
                )
            ],
        )
    ],
    describe=describe_cases,
    claims=[
        Claim(
            "R1",
            "Each of our policies for earning loses less than a tenth of what could be earned.",
            Every([Below(curve, lambda x: 0.1, "0.1") for curve in curves(EARNERS)]),
        ),
        Claim(
            "R2",
            "Each of our policies recommends the best intervention in the end, or one that is worse by less than 0.02.",
            Every([Below(curve, lambda x: 0.02, "0.02") for curve in curves(ALL, "simple_regret")]),
        ),
        Claim(
            "R3",
            "Each of our policies leaves money that could buy something in less than 2 % of the runs.",
            Every([Below(curve, lambda x: 0.02, "2 % of the runs") for curve in curves(ALL, "left_over")]),
        ),
    ],
)
