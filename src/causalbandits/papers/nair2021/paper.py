"""Budgeted and Non-budgeted Causal Bandits (Nair, Patil & Sinha, AISTATS 2021): its four experiments, four theorems and eighteen claims.

Where the paper is silent or contradicts itself, DEVIATIONS says what is done here. Symbols: gamma the cost of an intervention, p the least
probability that watching shows one, m(p) the number of rare ones, M the number of variables.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

from ... import bounds, worlds
from ...mechanisms import node
from ...plot import Place
from ...policies.c_ucb import CUCB
from ...policies.c_ucb_2 import CUCB2
from ...policies.crm_nb import CRMNB
from ...policies.f_kube import FKube
from ...policies.gamma_nb import GammaNB
from ...policies.greedy import Greedy
from ...policies.observe import Observe
from ...policies.parallel_bandit import ParallelBandit
from ...problem import Problem
from ...studies import formatting as words
from ...studies.claims import All, Claim, Each, Every, FromSomeOn, Most, Never
from ...studies.contrasts import Below, Better, Both, Close, Constant, Curve, Flat, OutOfReach, Trend, much_better
from ...studies.study import (
    ALONG,
    CUMULATIVE,
    SIMPLE,
    WATCHED,
    Axis,
    Data,
    Figure,
    Floats,
    Line,
    Panel,
    Paper,
    Part,
    Study,
    ratio,
)
from ...world import World

VARIABLES = 50  # M in Experiments 1 to 3
RARE = 0.02  # p_1 = p_2 in Experiments 2 and 3

BUDGET = Axis("budget", "budget B")
GAMMA = Axis("gamma", "cost γ of an intervention")
HORIZON = Axis("T", "rounds T")


@cache
def rare_pair(p: float, epsilon: float, variables: int = VARIABLES) -> World:
    """The parallel world of Experiments 1 to 3: X_1 and X_2 are 1 with probability p, the others with 1/2; X_1 alone matters."""
    return worlds.parallel(p=[p, p] + [0.5] * (variables - 2), epsilon=epsilon)


def chances(p: float, variables: int = VARIABLES) -> Floats:
    """The probabilities that watching this world shows do(X_i = x)."""
    return np.array([1 - p, p] * 2 + [0.5] * (2 * variables - 4))


# Experiment 1: OBS-ALG against PB-ALG as the rarest value becomes less rare

P_1 = [i / 50 for i in range(1, 16)]  # 0.02, 0.04 ... 0.30
OBS = Observe(name="OBS-ALG")
PB = ParallelBandit(name="PB-ALG")
GAMMA_NB = GammaNB(name="γ-NB-ALG")


def world_1(p: float) -> tuple[World, Problem]:
    world = rare_pair(p, epsilon=0.3)
    return world, world.problem(budget=100, cost=1)


def shows_1(data: Data) -> list[str]:
    obs, pb = data["1"].means("OBS-ALG"), data["1"].means("PB-ALG")
    not_better = [i for i, (one, other) in enumerate(zip(obs, pb, strict=True)) if one >= other]
    first = max(not_better, default=-1) + 1
    return [
        f"OBS-ALG's mean regret goes from {obs[0]:.4f} at p = {P_1[0]:g} to {obs[-1]:.4f} at p = {P_1[-1]:g}; PB-ALG's stays between "
        f"{pb.min():.4f} and {pb.max():.4f}. "
        + (
            f"Watching alone has the lower mean from p = {P_1[first]:g} on."
            if first < len(P_1)
            else "Watching alone does not have the lower mean in the end."
        )
    ]


ONE = Part(
    id="1",
    title="Experiment 1: watching only, or intervening too",
    question="When interventions cost no more than watching, is watching alone (OBS-ALG) still enough, and how does that depend on the rarest value?",
    studies=[Study("1", Axis("p", "least probability p"), P_1, world_1, [OBS, PB], runs=1000)],
    figures=[Figure("1", "Simple regret of OBS-ALG and PB-ALG with B = 100, γ = 1, M = 50, ε = 0.3.", [Panel("1")])],
    shows=shows_1,
    claims=[
        Claim("E1a", "OBS-ALG's regret falls as p grows.", Every([Trend(Curve("1", "OBS-ALG"))])),
        Claim("E1b", "PB-ALG's regret does not depend on p.", Every([Flat(Curve("1", "PB-ALG"))])),
        Claim(
            "E1c",
            "Above some p OBS-ALG is much better than PB-ALG.",
            FromSomeOn([much_better(Curve("1", "OBS-ALG"), Curve("1", "PB-ALG"))]),
        ),
    ],
)

# Experiment 2: gamma-NB-ALG against PB-ALG as the budget grows, and as interventions become dear

BUDGETS_2A = range(200, 3001, 200)
GAMMAS_2B = (1, *range(5, 76, 5))
BUDGET_2B = 3000  # the paper does not say; the end of part a
GAMMA_NB_A, PB_A = Curve("2a", "γ-NB-ALG"), Curve("2a", "PB-ALG")
GAMMA_NB_B, PB_B = Curve("2b", "γ-NB-ALG"), Curve("2b", "PB-ALG")
THRESHOLD = bounds.threshold(chances(RARE))  # 1 / (p m(p)), 25 here


def world_2a(budget: float) -> tuple[World, Problem]:
    world = rare_pair(RARE, epsilon=0.3)
    return world, world.problem(budget=int(budget), cost=60)


def world_2b(gamma: float) -> tuple[World, Problem]:
    world = rare_pair(RARE, epsilon=0.3)
    return world, world.problem(budget=BUDGET_2B, cost=int(gamma))


@cache
def estimated_thresholds(draws: int = 10_000) -> Floats:
    """1 / (p̂ m(p̂)) as gamma-NB-ALG estimates it from B / 2 observations, drawn many times (the seed only fixes the mark in the figure)."""
    half = BUDGET_2B // 2
    ones = np.random.default_rng(2021).binomial(half, chances(RARE)[1::2], size=(draws, VARIABLES)) / half
    return np.sort([bounds.threshold(np.concatenate([row, 1 - row])) for row in ones])


def thresholds_2b() -> list[Place]:
    low, middle, high = np.quantile(estimated_thresholds(), [0.05, 0.5, 0.95])
    return [
        Place(f"threshold: {THRESHOLD:g}", THRESHOLD),
        Place(f"as estimated: {middle:.1f}", float(middle), float(low), float(high)),
    ]


def shows_2a(data: Data) -> list[str]:
    one, other, watched = (
        data["2a"].means("γ-NB-ALG"),
        data["2a"].means("PB-ALG"),
        data["2a"].means("γ-NB-ALG", "only_watched"),
    )
    first, last = BUDGETS_2A[0], BUDGETS_2A[-1]
    return [
        f"At B = {first:,} the mean regrets are {one[0]:.4f} (γ-NB-ALG) and {other[0]:.4f} (PB-ALG), at B = {last:,} they are {one[-1]:.4f} and "
        f"{other[-1]:.4f}. γ = 60 is above the threshold {THRESHOLD:g}, and γ-NB-ALG goes on watching in {watched[0]:.0%} of its runs at "
        f"B = {first:,} and in {watched[-1]:.0%} at B = {last:,}."
    ]


def shows_2b(data: Data) -> list[str]:
    one, other, watched = (
        data["2b"].means("γ-NB-ALG"),
        data["2b"].means("PB-ALG"),
        data["2b"].means("γ-NB-ALG", "only_watched"),
    )
    shares = ", ".join(
        f"{share:.1%} at γ = {gamma}" for gamma, share in zip(GAMMAS_2B, watched, strict=True) if gamma in (15, 20, 25)
    )
    return [
        f"The share of runs in which γ-NB-ALG goes on watching is {shares}. It changes over below the theory's threshold {THRESHOLD:g}, for m "
        f"jumps at the paper's instance: m(p) = {bounds.m(chances(RARE))} where all other p_i are exactly 1/2, but an estimate below 1/2 makes "
        f"m(p̂) = 3, and nearly every run has some. The threshold as estimated has its median at {np.median(estimated_thresholds()):.1f}.",
        f"At γ = {GAMMAS_2B[-1]} the mean regrets are {one[-1]:.4f} (γ-NB-ALG) and {other[-1]:.4f} (PB-ALG).",
    ]


TWO_A = Part(
    id="2a",
    title="Experiment 2a: dear interventions, growing budget",
    question="When an intervention costs as much as 60 observations, does it pay to know when not to intervene?",
    studies=[Study("2a", BUDGET, BUDGETS_2A, world_2a, [GAMMA_NB, PB], runs=1000, measures=[SIMPLE, WATCHED])],
    figures=[
        Figure(
            "2a",
            "Simple regret of γ-NB-ALG and PB-ALG with γ = 60, p = 0.02, M = 50, ε = 0.3; below, the share of γ-NB-ALG's runs that chose "
            "to watch on.",
            [Panel("2a"), Panel("2a", measure="only_watched", curves=["γ-NB-ALG"])],
        )
    ],
    shows=shows_2a,
    claims=[
        Claim(
            "E2a",
            "With γ = 60 γ-NB-ALG is never worse than PB-ALG at any budget, and much better for most.",
            All([Never([Better(GAMMA_NB_A, PB_A)]), Most([much_better(GAMMA_NB_A, PB_A)])]),
        ),
    ],
)

TWO_B = Part(
    id="2b",
    title="Experiment 2b: from cheap to dear interventions",
    question="At which price of an intervention should one stop intervening, and does γ-NB-ALG find it?",
    studies=[Study("2b", GAMMA, GAMMAS_2B, world_2b, [GAMMA_NB, PB], runs=1000, measures=[SIMPLE, WATCHED])],
    figures=[
        Figure(
            "2b",
            "Simple regret of γ-NB-ALG and PB-ALG with B = 3000, p = 0.02, M = 50, ε = 0.3; below, the share of γ-NB-ALG's runs that chose to watch "
            "on. Dashed: the threshold 1 / (p m(p)). Dotted: the one that γ-NB-ALG estimates, 1 / (p̂ m(p̂)), its median and 90 % of it.",
            [
                Panel("2b", marks=thresholds_2b),
                Panel("2b", measure="only_watched", curves=["γ-NB-ALG"], marks=thresholds_2b),
            ],
        )
    ],
    shows=shows_2b,
    claims=[
        Claim(
            "E2b",
            "Up to a threshold of γ the two are close.",
            Every([Close(GAMMA_NB_B, PB_B, where=lambda gamma: gamma <= THRESHOLD)]),
        ),
        Claim(
            "E2c",
            "Beyond it γ-NB-ALG is much better.",
            Every([much_better(GAMMA_NB_B, PB_B, where=lambda gamma: gamma > THRESHOLD)]),
        ),
    ],
)

# Experiment 3: CRM-NB-ALG against F-KUBE; the constant in the radius is 8 in the paper's algorithm and 2 in its proof

BUDGETS_3 = range(1000, 30_001, 1000)  # the paper does not say how far the budget goes
SETTINGS_3 = {
    "3-gamma-1": (0.5, 1.0),
    "3-gamma-1.1": (0.5, 1.1),
    "3-gamma-1.5": (0.5, 1.5),
    "3-epsilon-0.3": (0.3, 1.1),
}
CRM = {c: CRMNB(exploration=c, name=f"CRM-NB-ALG ({c})") for c in (2, 8)}
KUBE = {c: FKube(exploration=c, name=f"F-KUBE ({c})") for c in (2, 8)}


def study_3(id: str) -> Study:
    epsilon, gamma = SETTINGS_3[id]

    def setting(budget: float) -> tuple[World, Problem]:
        world = rare_pair(RARE, epsilon)
        return world, world.problem(budget=int(budget), cost=gamma)

    return Study(
        id, BUDGET, BUDGETS_3, setting, [*CRM.values(), *KUBE.values()], runs=50, measures=[ALONG], checkpoints=True
    )


def wins_3(study: str) -> Each:
    """Much better at the largest budget, for all four pairs of constants."""
    return Each(
        [
            much_better(Curve(study, CRM[a].label), Curve(study, KUBE[b].label), last=True)
            for a, b in itertools.product(CRM, KUBE)
        ]
    )


def most_3(budget: float) -> float:
    """1 % of what the best arm earns in the world of claim E3e, its mean 0.8 at a cost of 1.1: a regret below it is called small."""
    epsilon, gamma = SETTINGS_3["3-epsilon-0.3"]
    return 0.01 * budget * (0.5 + epsilon) / gamma


def shows_3(data: Data) -> list[str]:
    def regrets(id: str) -> str:
        return ", ".join(
            f"{data[id].means(label)[-1]:,.0f} ({label})" for label in data[id].samples["cumulative_regret"]
        )

    least = min((0.5 + epsilon) / gamma for epsilon, gamma in SETTINGS_3.values())
    return [
        *(
            f"At ε = {epsilon:g}, γ = {gamma:g}, B = {BUDGETS_3[-1]:,} the mean regrets are {regrets(id)}."
            for id, (epsilon, gamma) in SETTINGS_3.items()
        ),
        "With the constant 8 an index falls as far only after four times the samples that it takes with 2. Nor is a constant regret to be expected: "
        f"watching earns 0.5 per unit of money and the best intervention at least {least:.2f} in all of these settings, and there Theorem 3 allows "
        "growth like log B.",
    ]


THREE = Part(
    id="3",
    title="Experiment 3: earning while learning",
    question="How much less does a policy lose that also learns from watching (CRM-NB-ALG) than one that does not (F-KUBE)?",
    studies=[study_3(id) for id in SETTINGS_3],
    figures=[
        Figure(
            id,
            f"Cumulative regret with γ = {gamma:g}, ε = {epsilon:g}, p = 0.02, M = 50; in brackets the constant of the radius.",
            [Panel(id)],
        )
        for id, (epsilon, gamma) in SETTINGS_3.items()
    ],
    shows=shows_3,
    claims=[
        Claim("E3a", "CRM-NB-ALG is much better than F-KUBE at γ = 1.", wins_3("3-gamma-1")),
        Claim("E3b", "CRM-NB-ALG is much better than F-KUBE at γ = 1.1.", wins_3("3-gamma-1.1")),
        Claim("E3c", "CRM-NB-ALG is much better than F-KUBE at γ = 1.5.", wins_3("3-gamma-1.5")),
        Claim(
            "E3d",
            "CRM-NB-ALG's regret is constant at γ = 1.5.",
            Each([Constant(Curve("3-gamma-1.5", policy.label)) for policy in CRM.values()]),
        ),
        Claim(
            "E3e",
            "With ε = 0.3 and γ = 1.1 CRM-NB-ALG's regret converges very quickly to a small constant.",
            Each(
                [
                    Both(Constant(curve), Below(curve, most_3, "1 % of the best possible reward", last=True))
                    for curve in (Curve("3-epsilon-0.3", policy.label) for policy in CRM.values())
                ]
            ),
        ),
    ],
)

# Experiment 4: C-UCB against C-UCB-2 on a graph with a backdoor path, and on random tables for the same graph

HORIZONS_4 = range(5, 101, 5)
TABLES = range(1, 201)
HORIZON_TABLES = 1000
C_UCB, C_UCB_2, GREEDY = CUCB(name="C-UCB"), CUCB2(name="C-UCB-2"), Greedy(name="Greedy")
RATIOS = ratio("C-UCB", "C-UCB-2", "Greedy")


def world_4(horizon: float) -> tuple[World, Problem]:
    world = worlds.confounded_chain()
    return world, world.problem(horizon=int(horizon), observe=False, reveal_parents=True)


def random_table(number: float) -> tuple[World, Problem]:
    """The graph of Experiment 4 with a binary reward and every probability uniform on [0, 1]. A number names the same table always."""
    rng = np.random.default_rng([2021, int(number)])
    world = World(
        [
            node("X1", [0, 1], table=rng.random()),
            node("X2", [0, 1], given="X1", table=dict(enumerate(rng.random(2)))),
            node("W1", [0, 1], given="X1", table=dict(enumerate(rng.random(2))), intervenable=False),
            node("W2", [0, 1], given="X2", table=dict(enumerate(rng.random(2))), intervenable=False),
            node(
                "Y",
                [0, 1],
                given=["W1", "W2"],
                table=dict(zip(itertools.product([0, 1], [0, 1]), rng.random(4), strict=True)),
            ),
        ],
        reward="Y",
        reference=f"random table {int(number)} for the graph of Nair, Patil & Sinha 2021, Experiment 4",
    )
    return world, world.problem(horizon=HORIZON_TABLES, observe=False, reveal_parents=True)


def shows_4(data: Data) -> list[str]:
    last = ", ".join(f"{data['4'].means(label)[-1]:.3f} ({label})" for label in ("C-UCB", "C-UCB-2", "Greedy"))
    zeta = _zeta(world_4(100)[1])
    return [
        f"At T = {HORIZONS_4[-1]} the mean regrets are {last}. The four arms' ζ_a differ by {np.ptp(zeta):.0e} around {zeta.mean():.4f}, so "
        "C-UCB-2's radius is the same for all of them, and after its round robin it does what Greedy does, which has no radius at all.",
    ]


def shows_tables(data: Data) -> list[str]:
    curves = data["4-tables"]
    means = {label: curves.means(label) for label in ("C-UCB", "C-UCB-2", "Greedy")}
    ratios = curves.means("C-UCB-2 / C-UCB", "ratio")
    lucky = np.array(
        [_zeta(problem).argmax() == world.means(problem).argmax() for world, problem in map(random_table, TABLES)]
    )
    won = means["C-UCB-2"] < means["C-UCB"]
    told = "; ".join(
        f"{label}: mean {m.mean():.1f}, median {np.median(m):.1f}, worst table {m.max():.1f}"
        for label, m in means.items()
    )
    return [
        f"Regret after {HORIZON_TABLES:,} rounds on {len(TABLES)} tables. {told}.",
        f"C-UCB-2 loses less than C-UCB on {won.mean():.0%} of the tables; the median of the ratio of their regrets is {np.nanmedian(ratios):.2f}. "
        "What decides is luck: its radius is proportional to ζ_a, so it pulls the arm with the largest ζ_a first and longest. On the "
        f"{lucky.mean():.0%} of the tables where that arm is the best one C-UCB-2 loses less in {won[lucky].mean():.0%} of the cases (median ratio "
        f"{np.nanmedian(ratios[lucky]):.2f}), on the others in {won[~lucky].mean():.0%} (median ratio {np.nanmedian(ratios[~lucky]):.2f}). In "
        "Experiment 4 all ζ_a are equal and there is no radius to speak of.",
    ]


def _zeta(problem: Problem) -> Floats:
    """zeta_a = sum_y P(y | do(a)) / min_b P(y | do(b))."""
    parents = problem.parents
    return np.asarray((parents / parents.min(axis=0)).sum(axis=1))


FOUR = Part(
    id="4",
    title="Experiment 4: a graph with a backdoor path",
    question="When the distribution of the reward's parents is known for every arm, is a radius per arm (C-UCB-2) better than one per configuration?",
    studies=[Study("4", HORIZON, HORIZONS_4, world_4, [C_UCB, C_UCB_2, GREEDY], runs=500, measures=[CUMULATIVE])],
    figures=[
        Figure(
            "4",
            "Cumulative regret on the graph X1 → X2, X1 → W1, X2 → W2, W1 → Y ← W2; every policy run anew for every horizon T.",
            [Panel("4")],
        )
    ],
    shows=shows_4,
    claims=[
        Claim("E4a", "C-UCB-2's regret is below C-UCB's.", Each([Better(Curve("4", "C-UCB-2"), Curve("4", "C-UCB"))])),
        Claim("E4b", "C-UCB's regret grows with T.", Every([Trend(Curve("4", "C-UCB"), grows=True)])),
        Claim("E4c", "C-UCB-2's regret becomes constant.", Every([Constant(Curve("4", "C-UCB-2"))])),
    ],
)

FOUR_TABLES = Part(
    id="4-tables",
    title="Beyond Experiment 4: the algorithm or the instance?",
    question="Is C-UCB-2's advantage in Experiment 4 a property of the algorithm, or of the one table of probabilities that it was run on?",
    studies=[
        Study(
            "4-tables",
            Axis("table", "random tables"),
            TABLES,
            random_table,
            [C_UCB, C_UCB_2, GREEDY],
            runs=100,
            measures=[CUMULATIVE, RATIOS],
            rank=True,
        )
    ],
    figures=[
        Figure(
            "4-tables",
            f"Cumulative regret after {HORIZON_TABLES:,} rounds on {len(TABLES)} random tables for the same graph, every probability "
            "uniform on [0, 1], the reward binary; tables in the order of each policy's regret.",
            [Panel("4-tables", log="y")],
        ),
        Figure(
            "4-tables-ratio",
            "The regrets on the same tables, divided by C-UCB's.",
            [Panel("4-tables", "ratio", lines=[Line("equal", lambda x: 1.0)], log="y")],
        ),
    ],
    shows=shows_tables,
    claims=[],
)

# Theorems: the bounds with the proofs' constants, on worlds and at sizes that meet the proofs' conditions

P_T1 = [0.02, 0.05, 0.1, 0.2, 0.3]
EPSILON_T = 0.3  # as in Experiments 1 and 2; the most that can be lost, epsilon / (1 - p), is above the bounds, so that these could fail
TIMES_T1 = 4  # the least budget; at the least one itself the bound is above what can be lost for p = 0.3
P_T2, VARIABLES_T2 = 0.05, 10
M_T2 = bounds.m(chances(P_T2, VARIABLES_T2))
GAMMAS_T2 = [1, 1.5, 1.9, 50]
GAMMAS_T3 = [1.3, 1.5, 2, 3]
P_T3 = 0.1
HORIZONS_T4 = [1000, 2000, 5000, 10_000, 20_000, 25_000, 40_000, 80_000]


def budget_t1(p: float) -> int:
    return TIMES_T1 * bounds.theorem_1_budget(p, VARIABLES)


def bound_t1(p: float) -> float:
    return bounds.theorem_1(p, VARIABLES, budget_t1(p))


def world_t1(p: float) -> tuple[World, Problem]:
    world = rare_pair(p, EPSILON_T)
    return world, world.problem(budget=budget_t1(p), cost=1)


def shows_t1(data: Data) -> list[str]:
    most = ", ".join(
        f"{loss:.3f} at p = {p:g}" for p, loss in zip(P_T1, data["T1"].largest["simple_regret"], strict=True)
    )
    needed = ", ".join(f"{bounds.theorem_1_budget(p, VARIABLES):,} at p = {p:g}" for p in P_T1)
    at = bounds.theorem_1(P_1[-1], VARIABLES, 100)
    return [
        f"The proof holds from a least budget on: {needed}. Each point was run at {TIMES_T1} times its own, where the bound is below the most that "
        f"can be lost ({most}). Experiment 1 has B = 100, where the bound is {at:.2f} even at p = {P_1[-1]:g} and says nothing."
    ]


def least_t2(gamma: float) -> int:
    return bounds.theorem_2_budget(P_T2, M_T2, VARIABLES_T2, gamma)


def bound_t2(gamma: float) -> float:
    return bounds.theorem_2(P_T2, M_T2, VARIABLES_T2, gamma, least_t2(gamma))


def world_t2(gamma: float) -> tuple[World, Problem]:
    world = rare_pair(P_T2, EPSILON_T, VARIABLES_T2)
    return world, world.problem(budget=least_t2(gamma), cost=gamma)


def shows_t2(data: Data) -> list[str]:
    m = bounds.m(chances(RARE))
    low, high = 1 / (5 * RARE * m), 5 / (RARE * m)
    cheap, dear = (bounds.theorem_2_budget(RARE, m, VARIABLES, gamma) for gamma in (1, high))
    return [
        f"Every point was run at the least budget that its proof needs ({min(map(least_t2, GAMMAS_T2)):,} to "
        f"{max(map(least_t2, GAMMAS_T2)):,}). In Experiment 2's own world the proof covers γ < {low:g} and "
        f"γ ≥ {high:g} only, which leaves out the γ = 60 of part a, and needs B = {cheap:,} at γ = 1 and {dear:,} at γ = {high:g}; the "
        "experiment has 3,000."
    ]


@cache
def single() -> World:
    """One variable that does not matter: all means are 1/2, so that watching is best at any cost above 1, and one of the two arms is seldom seen."""
    return worlds.parallel(p=[P_T3], epsilon=0.0)


def means_t3() -> list[float]:
    return [single().mean(arm) for arm in ("do()", "do(X1=0)", "do(X1=1)")]


def least_t3(gamma: float) -> int:
    return math.ceil(math.exp(bounds.theorem_3_log_budget(means_t3(), [1 - P_T3, P_T3], gamma)))


def bound_t3(gamma: float) -> float:
    return bounds.theorem_3(means_t3(), [1 - P_T3, P_T3], gamma, least_t3(gamma))


def world_t3(gamma: float) -> tuple[World, Problem]:
    return single(), single().problem(budget=least_t3(gamma), cost=gamma)


def own_t3(epsilon: float, gamma: float) -> float:
    """The logarithm of the budget that the proof needs in a setting of Experiment 3."""
    world, p = rare_pair(RARE, epsilon), chances(RARE)
    means = [0.5, *(world.mean(f"do(X{i}={x})") for i in (1, 2) for x in (0, 1)), *[0.5] * (len(p) - 4)]
    return bounds.theorem_3_log_budget(means, p, gamma)


def least_log_t3() -> float:
    """The logarithm of the least budget over all binary no-backdoor worlds in which an intervention is best.

    The proof's L grows as (p d_0)^2 falls, and p d_0 <= 1/4: watching shows the best arm with probability p at least and so earns p mu* or
    more, whence d_0 <= 1 - p at any gamma >= 1. The best case is one variable, p = 1/2, means 1 and 0.
    """
    return bounds.theorem_3_log_budget([0.5, 0.0, 1.0], [0.5, 0.5], 1)


def out_of_reach_t3() -> str:
    least = min(own_t3(epsilon, gamma) for epsilon, gamma in SETTINGS_3.values())
    return f"the proof needs a budget of {words.size(least_log_t3())} or more in any binary world, and {words.size(least)} or more in Experiment 3's"


T3 = Claim(
    "T3",
    "CRM-NB-ALG's cumulative regret is below the bound of Theorem 3.",
    Every([Below(Curve("T3", CRM[2].label), bound_t3), OutOfReach("where an intervention is best", out_of_reach_t3)]),
)


def shows_t3(data: Data) -> list[str]:
    d_0 = 1 / 1.1 - 0.5
    own = ", ".join(
        f"{words.size(own_t3(epsilon, gamma))} at ε = {epsilon:g}, γ = {gamma:g}"
        for epsilon, gamma in SETTINGS_3.values()
    )
    measured = data["T3"].means(CRM[2].label)
    told = ", ".join(
        f"{regret:.1f} against {bound_t3(gamma):.1f} at γ = {gamma:g}"
        for gamma, regret in zip(GAMMAS_T3, measured, strict=True)
    )
    refuted = [point.at for point in T3.test.judge(data).points if point.finding == "refuted"]
    return [
        f"Where watching is best the proof's condition can be met in a small world, B from {min(map(least_t3, GAMMAS_T3)):,} to "
        f"{max(map(least_t3, GAMMAS_T3)):,}; every point was run at its least budget. The regret is {told}. "
        + (
            f"It is above the bound at {', '.join(refuted)}, so the proof's constant is wrong: it bounds the pulls of an arm by ℓ minus "
            "the number of "
            "observations that show the arm in the end, as if these came first. An arm that is hardly ever seen is pulled early, up to ℓ times, and "
            "watched later."
            if refuted
            else "At no point is it shown to be above the bound."
        ),
        f"Where an intervention is best the condition cannot be met: {out_of_reach_t3()} ({own}). The condition that comes first, "
        f"e^(50 / d_0²), is e^{50 / d_0**2:.0f} at γ = 1.1; the other one, L, is far larger still, for its exponent p² d_0² / 16 is tiny.",
    ]


@cache
def chain() -> World:
    """X → W → Y, with a parent of the reward that every arm can reach: the worse arm has the larger ζ_a, so that the radius misleads at first."""
    return World(
        [
            node("X", {0: 0.5, 1: 0.5}),
            node("W", [0, 1], given="X", table={0: 0.3, 1: 0.9}, intervenable=False),
            node("Y", [0, 1], given="W", table={0: 0.1, 1: 0.9}),
        ],
        reward="Y",
    )


def world_t4(horizon: float) -> tuple[World, Problem]:
    return chain(), chain().problem(horizon=int(horizon), observe=False, reveal_parents=True)


def bound_t4(horizon: float) -> float:
    world, problem = world_t4(horizon)
    return bounds.theorem_4(world.means(problem), problem.parents)


def says_something_t4(horizon: float) -> bool:
    """Whether the bound is below the most that can be lost."""
    return bound_t4(horizon) < most_t4(horizon)


def drawn_t4(horizon: float) -> float:
    return bound_t4(horizon) if says_something_t4(horizon) else math.nan


def most_t4(horizon: float) -> float:
    world, problem = world_t4(horizon)
    return float(horizon * np.ptp(world.means(problem)))


def shows_t4(data: Data) -> list[str]:
    world, problem = world_4(100)
    own = bounds.theorem_4(world.means(problem), problem.parents)
    gap = float(np.ptp(world.means(problem)))
    says = next((f"from T = {t:,} on it is" for t in HORIZONS_T4 if says_something_t4(t)), "here it is nowhere")
    return [
        f"The bound, {bound_t4(HORIZONS_T4[-1]):,.0f} here, does not depend on T and is true of any T, but says something only where it is "
        f"below the most that can be lost, T times the largest gap; {says}. "
        f"In Experiment 4's own world it is {own:,.0f}, which says something from T = {own / gap:,.0f} on; the experiment ends at T = 100."
    ]


THEOREMS = [
    Part(
        "T1",
        "Theorem 1: OBS-ALG",
        "Is OBS-ALG's simple regret below the bound of Theorem 1?",
        [
            Study(
                "T1",
                Axis("p", "least probability p"),
                P_T1,
                world_t1,
                [OBS],
                runs=1000,
                sizes={"budget": budget_t1, "bound": bound_t1},
            )
        ],
        [
            Figure(
                "T1",
                f"Simple regret of OBS-ALG and the bound, at {TIMES_T1} times the least budget for which it is proved; M = 50, ε = {EPSILON_T:g}.",
                [Panel("T1", lines=[Line("Theorem 1", bound_t1)])],
            )
        ],
        shows_t1,
        [
            Claim(
                "T1",
                "OBS-ALG's simple regret is below the bound of Theorem 1.",
                Every([Below(Curve("T1", "OBS-ALG"), bound_t1)]),
            )
        ],
    ),
    Part(
        "T2",
        "Theorem 2: γ-NB-ALG",
        "Is γ-NB-ALG's simple regret below the bound of Theorem 2?",
        [Study("T2", GAMMA, GAMMAS_T2, world_t2, [GAMMA_NB], runs=1000, sizes={"budget": least_t2, "bound": bound_t2})],
        [
            Figure(
                "T2",
                f"Simple regret of γ-NB-ALG and the bound, at the least budget for which it is proved; M = {VARIABLES_T2}, p = {P_T2:g}, "
                f"ε = {EPSILON_T:g}.",
                [Panel("T2", lines=[Line("Theorem 2", bound_t2)], log="x")],
            )
        ],
        shows_t2,
        [
            Claim(
                "T2",
                "γ-NB-ALG's simple regret is below the bound of Theorem 2.",
                Every([Below(Curve("T2", "γ-NB-ALG"), bound_t2)]),
            )
        ],
    ),
    Part(
        "T3",
        "Theorem 3: CRM-NB-ALG",
        "Is CRM-NB-ALG's cumulative regret below the bound of Theorem 3?",
        [
            Study(
                "T3",
                GAMMA,
                GAMMAS_T3,
                world_t3,
                [CRM[2]],
                runs=40,
                measures=[CUMULATIVE],
                sizes={"budget": least_t3, "bound": bound_t3},
            )
        ],
        [
            Figure(
                "T3",
                "Cumulative regret of CRM-NB-ALG and the bound where watching is best, at the least budget for which it is proved; M = 1, "
                "p = 0.1, ε = 0.",
                [Panel("T3", lines=[Line("Theorem 3, a* = a_0", bound_t3)])],
            )
        ],
        shows_t3,
        [T3],
    ),
    Part(
        "T4",
        "Theorem 4: C-UCB-2",
        "Is C-UCB-2's cumulative regret below the bound of Theorem 4?",
        [
            Study(
                "T4",
                HORIZON,
                HORIZONS_T4,
                world_t4,
                [C_UCB_2],
                runs=100,
                measures=[ALONG],
                checkpoints=True,
                sizes={"bound": bound_t4, "most": most_t4},
            )
        ],
        [
            Figure(
                "T4",
                "Cumulative regret of C-UCB-2, the bound, and the most that can be lost, on the chain X → W → Y.",
                [
                    Panel(
                        "T4", lines=[Line("Theorem 4", drawn_t4), Line("the most that can be lost", most_t4)], log="xy"
                    )
                ],
            )
        ],
        shows_t4,
        [
            Claim(
                "T4",
                "C-UCB-2's cumulative regret is below the bound of Theorem 4.",
                Every([Below(Curve("T4", "C-UCB-2"), bound_t4, where=says_something_t4)]),
            )
        ],
    ),
]

DEVIATIONS = [
    "The radius of CRM-NB-ALG has the constant 8 in the paper's algorithm and 2 in its proof; F-KUBE's is 2. Both are run with both. The library's "
    "default is 2.",
    "m(p) jumps at the paper's own instance (m = 2 at p_i = 1/2 exactly, 3 for nearly every estimate), so γ-NB-ALG changes to watching at a lower γ "
    "than the threshold of the theory. The formula is run as written.",
    f"The paper does not give the budget of Experiment 2b (here {BUDGET_2B:,}, the end of part a), nor how far Experiment 3's goes (here "
    f"{BUDGETS_3[-1]:,}, every {BUDGETS_3.step:,}), nor the grids of Experiments 1 and 2, which are in the tables.",
    "Experiment 4's reward is Y = 0.25 W1 + 0.25 W2 + noise: the text says X1, X2, but the paper's own table of expected rewards comes out only with "
    "W1, W2. The noise has standard deviation 0.01.",
    "Cumulative regret with a budget is against the exact optimum G_B of the integer knapsack, not its upper bound B μ* / γ.",
    "Ties (within 1e-12) are broken at random: in Experiment 1 several arms reach an empirical mean of exactly 1, and taking the first would favour "
    "X_1, the true best.",
    "Numbers of pulls are floored to whole pulls, and what cannot be spent is left over; an arm without a sample is never recommended while another "
    "has one.",
    "In round t an index uses the estimates after t − 1 rounds and log(t − 1); line 4 of CRM-NB-ALG uses log t. C-UCB has δ = 1 / T² and is run anew "
    "for every horizon.",
    "Additions of ours: Greedy, the random tables, the threshold as estimated, the shares of runs that watched, the constant 8 for F-KUBE.",
    "Theorem 3's statement has p / (3 d_0²) and a + 1 where its proof has p / (9 d_0²) and none: the proof's are used. Theorem 4's L_1 "
    "and L_2 are read "
    "as the least t from which on their conditions hold, as the proof needs; the statement's least t at all can be 1. A step in the proof of "
    "Theorem 3 does not hold (see there).",
    "The words of the claims are made tests: much better is less than half the mean; close is within 0.02; does not depend is within 0.02 of the "
    "average over the axis, at every value; constant is a growth below 5 % over the second half of the axis; small (E3e) is below 1 % of the best "
    "possible reward. E4a is judged horizon by horizon, and depends if it holds at some and fails at others.",
    "The tests are t-tests. Where a policy fails in very few runs these are too sure: at a failure rate of 0.4 % and 1,000 runs a test at level 5 % "
    "errs in about 12 % of the cases, at 2 % in about 7 %. Bands are mean ± 1.96 standard errors.",
]

PAPER = Paper(
    id="nair2021",
    title="Budgeted and Non-budgeted Causal Bandits",
    reference="Vineet Nair, Vishakha Patil, Gaurav Sinha. AISTATS 2021.",
    parts=[ONE, TWO_A, TWO_B, THREE, FOUR, FOUR_TABLES, *THEOREMS],
    deviations=DEVIATIONS,
)
