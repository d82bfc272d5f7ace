"""The paper's experiments on simple regret, 1 and 2: studies, figures and claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import bounds
from ...plot import Place
from ...problem import Problem
from ...studies.claims import All, Claim, Every, FromSomeOn, Most, Never, Readings
from ...studies.contrasts import Better, Close, Curve, Flat, Trend, much_better
from ...studies.study import ONLY_WATCHED, SIMPLE_REGRET, Data, Figure, Panel, Part, Study
from ...world import World
from .published import fit, published, published_study
from .settings import (
    BUDGET,
    BUDGET_2B,
    BUDGETS_2A,
    GAMMA,
    GAMMA_NB,
    GAMMA_NB_SET_SIZE,
    GAMMAS_2B,
    LATE_BUDGET_2B,
    LEAST_PROBABILITY,
    OBS,
    P_1,
    PB,
    RARE,
    THRESHOLD,
    estimated_thresholds,
    probabilities,
    setting_1,
    setting_2a,
    setting_2b,
)

RUNS_PUBLISHED = 4000  # at the points of the published figures; the paper has 1000

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


STUDY_1 = Study("1", LEAST_PROBABILITY, P_1, setting_1, [OBS, PB], runs=1000)
ONE = Part(
    id="1",
    title="Experiment 1: watching only, or intervening too",
    question="If interventions cost no more than watching, is watching alone (OBS-ALG) still enough? "
    "How does that depend on the probability of the rarest value?",
    studies=[STUDY_1, published_study(STUDY_1, RUNS_PUBLISHED)],
    figures=[
        Figure(
            "1",
            "Simple regret of OBS-ALG and PB-ALG with B = 100, γ = 1, M = 50, ε = 0.3. Open marks: the "
            "published figure.",
            [Panel("1", published=published("1"))],
        )
    ],
    describe=describe_1,
    claims=[
        Claim("E1a", "OBS-ALG's regret falls as p grows.", Every([Trend(Curve("1", "OBS-ALG"))])),
        Claim("E1b", "PB-ALG's regret does not depend on p.", Every([Flat(Curve("1", "PB-ALG"))])),
        Claim(
            "E1c",
            "Above some p OBS-ALG is much better than PB-ALG.",
            FromSomeOn([much_better(Curve("1", "OBS-ALG"), Curve("1", "PB-ALG"))]),
        ),
        Claim("F1", "Experiment 1: the published curve of OBS-ALG is that of OBS-ALG.", fit("OBS-ALG", OBS, "1")),
        Claim("F2", "Experiment 1: the published curve of PB-ALG is that of PB-ALG.", fit("PB-ALG", PB, "1")),
    ],
)

# Experiment 2: gamma-NB-ALG against PB-ALG while the budget grows (a), and while interventions become expensive (b)

GAMMA_NB_A, PB_A = Curve("2a", "γ-NB-ALG"), Curve("2a", "PB-ALG")
PRINTED, SET_SIZE = "as printed", "with |A| in line 6 and 0 in line 14"  # readings of γ-NB-ALG
READINGS_2A = {
    reading: Curve("2a", policy.label) for reading, policy in ((PRINTED, GAMMA_NB), (SET_SIZE, GAMMA_NB_SET_SIZE))
}
READINGS_2B = {  # γ-NB-ALG and PB-ALG
    f"at B = {BUDGET_2B:,}, {PRINTED}": (Curve("2b", GAMMA_NB.label), Curve("2b", PB.label)),
    f"at B = {BUDGET_2B:,}, {SET_SIZE}": (Curve("2b", GAMMA_NB_SET_SIZE.label), Curve("2b", PB.label)),
    f"at B = {LATE_BUDGET_2B:,}, {PRINTED}": (Curve("2b-late", GAMMA_NB.label), Curve("2b-late", PB.label)),
}


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
    by_set_size = curves.means(GAMMA_NB_SET_SIZE.label, "only_watched")
    shares = ", ".join(
        f"{share:.1%} at γ = {gamma}" for gamma, share in zip(GAMMAS_2B, watched, strict=True) if gamma in (15, 20, 25)
    )
    return [
        f"The share of runs in which γ-NB-ALG continues to watch is {shares}. It changes over below the theory's "
        f"threshold {THRESHOLD:g}, because m jumps at the paper's instance. m(p) is {bounds.m(probabilities(RARE))} "
        "where all other p_i are exactly 1/2. But one estimate below 1/2 makes m(p̂) = 3, and nearly every run has such "
        f"an estimate. The median of the estimated threshold is {np.median(estimated_thresholds(BUDGET_2B)):.1f}.",
        f"At γ = {GAMMAS_2B[-1]} the mean regrets are {gamma_nb[-1]:.4f} (γ-NB-ALG) and {pb[-1]:.4f} (PB-ALG). "
        "The text gives no budget. The claims F6 and F7 compare PB-ALG's published curve with two budgets.",
        "The claims F4, F5, F8 and F9 compare γ-NB-ALG's published curves with two readings. As printed, line 6 takes "
        "m(p̂), which is 3 in nearly every run. The other reading takes |A|, which is 2, so it changes to watching at a "
        f"larger γ: at γ = 25, {by_set_size[GAMMAS_2B.index(25)]:.0%} of its runs continue to watch instead of "
        f"{watched[GAMMAS_2B.index(25)]:.0%}. It also takes line 14 at its word: an arm of A without a whole pull has "
        "the estimate 0.",
    ]


def setting_2b_late(gamma: float) -> tuple[World, Problem]:
    return setting_2b(gamma, LATE_BUDGET_2B)


def thresholds_2b(budget: int) -> list[Place]:
    low, middle, high = np.quantile(estimated_thresholds(budget), [0.05, 0.5, 0.95])
    return [
        Place(f"threshold: {THRESHOLD:g}", THRESHOLD),
        Place(f"as estimated: {middle:.1f}", float(middle), float(low), float(high)),
    ]


STUDY_2A = Study(
    "2a",
    BUDGET,
    BUDGETS_2A,
    setting_2a,
    [GAMMA_NB, PB, GAMMA_NB_SET_SIZE],
    runs=1000,
    measures=[SIMPLE_REGRET, ONLY_WATCHED],
)
STUDY_2B = replace(STUDY_2A, id="2b", axis=GAMMA, values=GAMMAS_2B, setting=setting_2b)
STUDY_2B_LATE = replace(STUDY_2B, id="2b-late", setting=setting_2b_late)

TWO_A = Part(
    id="2a",
    title="Experiment 2a: expensive interventions, growing budget",
    question="If an intervention costs as much as 60 observations, does it help to know when not to intervene?",
    studies=[
        STUDY_2A,
        published_study(STUDY_2A, RUNS_PUBLISHED),
    ],
    figures=[
        Figure(
            "2a",
            "Simple regret of γ-NB-ALG and PB-ALG with γ = 60, p = 0.02, M = 50, ε = 0.3. Open marks: the published "
            "figure. Below: the share of γ-NB-ALG's runs that continued to watch.",
            [
                Panel("2a", published=published("2a")),
                Panel("2a", measure="only_watched", curves=[GAMMA_NB.label, GAMMA_NB_SET_SIZE.label]),
            ],
        )
    ],
    describe=describe_2a,
    claims=[
        Claim(
            "E2a",
            "With γ = 60 γ-NB-ALG is never worse than PB-ALG at any budget, and much better for most.",
            Readings(
                {
                    reading: All([Never([Better(gamma_nb, PB_A)]), Most([much_better(gamma_nb, PB_A)])])
                    for reading, gamma_nb in READINGS_2A.items()
                }
            ),
        ),
        Claim("F3", "Experiment 2a: the published curve of PB-ALG is that of PB-ALG.", fit("PB-ALG", PB, "2a")),
        Claim(
            "F4",
            "Experiment 2a: the published curve of γ-NB-ALG is that of Algorithm 1 as printed.",
            fit("γ-NB-ALG", GAMMA_NB, "2a"),
        ),
        Claim(
            "F5",
            "Experiment 2a: the published curve of γ-NB-ALG is that of Algorithm 1 with |A| instead of m(p̂) "
            "in line 6, and "
            "with the estimate 0 in line 14 for an arm of A without a pull.",
            fit("γ-NB-ALG", GAMMA_NB_SET_SIZE, "2a"),
        ),
    ],
)

TWO_B = Part(
    id="2b",
    title="Experiment 2b: from cheap to expensive interventions",
    question="At which cost of an intervention should one stop intervening, and does γ-NB-ALG find it?",
    studies=[
        STUDY_2B,
        published_study(STUDY_2B, RUNS_PUBLISHED),
        STUDY_2B_LATE,
    ],
    figures=[
        Figure(
            "2b",
            f"Simple regret of γ-NB-ALG and PB-ALG with B = {BUDGET_2B}, p = 0.02, M = 50, ε = 0.3. Open marks: the "
            "published figure. "
            "Below: the share of γ-NB-ALG's runs that continued to watch. Dashed: the threshold 1 / (p m(p)). "
            "Dotted: the threshold that γ-NB-ALG estimates, 1 / (p̂ m(p̂)), with its median and 90 % range.",
            [
                Panel("2b", marks=lambda: thresholds_2b(BUDGET_2B), published=published("2b")),
                Panel(
                    "2b",
                    measure="only_watched",
                    curves=[GAMMA_NB.label, GAMMA_NB_SET_SIZE.label],
                    marks=lambda: thresholds_2b(BUDGET_2B),
                ),
            ],
        ),
        Figure(
            "2b-late",
            f"The same with B = {LATE_BUDGET_2B}. Open marks: the published figure, which is far off.",
            [
                Panel("2b-late", marks=lambda: thresholds_2b(LATE_BUDGET_2B), published=published("2b")),
                Panel("2b-late", measure="only_watched", curves=[GAMMA_NB.label]),
            ],
        ),
    ],
    describe=describe_2b,
    claims=[
        Claim(
            "E2b",
            "Up to a threshold of γ the two are close.",
            Readings(
                {
                    reading: Every([Close(gamma_nb, pb, where=lambda gamma: gamma <= THRESHOLD)])
                    for reading, (gamma_nb, pb) in READINGS_2B.items()
                }
            ),
        ),
        Claim(
            "E2c",
            "Beyond it γ-NB-ALG is much better.",
            Readings(
                {
                    reading: Every([much_better(gamma_nb, pb, where=lambda gamma: gamma > THRESHOLD)])
                    for reading, (gamma_nb, pb) in READINGS_2B.items()
                }
            ),
        ),
        Claim(
            "F6",
            f"Experiment 2b: the published curve of PB-ALG is that of PB-ALG at B = {BUDGET_2B:,}.",
            fit("PB-ALG", PB, "2b"),
        ),
        Claim(
            "F7",
            f"Experiment 2b: the published curve of PB-ALG is that of PB-ALG at B = {LATE_BUDGET_2B:,}.",
            fit("PB-ALG", PB, "2b", suffix="-late"),
        ),
        Claim(
            "F8",
            f"Experiment 2b: the published curve of γ-NB-ALG is that of Algorithm 1 as printed, at B = {BUDGET_2B:,}.",
            fit("γ-NB-ALG", GAMMA_NB, "2b"),
        ),
        Claim(
            "F9",
            "Experiment 2b: the published curve of γ-NB-ALG is that of Algorithm 1 with |A| instead of m(p̂) "
            "in line 6, and "
            f"with the estimate 0 in line 14 for an arm of A without a pull, at B = {BUDGET_2B:,}.",
            fit("γ-NB-ALG", GAMMA_NB_SET_SIZE, "2b"),
        ),
    ],
)
