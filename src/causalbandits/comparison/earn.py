"""Earning while learning: causal-kl and causal-ts against CRM-NB-ALG, F-KUBE and UCB."""

from __future__ import annotations

import math

import numpy as np

from .. import bounds
from ..money import UNIT
from ..papers.nair2021 import paper as nair
from ..policies.causal_kl import CausalKL
from ..policies.causal_ts import CausalThompson
from ..policies.causal_ucb_learned import CausalUCBLearned
from ..policies.ucb import UCB
from ..problem import Problem
from ..studies.claims import Claim, Every
from ..studies.contrasts import Better, Curve, Settled
from ..studies.formatting import short
from ..studies.study import ALONG, CUMULATIVE, LOST, LOST_IN_THE_END, Axis, Data, Figure, Line, Panel, Part, Study
from ..world import World
from .worlds import AXIS, NUMBERS, SHARES, random_world, shows_worlds, worlds_claims

KL, TS, LEARNED = CausalKL(), CausalThompson(), CausalUCBLearned()
CRM, F_KUBE, PLAIN = nair.CRM[2], nair.KUBE[2], UCB(name="UCB")
EARNERS = [CRM, F_KUBE, PLAIN, KL, TS, LEARNED]

# Experiment 3: earning while learning

BUDGET_3, BUDGET_ALONG = 10_000, 30_000
ALONG_3 = range(1500, BUDGET_ALONG + 1, 1500)
EPSILONS = (0.5, 0.3)
NEAR, BETWEEN, DEAR = (1, 1.1), (1.5,), (2, 3)  # costs of an intervention; where they are dear watching is best
GAMMAS_3 = (*NEAR, *BETWEEN, *DEAR)
NOTHING = 1.0  # in rewards, over half of the money; the cost of a single intervention tried in vain is as much
FEW_RUNS = 0.03


def world_3(epsilon: float, gamma: float, budget: float) -> tuple[World, Problem]:
    world = nair.rare_pair(nair.RARE, epsilon)
    return world, world.problem(budget=int(budget), cost=gamma)


def slope_3(epsilon: float, gamma: float) -> float:
    """The factor of log T in the lower bound."""
    world, problem = world_3(epsilon, gamma, BUDGET_3)
    return bounds.lower_bound(world.means(problem), np.array(problem.costs) / UNIT, [1.0, *nair.chances(nair.RARE)])


def by_gamma_id(epsilon: float) -> str:
    return f"3-epsilon-{epsilon:g}"


def by_gamma(epsilon: float) -> Study:
    return Study(
        by_gamma_id(epsilon),
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
        runs=300 if gamma in DEAR else 100,  # few runs would not show that none loses anything
        measures=[ALONG],
        checkpoints=True,
        called=lambda money: (
            f"ε = {epsilon:g}, γ = {gamma:g}, B = {BUDGET_ALONG:,}"
            + (f", after {money:,.0f}" if money < BUDGET_ALONG else "")
        ),
    )


def figure_3(epsilon: float, gamma: float) -> Figure:
    slope = slope_3(epsilon, gamma)
    told = f"Dashed: the lower bound {slope:.2f} log(money)." if slope > 0 else "The lower bound is 0."
    return Figure(
        along_id(epsilon, gamma),
        f"Cumulative regret with γ = {gamma:g}, ε = {epsilon:g}, B = {BUDGET_ALONG:,}, p = 0.02, M = 50, over the money spent. {told}",
        [
            Panel(
                along_id(epsilon, gamma),
                lines=[Line("lower bound", lambda money: slope * math.log(money))] if slope > 0 else (),
                log="y",
            )
        ],
    )


def along_id(epsilon: float, gamma: float) -> str:
    return f"3-along-{epsilon:g}-{gamma:g}"


def share_of_crm(policy: str, share: float, epsilon: float, gammas: tuple[float, ...]) -> list[Better]:
    """At both budgets, the regret of a policy is below a share of CRM-NB-ALG's."""
    small = by_gamma_id(epsilon)
    return [
        Better(Curve(small, policy), Curve(small, CRM.label), share, where=lambda gamma: gamma in gammas),
        *(
            Better(
                Curve(along_id(epsilon, gamma), policy),
                Curve(along_id(epsilon, gamma), CRM.label),
                share,
                where=lambda b: b == BUDGET_ALONG,
            )
            for gamma in gammas
        ),
    ]


