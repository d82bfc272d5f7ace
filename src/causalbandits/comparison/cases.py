"""Worlds in which a policy could fail or get stuck: our policies in each of them."""

from __future__ import annotations

from collections.abc import Callable

from ..mechanisms import Node, linear, node
from ..problem import Problem
from ..studies.claims import Claim, Every
from ..studies.contrasts import Below, Curve
from ..studies.study import LEFT, LOST_IN_THE_END, SIMPLE, Axis, Data, Figure, Panel, Part, Study
from ..world import World
from .earn import KL, LEARNED, TS
from .find import TOP_TWO
from .general import CAUSAL_UCB

EARN = [KL, TS, CAUSAL_UCB, LEARNED]
ALL = [*EARN, TOP_TWO]
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


def _coin(name: str, chance: float = 0.5) -> Node:
    return node(name, {0: 1 - chance, 1: chance})


def _two_causes(chance: float) -> World:
    """X1 = 1 pays 0.9 instead of 0.5, and has this chance to happen by itself."""
    return World([_coin("X1", chance), _coin("X2"), node("Y", [0, 1], given="X1", table={0: 0.5, 1: 0.9})], reward="Y")


def name_of_case(number: float) -> str:
    return list(CASES)[int(number) - 1]


def case(number: float) -> tuple[World, Problem]:
    world = CASES[name_of_case(number)]()
    return world, world.problem(budget=BUDGET_CASES, cost=COST_CASES, reveal_parents=True)


def shows_cases(data: Data) -> list[str]:
    lost = {policy.label: data["cases"].samples["share_lost"][policy.label] for policy in EARN}
    worst = max(lost, key=lambda label: lost[label].mean(axis=1).max())
    at = int(lost[worst].mean(axis=1).argmax())
    return [
        f"The most is lost by {worst} where {name_of_case(at + 1)}: {lost[worst][at].mean():.1%} of what could be earned."
    ]


ODD = Part(
    id="cases",
    title="Worlds in which a policy could get stuck",
    question="Is there a world in which one of them fails?",
    studies=[
        Study(
            "cases",
            Axis("case", "case"),
            range(1, len(CASES) + 1),
            case,
            ALL,
            runs=400,
            measures=[LOST_IN_THE_END, SIMPLE, LEFT],
            called=name_of_case,
        ),
    ],
    figures=[
        Figure(
            "cases",
            f"Regret in parts of the best possible reward with B = {BUDGET_CASES:,}, γ = {COST_CASES:g}. {NUMBERED}.",
            [Panel("cases", curves=[policy.label for policy in EARN], ticks=[str(i + 1) for i in range(len(CASES))])],
        )
    ],
    shows=shows_cases,
    claims=[
        Claim(
            "R1",
            "None that is to earn loses a tenth of what could be earned.",
            Every([Below(Curve("cases", policy.label), lambda x: 0.1, "0.1") for policy in EARN]),
        ),
        Claim(
            "R2",
            "Each names the best intervention in the end, or one as good to 0.02.",
            Every([Below(Curve("cases", policy.label, "simple_regret"), lambda x: 0.02, "0.02") for policy in ALL]),
        ),
        Claim(
            "R3",
            "None leaves money that could buy something, but for 2 % of the runs at most.",
            Every(
                [Below(Curve("cases", policy.label, "left_over"), lambda x: 0.02, "2 % of the runs") for policy in ALL]
            ),
        ),
    ],
)
