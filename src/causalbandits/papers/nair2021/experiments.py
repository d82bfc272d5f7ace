"""The paper's four experiments, and random tables for the fourth: studies, figures and claims."""

from __future__ import annotations

import itertools

import numpy as np

from ... import bounds
from ...plot import Place
from ...problem import Problem
from ...studies.claims import All, Claim, Each, Every, FromSomeOn, Most, Never
from ...studies.contrasts import Below, Better, Both, Close, Constant, Curve, Flat, Trend, much_better
from ...studies.study import (
    CUMULATIVE_REGRET,
    ONLY_WATCHED,
    REGRET_AT_CHECKPOINTS,
    SIMPLE_REGRET,
    Axis,
    Data,
    Figure,
    Line,
    Panel,
    Part,
    Study,
    ratio,
)
from ...world import World
from .settings import (
    BUDGET,
    BUDGETS_2A,
    BUDGETS_3,
    C_UCB,
    C_UCB_2,
    CRM,
    GAMMA,
    GAMMA_NB,
    GAMMAS_2B,
    GREEDY,
    HORIZON,
    HORIZON_TABLES,
    HORIZONS_4,
    KUBE,
    LEAST_PROBABILITY,
    OBS,
    P_1,
    PB,
    RARE,
    SETTINGS_3,
    TABLES,
    THRESHOLD,
    estimated_thresholds,
    probabilities,
    random_table,
    setting_1,
    setting_2a,
    setting_2b,
    setting_3,
    setting_4,
    zeta,
)

# Experiment 1: OBS-ALG against PB-ALG while the rarest value becomes more frequent


def describe_1(data: Data) -> list[str]:
    obs, pb = data["1"].means("OBS-ALG"), data["1"].means("PB-ALG")
    not_better = [i for i, (one, other) in enumerate(zip(obs, pb, strict=True)) if one >= other]
    first = max(not_better, default=-1) + 1
    conclusion = (
        f"Watching alone has the lower mean from p = {P_1[first]:g} on."
        if first < len(P_1)
        else "Watching alone does not have the lower mean at the last p."
    )
    return [
        f"OBS-ALG's mean regret goes from {obs[0]:.4f} at p = {P_1[0]:g} to {obs[-1]:.4f} at p = {P_1[-1]:g}. "
        f"PB-ALG's stays between {pb.min():.4f} and {pb.max():.4f}. {conclusion}"
    ]