def claims_3(policy: str, letter: str) -> list[Claim]:
    near = [contrast for epsilon in EPSILONS for contrast in share_of_crm(policy, 0.1, epsilon, NEAR)]
    between = [*share_of_crm(policy, 0.25, 0.5, BETWEEN), *share_of_crm(policy, 0.5, 0.3, BETWEEN)]
    dear = [contrast for epsilon in EPSILONS for contrast in share_of_crm(policy, 1.0, epsilon, DEAR)]
    flat = [
        Settled(Curve(along_id(epsilon, gamma), policy), NOTHING, FEW_RUNS) for epsilon in EPSILONS for gamma in DEAR
    ]
    return [
        Claim(
            f"{letter}1",
            f"Where γ is 1 or 1.1, {policy} loses at most a tenth of what CRM-NB-ALG (2) loses.",
            Every(near),
        ),
        Claim(
            f"{letter}2",
            f"Where γ is 1.5, {policy} loses at most a quarter (ε = 0.5) or half (ε = 0.3) of what CRM-NB-ALG (2) does.",
            Every(between),
        ),
        Claim(
            f"{letter}3",
            f"Where watching is best (γ of 2 and 3), {policy} loses at most as much as CRM-NB-ALG (2).",
            Every(dear),
        ),
        Claim(
            f"{letter}4",
            f"Where watching is best {policy}'s regret is bounded: in the second half {FEW_RUNS:.0%} of the runs at most lose more than {NOTHING:g}.",
            Every(flat),
        ),
    ]


def shows_3(data: Data) -> list[str]:
    told = []
    for epsilon in EPSILONS:
        curves = data[by_gamma_id(epsilon)]
        regrets = "; ".join(
            f"{label}: " + ", ".join(short(m, 3) for m in curves.means(label))
            for label in curves.samples["cumulative_regret"]
        )
        told.append(
            f"At ε = {epsilon:g}, B = {BUDGET_3:,} the mean regrets at γ = {', '.join(f'{gamma:g}' for gamma in GAMMAS_3)} are {regrets}."
        )
    distances = []
    for epsilon in EPSILONS:
        small, at = data[by_gamma_id(epsilon)].means(KL.label), {gamma: i for i, gamma in enumerate(GAMMAS_3)}
        for gamma in GAMMAS_3:
            if (slope := slope_3(epsilon, gamma)) > 0:
                ratios = [
                    regret / (slope * math.log(budget))
                    for budget, regret in (
                        (BUDGET_3, small[at[gamma]]),
                        (BUDGET_ALONG, data[along_id(epsilon, gamma)].means(KL.label)[-1]),
                    )
                ]
                distances.append(f"{ratios[0]:.1f} and {ratios[1]:.1f} at ε = {epsilon:g}, γ = {gamma:g}")
    none = [f"ε = {e:g}, γ = {g:g}" for e in EPSILONS for g in GAMMAS_3 if slope_3(e, g) == 0]
    return [
        *told,
        "The distance of causal-kl to the lower bound C log B (docs/policies/causal-kl.md has C), as the ratio of its regret to it at "
        f"B = {BUDGET_3:,} and {BUDGET_ALONG:,}: {'; '.join(distances)}. The bound is asymptotic: at a finite budget a regret may be below it, and "
        f"is above it by what it costs to learn roughly. C is 0, which means a bounded regret, at {'; '.join(none)}.",
    ]


THREE = Part(
    id="3",
    title="Experiment 3: earning while learning",
    question="How much of what CRM-NB-ALG loses need not be lost?",
    studies=[
        *(by_gamma(epsilon) for epsilon in EPSILONS),
        *(along(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3),
    ],
    figures=[figure_3(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3],
    shows=shows_3,
    claims=[*claims_3(KL.label, "K"), *claims_3(TS.label, "S")],
)


# Random worlds

WORLDS = Part(
    id="worlds-earn",
    title="Earning in random worlds",
    question="Does it hold in worlds that nobody chose?",
    studies=[
        Study(
            "worlds-earn",
            AXIS,
            NUMBERS,
            random_world,
            EARNERS,
            runs=60,
            measures=[LOST_IN_THE_END],
            rank=True,
        ),
        Study(
            "worlds-earn-along",
            Axis("share", "share of the money spent"),
            SHARES,
            random_world,
            EARNERS,
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
    shows=shows_worlds(
        "worlds-earn", [KL.label, TS.label, LEARNED.label], "Regret in parts of the best possible reward"
    ),
    claims=[
        *worlds_claims("worlds-earn", KL.label, [CRM.label, F_KUBE.label, PLAIN.label], "WK", "regret"),
        *worlds_claims("worlds-earn", TS.label, [CRM.label, F_KUBE.label, PLAIN.label], "WS", "regret"),
        *worlds_claims("worlds-earn", LEARNED.label, [CRM.label, F_KUBE.label, PLAIN.label], "WL", "regret"),
    ],
)
