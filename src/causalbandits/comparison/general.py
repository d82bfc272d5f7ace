"""General graphs: causal-ucb against C-UCB, C-UCB-2, Greedy and C-TS, where P(y | do(a)) is known; and what it costs not to know it."""

from __future__ import annotations

from dataclasses import replace

from ..papers.nair2021 import paper as nair
from ..policies.c_ts import CTS
from ..policies.causal_ucb import CausalUCB
from ..studies.claims import Claim, Every
from ..studies.contrasts import AtWorst, Curve, OnAverage
from ..studies.study import CUMULATIVE, Figure, Panel, Part
from .earn import LEARNED, PLAIN

CAUSAL_UCB = CausalUCB()
GENERAL = [nair.C_UCB, nair.C_UCB_2, nair.GREEDY, CTS(name="C-TS"), CAUSAL_UCB, LEARNED, PLAIN]

FOUR = Part(
    id="4",
    title="Experiment 4: a graph with a backdoor path",
    question="How much does one joint confidence set save?",
    studies=[replace(nair.FOUR.studies[0], policies=GENERAL)],
    figures=[Figure("4", "Cumulative regret; the setting is that of the paper's Figure 4.", [Panel("4")])],
    shows=lambda data: [
        f"At T = {nair.HORIZONS_4[-1]} the mean regrets are "
        + ", ".join(f"{data['4'].means(p.label)[-1]:.3f} ({p.label})" for p in GENERAL)
        + "."
    ],
    claims=[],
)
TABLES = Part(
    id="4-tables",
    title="Random tables for Experiment 4",
    question="And with other probabilities in the same graph?",
    studies=[replace(nair.FOUR_TABLES.studies[0], policies=GENERAL, measures=[CUMULATIVE])],
    figures=[
        Figure(
            "4-tables",
            f"Cumulative regret after {nair.HORIZON_TABLES:,} rounds on {len(nair.TABLES)} random tables, in the order of each policy's.",
            [Panel("4-tables", log="y")],
        )
    ],
    shows=lambda data: [
        "Regret. "
        + "; ".join(
            f"{p.label}: mean {data['4-tables'].means(p.label).mean():.2f}, worst table {data['4-tables'].means(p.label).max():.1f}"
            for p in GENERAL
        )
        + "."
    ],
    claims=[
        Claim(
            "G1",
            "On average over the tables causal-ucb loses at most a quarter of what C-UCB loses.",
            Every([OnAverage(Curve("4-tables", CAUSAL_UCB.label), Curve("4-tables", nair.C_UCB.label), 0.25)]),
        ),
        Claim(
            "G2",
            "The regret of causal-ucb on its worst table is below that of C-UCB on its worst.",
            Every([AtWorst(Curve("4-tables", CAUSAL_UCB.label), Curve("4-tables", nair.C_UCB.label))]),
        ),
        Claim(
            "G3",
            "Where nothing is revealed, causal-ucb-learned loses on average at most half of what UCB loses, which knows nothing of the graph.",
            Every([OnAverage(Curve("4-tables", LEARNED.label), Curve("4-tables", PLAIN.label), 0.5)]),
        ),
    ],
)
