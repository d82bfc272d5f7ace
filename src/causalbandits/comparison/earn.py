"""Earning while learning: causal-kl, causal-ts and factor-ucb against CRM-NB-ALG, F-KUBE and UCB."""

from __future__ import annotations

import math

import numpy as np

from .. import bounds
from ..papers.nair2021 import settings as nair2021
from ..policies.causal_kl import CausalKL
from ..policies.causal_ts import CausalThompson
from ..policies.causal_ucb_learned import CausalUCBLearned
from ..policies.contract import Policy
from ..policies.factor_ucb import FactorUCB
from ..policies.ucb import UCB
from ..studies.claims import Claim, Every, NotShown
from ..studies.contrasts import Better, Curve, NotMuchWorse, OnAverage, Settled, anywhere
from ..studies.formatting import short
from ..studies.pooled import Pooled
from ..studies.study import (
    CUMULATIVE_REGRET,
    REGRET_AT_CHECKPOINTS,
    SHARE_LOST,
    SHARE_LOST_AT_CHECKPOINTS,
    Axis,
    Data,
    Figure,
    Line,
    Panel,
    Part,
    Study,
)
from .worlds import AXIS, FACTOR, MARGIN, NUMBERS, SHARES, as_good_claims, describe_worlds, random_world, worlds_claims

CAUSAL_KL, CAUSAL_TS, CAUSAL_UCB_LEARNED, FACTOR_UCB = CausalKL(), CausalThompson(), CausalUCBLearned(), FactorUCB()
CRM, F_KUBE, PLAIN_UCB = nair2021.CRM[2], nair2021.KUBE[2], UCB(name="UCB")
THEIRS, OURS = [CRM, F_KUBE, PLAIN_UCB], [CAUSAL_KL, CAUSAL_TS, CAUSAL_UCB_LEARNED, FACTOR_UCB]

# Experiment 3: earning while learning

SMALL_BUDGET, LARGE_BUDGET = 10_000, 30_000
CHECKPOINTS = range(1500, LARGE_BUDGET + 1, 1500)
EPSILONS = (0.5, 0.3)
LOW_COSTS, MEDIUM_COSTS, HIGH_COSTS = (1, 1.1), (1.5,), (2, 3)  # of an intervention; at high costs watching is best
GAMMAS_3 = (*LOW_COSTS, *MEDIUM_COSTS, *HIGH_COSTS)
LITTLE = 10.0  # at most 0.2 % of what these budgets can earn
SMALL_LOSS = 1.0  # a run that loses less than one reward over the second half of the money counts as settled
FEW_RUNS = 0.03


def slope_3(epsilon: float, gamma: float) -> float:
    """The factor of log T in the lower bound."""
    world, problem = nair2021.setting_3(SMALL_BUDGET, epsilon, gamma)
    probabilities = [1.0, *nair2021.probabilities(nair2021.RARE)]
    return bounds.lower_bound(world.means(problem), np.array(problem.costs, float), probabilities)


def by_gamma_id(epsilon: float) -> str:
    return f"3-epsilon-{epsilon:g}"


def by_gamma(epsilon: float) -> Study:
    """The small budget, with the cost of an intervention as the axis."""
    return Study(
        by_gamma_id(epsilon),
        nair2021.GAMMA,
        GAMMAS_3,
        lambda gamma: nair2021.setting_3(SMALL_BUDGET, epsilon, gamma),
        [CRM, F_KUBE, CAUSAL_KL, CAUSAL_TS, FACTOR_UCB],
        runs=200,
        measures=[CUMULATIVE_REGRET],
        value_name=lambda gamma: f"ε = {epsilon:g}, γ = {gamma:g}, B = {SMALL_BUDGET:,}",
    )


def by_money_id(epsilon: float, gamma: float) -> str:
    return f"3-along-{epsilon:g}-{gamma:g}"


def by_money(epsilon: float, gamma: float) -> Study:
    """The large budget, with the money spent as the axis."""

    def value_name(money: float) -> str:
        after = f", after {money:,.0f}" if money < LARGE_BUDGET else ""
        return f"ε = {epsilon:g}, γ = {gamma:g}, B = {LARGE_BUDGET:,}{after}"

    return Study(
        by_money_id(epsilon, gamma),
        Axis("money", "money spent"),
        CHECKPOINTS,
        lambda budget: nair2021.setting_3(budget, epsilon, gamma),
        [CRM, F_KUBE, CAUSAL_KL, CAUSAL_TS, FACTOR_UCB],
        runs=300 if gamma in HIGH_COSTS else 100,  # few runs would not show that hardly any run loses something
        measures=[REGRET_AT_CHECKPOINTS],
        checkpoints=True,
        value_name=value_name,
    )