ONE = Part(
    id="1",
    title="Experiment 1: watching only, or intervening too",
    question="If interventions cost no more than watching, is watching alone (OBS-ALG) still enough? "
    "How does that depend on the probability of the rarest value?",
    studies=[Study("1", LEAST_PROBABILITY, P_1, setting_1, [OBS, PB], runs=1000)],
    figures=[Figure("1", "Simple regret of OBS-ALG and PB-ALG with B = 100, γ = 1, M = 50, ε = 0.3.", [Panel("1")])],
    describe=describe_1,
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

# Experiment 2: gamma-NB-ALG against PB-ALG while the budget grows (a), and while interventions become expensive (b)

GAMMA_NB_A, PB_A = Curve("2a", "γ-NB-ALG"), Curve("2a", "PB-ALG")
GAMMA_NB_B, PB_B = Curve("2b", "γ-NB-ALG"), Curve("2b", "PB-ALG")


def describe_2a(data: Data) -> list[str]:
    curves = data["2a"]
    gamma_nb, pb = curves.means("γ-NB-ALG"), curves.means("PB-ALG")
    watched = curves.means("γ-NB-ALG", "only_watched")
    first, last = BUDGETS_2A[0], BUDGETS_2A[-1]
    return [
        f"At B = {first:,} the mean regrets are {gamma_nb[0]:.4f} (γ-NB-ALG) and {pb[0]:.4f} (PB-ALG). "
        f"At B = {last:,} they are {gamma_nb[-1]:.4f} and {pb[-1]:.4f}. "
        f"γ = 60 is above the threshold {THRESHOLD:g}. γ-NB-ALG continues to watch in {watched[0]:.0%} of its runs at "
        f"B = {first:,} and in {watched[-1]:.0%} at B = {last:,}."
    ]


def describe_2b(data: Data) -> list[str]:
    curves = data["2b"]
    gamma_nb, pb = curves.means("γ-NB-ALG"), curves.means("PB-ALG")
    watched = curves.means("γ-NB-ALG", "only_watched")
    shares = ", ".join(
        f"{share:.1%} at γ = {gamma}" for gamma, share in zip(GAMMAS_2B, watched, strict=True) if gamma in (15, 20, 25)
    )
    return [
        f"The share of runs in which γ-NB-ALG continues to watch is {shares}. It changes over below the theory's "
        f"threshold {THRESHOLD:g}, because m jumps at the paper's instance. m(p) is {bounds.m(probabilities(RARE))} "
        "where all other p_i are exactly 1/2. But one estimate below 1/2 makes m(p̂) = 3, and nearly every run has such "
        f"an estimate. The median of the estimated threshold is {np.median(estimated_thresholds()):.1f}.",
        f"At γ = {GAMMAS_2B[-1]} the mean regrets are {gamma_nb[-1]:.4f} (γ-NB-ALG) and {pb[-1]:.4f} (PB-ALG).",
    ]


def thresholds_2b() -> list[Place]:
    low, middle, high = np.quantile(estimated_thresholds(), [0.05, 0.5, 0.95])
    return [
        Place(f"threshold: {THRESHOLD:g}", THRESHOLD),
        Place(f"as estimated: {middle:.1f}", float(middle), float(low), float(high)),
    ]


TWO_A = Part(
    id="2a",
    title="Experiment 2a: expensive interventions, growing budget",
    question="If an intervention costs as much as 60 observations, does it help to know when not to intervene?",
    studies=[
        Study("2a", BUDGET, BUDGETS_2A, setting_2a, [GAMMA_NB, PB], runs=1000, measures=[SIMPLE_REGRET, ONLY_WATCHED])
    ],
    figures=[
        Figure(
            "2a",
            "Simple regret of γ-NB-ALG and PB-ALG with γ = 60, p = 0.02, M = 50, ε = 0.3. "
            "Below: the share of γ-NB-ALG's runs that continued to watch.",
            [Panel("2a"), Panel("2a", measure="only_watched", curves=["γ-NB-ALG"])],
        )
    ],
    describe=describe_2a,
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
    title="Experiment 2b: from cheap to expensive interventions",
    question="At which cost of an intervention should one stop intervening, and does γ-NB-ALG find it?",
    studies=[
        Study("2b", GAMMA, GAMMAS_2B, setting_2b, [GAMMA_NB, PB], runs=1000, measures=[SIMPLE_REGRET, ONLY_WATCHED])
    ],
    figures=[
        Figure(
            "2b",
            "Simple regret of γ-NB-ALG and PB-ALG with B = 3000, p = 0.02, M = 50, ε = 0.3. "
            "Below: the share of γ-NB-ALG's runs that continued to watch. Dashed: the threshold 1 / (p m(p)). "
            "Dotted: the threshold that γ-NB-ALG estimates, 1 / (p̂ m(p̂)), with its median and 90 % range.",
            [
                Panel("2b", marks=thresholds_2b),
                Panel("2b", measure="only_watched", curves=["γ-NB-ALG"], marks=thresholds_2b),
            ],
        )
    ],
    describe=describe_2b,
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

# Experiment 3: CRM-NB-ALG against F-KUBE, with two constants in the radius of each


def study_3(id: str) -> Study:
    epsilon, gamma = SETTINGS_3[id]

    def setting(budget: float) -> tuple[World, Problem]:
        return setting_3(budget, epsilon, gamma)

    return Study(
        id,
        BUDGET,
        BUDGETS_3,
        setting,
        [*CRM.values(), *KUBE.values()],
        runs=50,
        measures=[REGRET_AT_CHECKPOINTS],
        checkpoints=True,
    )


def much_better_3(study: str) -> Each:
    """CRM-NB-ALG is much better than F-KUBE at the largest budget, for all four pairs of constants."""
    return Each(
        [
            much_better(Curve(study, CRM[a].label), Curve(study, KUBE[b].label), last=True)
            for a, b in itertools.product(CRM, KUBE)
        ]
    )


def small_regret_3(budget: float) -> float:
    """The regret that claim E3e calls small: 1 % of what the best arm earns there."""
    epsilon, gamma = SETTINGS_3["3-epsilon-0.3"]
    return 0.01 * budget * (0.5 + epsilon) / gamma


def describe_3(data: Data) -> list[str]:
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
        "With the constant 8 an index needs four times the samples to fall as far as with 2. "
        "A constant regret cannot be expected: in all of these settings watching earns 0.5 per unit of money, and the "
        f"best intervention earns at least {least:.2f}. In such settings Theorem 3 allows growth like log B.",
    ]


THREE = Part(
    id="3",
    title="Experiment 3: earning while learning",
    question="CRM-NB-ALG also learns from watching, and F-KUBE does not. How much less does CRM-NB-ALG lose?",
    studies=[study_3(id) for id in SETTINGS_3],
    figures=[
        Figure(
            id,
            f"Cumulative regret with γ = {gamma:g}, ε = {epsilon:g}, p = 0.02, M = 50. "
            "In brackets: the constant of the radius.",
            [Panel(id)],
        )
        for id, (epsilon, gamma) in SETTINGS_3.items()
    ],
    describe=describe_3,
    claims=[
        Claim("E3a", "CRM-NB-ALG is much better than F-KUBE at γ = 1.", much_better_3("3-gamma-1")),
        Claim("E3b", "CRM-NB-ALG is much better than F-KUBE at γ = 1.1.", much_better_3("3-gamma-1.1")),
        Claim("E3c", "CRM-NB-ALG is much better than F-KUBE at γ = 1.5.", much_better_3("3-gamma-1.5")),
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
                    Both(Constant(curve), Below(curve, small_regret_3, "1 % of the best possible reward", last=True))
                    for curve in (Curve("3-epsilon-0.3", policy.label) for policy in CRM.values())
                ]
            ),
        ),
    ],
)

