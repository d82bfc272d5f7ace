"""The policies of this library against those of the paper: what is claimed of them, on the paper's worlds, on random ones and on odd ones.

Symbols as in nair2021.py. A policy of the paper is called as there, one of ours by its kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from .. import bounds, worlds
from ..mechanisms import Node, linear, node
from ..policies import UCB, CausalKL, CausalThompson
from ..problem import Problem
from ..world import World
from . import nair2021 as nair
from .claims import Claim, Every, Never
from .contrasts import Below, Better, Constant, Curve, NotMuchWorse, OnAverage
from .study import ALONG, CUMULATIVE, LEFT, LOST, LOST_IN_THE_END, SIMPLE, Axis, Data, Figure, Line, Panel, Paper, Part, Study, Wording

KL, TS = CausalKL(), CausalThompson()
OURS_EARN = [KL, TS]
CRM, F_KUBE, PLAIN = nair.CRM[2], nair.KUBE[2], UCB(name="UCB")

# Experiment 3: earning while learning

BUDGET_3, BUDGET_ALONG = 10_000, 30_000
ALONG_3 = range(1500, BUDGET_ALONG + 1, 1500)
EPSILONS = (0.5, 0.3)
NEAR, BETWEEN, DEAR = (1, 1.1), (1.5,), (2, 3)  # costs of an intervention; where they are dear watching is best
GAMMAS_3 = (*NEAR, *BETWEEN, *DEAR)
AS_GOOD_AS_NOTHING = 1.0  # a growth of regret, in rewards, over half of the money


def world_3(epsilon: float, gamma: float, budget: float) -> tuple[World, Problem]:
    world = nair.rare_pair(nair.RARE, epsilon)
    return world, world.problem(budget=int(budget), cost=gamma)


def slope_3(epsilon: float, gamma: float) -> float:
    """The factor of log T in the lower bound."""
    world, problem = world_3(epsilon, gamma, BUDGET_3)
    return bounds.lower_bound(world.means(problem), problem.view().prices, [1.0, *nair.chances(nair.RARE)])


def by_gamma(epsilon: float) -> Study:
    return Study(
        f"3-epsilon-{epsilon:g}",
        nair.GAMMA,
        GAMMAS_3,
        lambda gamma: world_3(epsilon, gamma, BUDGET_3),
        [CRM, F_KUBE, KL, TS],
        runs=200,
        measures=[CUMULATIVE],
        called=lambda gamma: f"ε = {epsilon:g}, γ = {gamma:g}, B = {BUDGET_3:,}",
    )


def along(epsilon: float, gamma: float) -> Study:
    return Study(
        along_id(epsilon, gamma),
        Axis("money", "money spent"),
        ALONG_3,
        lambda budget: world_3(epsilon, gamma, budget),
        [CRM, F_KUBE, KL, TS],
        runs=100,
        measures=[ALONG],
        checkpoints=True,
        called=lambda money: f"ε = {epsilon:g}, γ = {gamma:g}, B = {BUDGET_ALONG:,}" + (f", after {money:,.0f}" if money < BUDGET_ALONG else ""),
    )


def figure_3(epsilon: float, gamma: float) -> Figure:
    slope = slope_3(epsilon, gamma)
    told = f"Dashed: the lower bound {slope:.2f} log(money)." if slope > 0 else "The lower bound is 0."
    return Figure(
        along_id(epsilon, gamma),
        f"Cumulative regret with γ = {gamma:g}, ε = {epsilon:g}, B = {BUDGET_ALONG:,}, p = 0.02, M = 50, over the money spent. {told}",
        [Panel(along_id(epsilon, gamma), lines=[Line("lower bound", lambda money: slope * math.log(money))] if slope > 0 else (), log="y")],
    )


def along_id(epsilon: float, gamma: float) -> str:
    return f"3-along-{epsilon:g}-{gamma:g}"


def share_of_crm(policy: str, share: float, epsilon: float, gammas: tuple[float, ...]) -> list[Better]:
    """At both budgets, the regret of a policy is below a share of CRM-NB-ALG's."""
    small = f"3-epsilon-{epsilon:g}"
    return [
        Better(Curve(small, policy), Curve(small, CRM.label), share, where=lambda gamma: gamma in gammas),
        *(
            Better(Curve(along_id(epsilon, gamma), policy), Curve(along_id(epsilon, gamma), CRM.label), share, where=lambda b: b == BUDGET_ALONG)
            for gamma in gammas
        ),
    ]