def figure_3(epsilon: float, gamma: float) -> Figure:
    slope = slope_3(epsilon, gamma)
    lines = [Line("lower bound", lambda money: slope * math.log(money))] if slope > 0 else []
    lower_bound = f"Dashed: the lower bound {slope:.2f} log(money)." if slope > 0 else "The lower bound is 0."
    return Figure(
        by_money_id(epsilon, gamma),
        f"Cumulative regret with γ = {gamma:g}, ε = {epsilon:g}, B = {LARGE_BUDGET:,}, p = 0.02, M = 50, "
        f"over the money spent. {lower_bound}",
        [Panel(by_money_id(epsilon, gamma), lines=lines, log="y")],
    )


def share_of_crm(policy: str, share: float, epsilon: float, gammas: tuple[float, ...]) -> list[Better]:
    """At both budgets, the regret of a policy is below a share of CRM-NB-ALG's."""
    small = by_gamma_id(epsilon)
    large = [by_money_id(epsilon, gamma) for gamma in gammas]
    return [
        Better(Curve(small, policy), Curve(small, CRM.label), share, where=lambda gamma: gamma in gammas),
        *(
            Better(Curve(study, policy), Curve(study, CRM.label), share, where=lambda money: money == LARGE_BUDGET)
            for study in large
        ),
    ]


def claims_3(policy: str, prefix: str) -> list[Claim]:
    low = [contrast for epsilon in EPSILONS for contrast in share_of_crm(policy, 0.1, epsilon, LOW_COSTS)]
    medium = [*share_of_crm(policy, 0.25, 0.5, MEDIUM_COSTS), *share_of_crm(policy, 0.5, 0.3, MEDIUM_COSTS)]
    high = [contrast for epsilon in EPSILONS for contrast in share_of_crm(policy, 1.0, epsilon, HIGH_COSTS)]
    settled = [
        Settled(Curve(by_money_id(epsilon, gamma), policy), SMALL_LOSS, FEW_RUNS)
        for epsilon in EPSILONS
        for gamma in HIGH_COSTS
    ]
    return [
        Claim(
            f"{prefix}1",
            f"Where γ is 1 or 1.1, {policy} loses at most a tenth of what CRM-NB-ALG (2) loses.",
            Every(low),
        ),
        Claim(
            f"{prefix}2",
            f"Where γ is 1.5, {policy} loses at most a quarter (ε = 0.5) or half (ε = 0.3) "
            "of what CRM-NB-ALG (2) loses.",
            Every(medium),
        ),
        Claim(
            f"{prefix}3",
            f"Where watching is best (γ is 2 or 3), {policy} loses at most as much as CRM-NB-ALG (2).",
            Every(high),
        ),
        Claim(
            f"{prefix}4",
            f"Where watching is best, {policy}'s regret is bounded: "
            f"in the second half at most {FEW_RUNS:.0%} of the runs lose more than {SMALL_LOSS:g}.",
            Every(settled),
        ),
    ]


def at_the_end(money: float) -> bool:
    return money == LARGE_BUDGET


