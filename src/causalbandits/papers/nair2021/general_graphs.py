"""The paper's experiment on general graphs, 4, and random tables for its graph: studies, figures and claims."""

from __future__ import annotations

import numpy as np

from ...studies.claims import Claim, Each, Every, Readings
from ...studies.contrasts import Better, Constant, Curve, Trend
from ...studies.study import CUMULATIVE_REGRET, Axis, Data, Figure, Line, Panel, Part, Study, ratio
from .published import fit, published, published_study
from .settings import (
    C_UCB,
    C_UCB_2,
    C_UCB_2_LAST_ROUND,
    C_UCB_8,
    GREEDY,
    HORIZON,
    HORIZON_TABLES,
    HORIZONS_4,
    TABLES,
    random_table,
    setting_4,
    zeta,
)

# Experiment 4: C-UCB against C-UCB-2 on a graph with a backdoor path, and on random tables for the same graph

READINGS_4 = {"as printed": (C_UCB, C_UCB_2), "as published": (C_UCB_8, C_UCB_2_LAST_ROUND)}  # C-UCB and C-UCB-2


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


STUDY_4 = Study(
    "4",
    HORIZON,
    HORIZONS_4,
    setting_4,
    [C_UCB, C_UCB_8, C_UCB_2, C_UCB_2_LAST_ROUND, GREEDY],
    runs=500,
    measures=[CUMULATIVE_REGRET],
)

FOUR = Part(
    id="4",
    title="Experiment 4: a graph with a backdoor path",
    question="The distribution of the reward's parents is known for every arm. "
    "Is a radius per arm (C-UCB-2) better than one per configuration (C-UCB)?",
    studies=[STUDY_4, published_study(STUDY_4, runs=10_000)],
    figures=[
        Figure(
            "4",
            "Cumulative regret on the graph X1 → X2, X1 → W1, X2 → W2, W1 → Y ← W2. "
            "Every policy is run anew for every horizon T. Open marks: the published figure.",
            [Panel("4", published=published("4"))],
        )
    ],
    describe=describe_4,
    claims=[
        Claim(
            "E4a",
            "C-UCB-2's regret is below C-UCB's.",
            Readings(
                {
                    reading: Each([Better(Curve("4", second.label), Curve("4", first.label))])
                    for reading, (first, second) in READINGS_4.items()
                }
            ),
        ),
        Claim(
            "E4b",
            "C-UCB's regret grows with T.",
            Readings(
                {
                    reading: Every([Trend(Curve("4", first.label), grows=True)])
                    for reading, (first, _) in READINGS_4.items()
                }
            ),
        ),
        Claim(
            "E4c",
            "C-UCB-2's regret becomes constant.",
            Readings(
                {reading: Every([Constant(Curve("4", second.label))]) for reading, (_, second) in READINGS_4.items()}
            ),
        ),
        Claim(
            "F15",
            "Experiment 4: the published curve of C-UCB is that of C-UCB with δ = 1 / T².",
            fit("C-UCB", C_UCB, "4"),
        ),
        Claim(
            "F16",
            "Experiment 4: the published curve of C-UCB is that of C-UCB with the radius sqrt(8 log T / N).",
            fit("C-UCB", C_UCB_8, "4"),
        ),
        Claim(
            "F17",
            "Experiment 4: the published curve of C-UCB-2 is that of Algorithm 3 as printed.",
            fit("C-UCB-2", C_UCB_2, "4"),
        ),
        Claim(
            "F18",
            "Experiment 4: the published curve of C-UCB-2 is that of Algorithm 3 if line 1 counts only its last round.",
            fit("C-UCB-2", C_UCB_2_LAST_ROUND, "4"),
        ),
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