def claims_3(policy: str, letter: str) -> list[Claim]:
    near = [contrast for epsilon in EPSILONS for contrast in share_of_crm(policy, 0.1, epsilon, NEAR)]
    between = [*share_of_crm(policy, 0.25, 0.5, BETWEEN), *share_of_crm(policy, 0.5, 0.3, BETWEEN)]
    dear = [contrast for epsilon in EPSILONS for contrast in share_of_crm(policy, 1.0, epsilon, DEAR)]
    flat = [Constant(Curve(along_id(epsilon, gamma), policy), least=AS_GOOD_AS_NOTHING) for epsilon in EPSILONS for gamma in DEAR]
    return [
        Claim(f"{letter}1", f"Where γ is 1 or 1.1, {policy} loses at most a tenth of what CRM-NB-ALG (2) loses.", Every(near)),
        Claim(f"{letter}2", f"Where γ is 1.5, {policy} loses at most a quarter (ε = 0.5) or half (ε = 0.3) of it.", Every(between)),
        Claim(f"{letter}3", f"Where watching is best (γ of 2 and 3), {policy} loses at most as much as CRM-NB-ALG (2).", Every(dear)),
        Claim(f"{letter}4", f"There the regret of {policy} is bounded: it hardly grows over the second half of the money.", Every(flat)),
    ]


def shows_3(data: Data) -> list[str]:
    told = []
    for epsilon in EPSILONS:
        curves = data[f"3-epsilon-{epsilon:g}"]
        regrets = "; ".join(
            f"{label}: " + ", ".join(f"{value:,.3g}" for value in curves.means(label)) for label in curves.samples["cumulative_regret"]
        )
        told.append(f"At ε = {epsilon:g}, B = {BUDGET_3:,} the mean regrets at γ = {', '.join(f'{gamma:g}' for gamma in GAMMAS_3)} are {regrets}.")
    distances = []
    for epsilon in EPSILONS:
        for gamma in (*NEAR, *BETWEEN):
            slope, curves = slope_3(epsilon, gamma), data[along_id(epsilon, gamma)]
            regret = curves.means(KL.label)
            if slope > 0:
                third = next(i for i, money in enumerate(ALONG_3) if 3 * money >= BUDGET_ALONG)
                grown = (regret[-1] - regret[third]) / (slope * math.log(ALONG_3[-1] / ALONG_3[third]))
                distances.append(
                    f"{regret[-1] / (slope * math.log(BUDGET_ALONG)):.1f} at ε = {epsilon:g}, γ = {gamma:g} (of its growth over the last two "
                    f"thirds of the money: {grown:.1f})"
                )
    none = [f"ε = {e:g}, γ = {g:g}" for e in EPSILONS for g in GAMMAS_3 if slope_3(e, g) == 0]
    return [
        *told,
        f"The distance of causal-kl to the lower bound C log B (docs/policies.md), as the ratio of its regret to it at B = {BUDGET_ALONG:,}: "
        f"{', '.join(distances)}. The bound is asymptotic, and at a finite budget the ratio is above 1 for what it costs to learn roughly. "
        f"It is 0, a bounded regret, at {', '.join(none)}.",
    ]