# Experiment 4: C-UCB against C-UCB-2 on a graph with a backdoor path, and on random tables for the same graph


def describe_4(data: Data) -> list[str]:
    regrets = ", ".join(f"{data['4'].means(label)[-1]:.3f} ({label})" for label in ("C-UCB", "C-UCB-2", "Greedy"))
    factors = zeta(setting_4(100)[1])
    return [
        f"At T = {HORIZONS_4[-1]} the mean regrets are {regrets}. The ζ_a of the four arms differ by "
        f"{np.ptp(factors):.0e} around {factors.mean():.4f}, so C-UCB-2's radius is the same for all of them. "
        "After its round robin C-UCB-2 does what Greedy does, which has no radius at all.",
    ]


def describe_tables(data: Data) -> list[str]:
    curves = data["4-tables"]
    means = {label: curves.means(label) for label in ("C-UCB", "C-UCB-2", "Greedy")}
    ratios = curves.means("C-UCB-2 / C-UCB", "ratio")
    is_lucky = np.array(
        [zeta(problem).argmax() == world.means(problem).argmax() for world, problem in map(random_table, TABLES)]
    )
    is_won = means["C-UCB-2"] < means["C-UCB"]
    regrets = "; ".join(
        f"{label}: mean {m.mean():.1f}, median {np.median(m):.1f}, worst table {m.max():.1f}"
        for label, m in means.items()
    )
    return [
        f"Regret after {HORIZON_TABLES:,} rounds on {len(TABLES)} tables. {regrets}.",
        f"C-UCB-2 loses less than C-UCB on {is_won.mean():.0%} of the tables. The median of the ratio of their regrets "
        f"is {np.nanmedian(ratios):.2f}. Luck decides: C-UCB-2's radius is proportional to ζ_a, so it pulls the arm "
        "with the largest ζ_a first and longest. "
        f"On {is_lucky.mean():.0%} of the tables that arm is the best one. There C-UCB-2 loses less in "
        f"{is_won[is_lucky].mean():.0%} of the cases (median ratio {np.nanmedian(ratios[is_lucky]):.2f}). "
        f"On the other tables it loses less in {is_won[~is_lucky].mean():.0%} "
        f"(median ratio {np.nanmedian(ratios[~is_lucky]):.2f}). "
        "In Experiment 4 all ζ_a are equal, so that the radius has no effect.",
    ]


FOUR = Part(
    id="4",
    title="Experiment 4: a graph with a backdoor path",
    question="The distribution of the reward's parents is known for every arm. "
    "Is a radius per arm (C-UCB-2) better than one per configuration (C-UCB)?",
    studies=[
        Study("4", HORIZON, HORIZONS_4, setting_4, [C_UCB, C_UCB_2, GREEDY], runs=500, measures=[CUMULATIVE_REGRET])
    ],
    figures=[
        Figure(
            "4",
            "Cumulative regret on the graph X1 → X2, X1 → W1, X2 → W2, W1 → Y ← W2. "
            "Every policy is run anew for every horizon T.",
            [Panel("4")],
        )
    ],
    describe=describe_4,
    claims=[
        Claim("E4a", "C-UCB-2's regret is below C-UCB's.", Each([Better(Curve("4", "C-UCB-2"), Curve("4", "C-UCB"))])),
        Claim("E4b", "C-UCB's regret grows with T.", Every([Trend(Curve("4", "C-UCB"), grows=True)])),
        Claim("E4c", "C-UCB-2's regret becomes constant.", Every([Constant(Curve("4", "C-UCB-2"))])),
    ],
)

FOUR_TABLES = Part(
    id="4-tables",
    title="Beyond Experiment 4: the algorithm or the instance?",
    question="Experiment 4 has one table of probabilities. "
    "Is C-UCB-2's advantage there a property of the algorithm, or of this table?",
    studies=[
        Study(
            "4-tables",
            Axis("table", "random tables"),
            TABLES,
            random_table,
            [C_UCB, C_UCB_2, GREEDY],
            runs=100,
            measures=[CUMULATIVE_REGRET, ratio("C-UCB", "C-UCB-2", "Greedy")],
            rank=True,
        )
    ],
    figures=[
        Figure(
            "4-tables",
            f"Cumulative regret after {HORIZON_TABLES:,} rounds on {len(TABLES)} random tables for the same graph. "
            "Every probability is uniform on [0, 1], and the reward is binary. "
            "For each policy the tables are sorted by its regret.",
            [Panel("4-tables", log="y")],
        ),
        Figure(
            "4-tables-ratio",
            "The regrets on the same tables, divided by C-UCB's.",
            [Panel("4-tables", "ratio", lines=[Line("equal", lambda x: 1.0)], log="y")],
        ),
    ],
    describe=describe_tables,
    claims=[],
)

EXPERIMENTS = [ONE, TWO_A, TWO_B, THREE, FOUR, FOUR_TABLES]