def factor_claims_3() -> list[Claim]:
    """factor-ucb is not worse than causal-kl: on average over the points of each budget, and at every point."""
    small = [by_gamma_id(epsilon) for epsilon in EPSILONS]
    large = [by_money_id(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3]

    def pooled(policy: Policy) -> list[Pooled]:
        one, other = ([Curve(study, policy.label) for study in studies] for studies in (small, large))
        return [Pooled(one), Pooled(other, where=at_the_end)]

    average = [
        OnAverage(ours, other, MARGIN, where=f"B = {budget:,}")
        for budget, ours, other in zip((SMALL_BUDGET, LARGE_BUDGET), pooled(FACTOR_UCB), pooled(CAUSAL_KL), strict=True)
    ]
    nowhere = [
        NotMuchWorse(
            Curve(study, FACTOR_UCB.label),
            [Curve(study, CAUSAL_KL.label)],
            FACTOR,
            LITTLE,
            where=at_the_end if study in large else anywhere,
        )
        for study in (*small, *large)
    ]
    return [
        Claim(
            "U1",
            f"On average over these points, at each of the budgets, factor-ucb loses at most {MARGIN:g} times what "
            "causal-kl loses.",
            Every(average),
        ),
        Claim(
            "U2",
            f"At no point is it shown that factor-ucb loses both more than {FACTOR:g} times what causal-kl loses and "
            f"more than {LITTLE:g} above it (3 standard errors).",
            NotShown(nowhere),
        ),
    ]


def describe_3(data: Data) -> list[str]:
    paragraphs = []
    gammas = ", ".join(f"{gamma:g}" for gamma in GAMMAS_3)
    for epsilon in EPSILONS:
        curves = data[by_gamma_id(epsilon)]
        regrets = "; ".join(
            f"{label}: " + ", ".join(short(mean, 3) for mean in curves.means(label))
            for label in curves.samples["cumulative_regret"]
        )
        paragraphs.append(
            f"At ε = {epsilon:g}, B = {SMALL_BUDGET:,} the mean regrets at γ = {gammas} are as follows. {regrets}."
        )
    distances, without_bound = [], []
    for epsilon in EPSILONS:
        for i, gamma in enumerate(GAMMAS_3):
            setting = f"ε = {epsilon:g}, γ = {gamma:g}"
            if (slope := slope_3(epsilon, gamma)) > 0:
                small = data[by_gamma_id(epsilon)].means(CAUSAL_KL.label)[i] / (slope * math.log(SMALL_BUDGET))
                last = data[by_money_id(epsilon, gamma)].means(CAUSAL_KL.label)[-1]
                large = last / (slope * math.log(LARGE_BUDGET))
                distances.append(f"{small:.1f} and {large:.1f} at {setting}")
            elif slope == 0:
                without_bound.append(setting)
    return [
        *paragraphs,
        "The distance of causal-kl from the lower bound C log B (docs/policies/causal-kl.md gives C) is the ratio of "
        f"its regret to the bound. At B = {SMALL_BUDGET:,} and {LARGE_BUDGET:,} it is {'; '.join(distances)}. "
        "The bound is asymptotic. At a finite budget a regret may be below it. It is above it by what rough learning "
        f"costs. C is 0, which means a bounded regret, at {'; '.join(without_bound)}.",
    ]


THREE = Part(
    id="3",
    title="Experiment 3: earning while learning",
    question="How much of CRM-NB-ALG's loss can be avoided?",
    studies=[
        *(by_gamma(epsilon) for epsilon in EPSILONS),
        *(by_money(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3),
    ],
    figures=[figure_3(epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS_3],
    describe=describe_3,
    claims=[*claims_3(CAUSAL_KL.label, "K"), *claims_3(CAUSAL_TS.label, "S"), *factor_claims_3()],
)


# Random worlds

WORLDS = Part(
    id="worlds-earn",
    title="Earning in random worlds",
    question="Is it also true in worlds that nobody chose?",
    studies=[
        Study(
            "worlds-earn",
            AXIS,
            NUMBERS,
            random_world,
            [*THEIRS, *OURS],
            runs=60,
            measures=[SHARE_LOST],
            rank=True,
        ),
        Study(
            "worlds-earn-along",
            Axis("share", "share of the money spent"),
            SHARES,
            random_world,
            [*THEIRS, *OURS],
            runs=20,
            measures=[SHARE_LOST_AT_CHECKPOINTS],
            worlds=NUMBERS,
        ),
    ],
    figures=[
        Figure(
            "worlds-earn",
            f"Regret divided by the best possible reward in {len(NUMBERS)} random no-backdoor worlds. "
            "For each policy the worlds are sorted by its regret.",
            [Panel("worlds-earn", log="y")],
        ),
        Figure(
            "worlds-earn-along",
            "The same on average over the worlds, over the share of the money that is spent. "
            "The bands are over the worlds.",
            [Panel("worlds-earn-along")],
        ),
    ],
    describe=describe_worlds(
        "worlds-earn", [policy.label for policy in OURS], "Regret divided by the best possible reward"
    ),
    claims=[
        *(
            claim
            for policy, prefix in zip(OURS, ("WK", "WS", "WL", "WU"), strict=True)
            for claim in worlds_claims("worlds-earn", policy.label, [other.label for other in THEIRS], prefix, "regret")
        ),
        *as_good_claims(
            "worlds-earn", FACTOR_UCB.label, CAUSAL_KL.label, "WU", "regret", "1 % of the best possible reward"
        ),
    ],
)