THREE = Part(
    id="3",
    title="Experiment 3: earning while learning",
    question="How much of what CRM-NB-ALG loses need not be lost?",
    studies=[*(by_gamma(epsilon) for epsilon in EPSILONS), *(along(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3)],
    figures=[figure_3(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3],
    shows=shows_3,
    claims=[*claims_3(KL.label, "K"), *claims_3(TS.label, "S")],
)

# Random worlds without backdoor paths

NUMBERS = range(1, 101)
SHARES = [i / 20 for i in range(1, 21)]
FACTOR, SLACK = 1.5, 0.01  # no world where it is worse than the best of the paper's by this factor, nor by this much


@cache
def random_world(number: float) -> tuple[World, Problem]:
    """3 to 30 variables of 2 to 4 values, of which the reward depends on up to four; costs of 1 to 20 and budgets of 1 to 100 times what
    every arm once costs, both uniform in their logarithm. A number names the same world always."""
    rng = np.random.default_rng([2026, int(number)])
    variables = int(rng.integers(3, 31))
    world = worlds.random_world(rng, variables=variables, values=(2, 4), parents=int(rng.integers(1, min(variables, 4) + 1)), backdoors=False)
    arms = len(world.problem(horizon=1).arms)
    costs = [1.0, *np.round(np.exp(rng.uniform(0, math.log(20), arms - 1)), 2)]
    budget = math.ceil(100 * sum(costs) * 10 ** rng.uniform(0, 2)) / 100
    return world, world.problem(budget=budget, cost=costs)


def worlds_claims(study: str, ours: str, others: list[str], letter: str, what: str) -> list[Claim]:
    one, rest = Curve(study, ours), [Curve(study, other) for other in others]
    return [
        Claim(
            f"{letter}1",
            f"On average over the worlds {ours} has a lower {what} than each of {', '.join(others)}.",
            Every([OnAverage(one, other) for other in rest]),
        ),
        Claim(
            f"{letter}2",
            f"In no world is it more than {FACTOR:g} times that of the best of them and by more than {SLACK:g} above it.",
            Never([NotMuchWorse(one, rest, FACTOR, SLACK)]),
        ),
    ]


def shows_worlds(study: str, ours: list[str], what: str) -> Callable[[Data], list[str]]:
    def shows(data: Data) -> list[str]:
        curves = data[study]
        means = {label: curves.means(label) for label in curves.samples[curves.study.measures[0].name]}
        told = "; ".join(f"{label}: mean {values.mean():.4f}, worst world {values.max():.3f}" for label, values in means.items())
        theirs = np.min([values for label, values in means.items() if label not in ours], axis=0)
        won = ", ".join(f"{label} in {(means[label] <= theirs).mean():.0%}" for label in ours)
        return [f"{what} over the {len(NUMBERS)} worlds. {told}.", f"At most that of the best of the paper's policies there: {won} of the worlds."]

    return shows


EARN = Part(
    id="worlds-earn",
    title="Random worlds: earning while learning",
    question="Does it hold in worlds that nobody chose?",
    studies=[
        Study(
            "worlds-earn",
            Axis("world", "random worlds"),
            NUMBERS,
            random_world,
            [CRM, F_KUBE, PLAIN, KL, TS],
            runs=60,
            measures=[LOST_IN_THE_END],
            rank=True,
        ),
        Study(
            "worlds-earn-along",
            Axis("share", "share of the money spent"),
            SHARES,
            random_world,
            [CRM, F_KUBE, PLAIN, KL, TS],
            runs=20,
            measures=[LOST],
            worlds=NUMBERS,
        ),
    ],
    figures=[
        Figure(
            "worlds-earn",
            f"Regret in parts of the best possible reward in {len(NUMBERS)} random no-backdoor worlds; in the order of each policy's.",
            [Panel("worlds-earn", log="y")],
        ),
        Figure(
            "worlds-earn-along",
            "The same on average over the worlds, over the share of the money that is spent. The bands are over the worlds.",
            [Panel("worlds-earn-along")],
        ),
    ],
    shows=shows_worlds("worlds-earn", [KL.label, TS.label], "Regret in parts of the best possible reward"),
    claims=[
        *worlds_claims("worlds-earn", KL.label, [CRM.label, F_KUBE.label, PLAIN.label], "WK", "regret"),
        *worlds_claims("worlds-earn", TS.label, [CRM.label, F_KUBE.label, PLAIN.label], "WS", "regret"),
    ],
)


# Worlds in which a policy could fail or get stuck

CASES: dict[str, Callable[[], World]] = {
    "the best arm is never seen by watching": lambda: _two_causes(0.0),
    "the best arm is hardly ever seen by watching": lambda: _two_causes(0.001),
    "all arms are equal": lambda: World([_coin("X"), node("Y", {0: 0.4, 1: 0.6})], reward="Y"),
    "an arm always pays": lambda: World([_coin("X"), node("Y", [0, 1], given="X", table={0: 0.2, 1: 1.0})], reward="Y"),
    "rewards of -1, 0 and 3": lambda: World(
        [_coin("X"), node("Y", [-1, 0, 3], given="X", table={0: [0.2, 0.4, 0.4], 1: [0.5, 0.3, 0.2]})], reward="Y"
    ),
    "rewards that are real numbers": lambda: World([_coin("X"), linear("Y", {"X": 0.5}, noise=0.2, intercept=0.2)], reward="Y"),
}
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
    lost = data["cases"].samples["share_lost"]
    worst = max(lost, key=lambda label: lost[label].mean(axis=1).max())
    at = int(lost[worst].mean(axis=1).argmax())
    numbers = "; ".join(f"{i + 1}: {name}" for i, name in enumerate(CASES))
    return [
        f"The cases are {numbers}. The most is lost by {worst} where {name_of_case(at + 1)}: {lost[worst][at].mean():.1%} of what could be earned."
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
            OURS_EARN,
            runs=200,
            measures=[LOST_IN_THE_END, SIMPLE, LEFT],
            called=name_of_case,
        ),
    ],
    figures=[Figure("cases", f"Regret in parts of the best possible reward with B = {BUDGET_CASES:,}, γ = {COST_CASES:g}.", [Panel("cases")])],
    shows=shows_cases,
    claims=[
        Claim(
            "R1",
            "None loses a tenth of what could be earned.",
            Every([Below(Curve("cases", policy.label), lambda x: 0.1, "0.1") for policy in OURS_EARN]),
        ),
        Claim(
            "R2",
            "Each names the best intervention in the end, or one as good to 0.02.",
            Every([Below(Curve("cases", policy.label, "simple_regret"), lambda x: 0.02, "0.02") for policy in OURS_EARN]),
        ),
        Claim(
            "R3",
            "None leaves money that could buy something.",
            Every([Below(Curve("cases", policy.label, "left_over"), lambda x: 1 / BUDGET_CASES, "an observation's cost") for policy in OURS_EARN]),
        ),
    ],
)

NOTES = [
    'A verdict is computed as in the report on the paper: one-sided t-tests on runs at level 5 %, Holm over the points of a claim. "Holds" is shown '
    'at every point, "fails" is refuted at one; of a claim that something happens nowhere, "holds" means refuted at no point.',
    "The policies of a simulation meet the same luck in a run, and differences are paired.",
    "CRM-NB-ALG and F-KUBE have the constant 2 in their radius, that of the proof, which is better for them than 8.",
    "Regrets of random worlds are in parts of G_B, the most that can be earned, so that worlds with a large budget do not outvote the others.",
    "The lower bound is that of arms whose means have nothing to do with each other: it binds policies that learn of an arm from its own samples.",
]

PAPER = Paper(
    id="ours",
    title="The policies of this library",
    reference="against those of Nair, Patil & Sinha (2021), on their experiments, on random worlds and on odd ones.",
    parts=[THREE, EARN, ODD],
    deviations=NOTES,
    wording=Wording(done=": the comparison", says="we claim", verdicts={"reproduced": "holds", "not reproduced": "fails"}, notes="Notes"),
)
