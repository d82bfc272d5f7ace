"""General graphs: causal-ucb against C-UCB, C-UCB-2, Greedy and C-TS, where P(y | do(a)) is known.

causal-ucb-learned and UCB do not know it: they show what that knowledge is worth.
"""

from __future__ import annotations

from dataclasses import replace

from ..papers.nair2021 import general_graphs as nair2021
from ..papers.nair2021.settings import C_UCB, C_UCB_2, GREEDY, HORIZON_TABLES, HORIZONS_4
from ..papers.nair2021.settings import TABLES as TABLE_NUMBERS
from ..policies.c_ts import CTS
from ..policies.causal_ucb import CausalUCB
from ..studies.claims import Claim, Every
from ..studies.contrasts import AtWorst, Curve, OnAverage
from ..studies.study import CUMULATIVE_REGRET, Data, Figure, Panel, Part
from .earn import CAUSAL_UCB_LEARNED, PLAIN_UCB

CAUSAL_UCB = CausalUCB()
GENERAL = [C_UCB, C_UCB_2, GREEDY, CTS(name="C-TS"), CAUSAL_UCB, CAUSAL_UCB_LEARNED, PLAIN_UCB]


def describe_4(data: Data) -> list[str]:
    regrets = ", ".join(f"{data['4'].means(policy.label)[-1]:.3f} ({policy.label})" for policy in GENERAL)
    return [f"At T = {HORIZONS_4[-1]} the mean regrets are {regrets}."]


def describe_tables(data: Data) -> list[str]:
    means = {policy.label: data["4-tables"].means(policy.label) for policy in GENERAL}
    regrets = "; ".join(f"{label}: mean {m.mean():.2f}, worst table {m.max():.1f}" for label, m in means.items())
    return [f"Regret. {regrets}."]


FOUR = Part(
    id="4",
    title="Experiment 4: a graph with a backdoor path",
    question="How much does one joint confidence set save?",
    studies=[replace(nair2021.FOUR.studies[0], policies=GENERAL)],
    figures=[Figure("4", "Cumulative regret in the setting of the paper's Figure 4.", [Panel("4")])],
    describe=describe_4,
    claims=[],
)
TABLES = Part(
    id="4-tables",
    title="Random tables for Experiment 4",
    question="Does it also save something with other probabilities in the same graph?",
    studies=[replace(nair2021.FOUR_TABLES.studies[0], policies=GENERAL, measures=[CUMULATIVE_REGRET])],
    figures=[
        Figure(
            "4-tables",
            f"Cumulative regret after {HORIZON_TABLES:,} rounds on {len(TABLE_NUMBERS)} random tables. "
            "For each policy the tables are sorted by its regret.",
            [Panel("4-tables", log="y")],
        )
    ],
    describe=describe_tables,
    claims=[
        Claim(
            "G1",
            "On average over the tables causal-ucb loses at most a quarter of what C-UCB loses.",
            Every([OnAverage(Curve("4-tables", CAUSAL_UCB.label), Curve("4-tables", C_UCB.label), 0.25)]),
        ),
        Claim(
            "G2",
            "The regret of causal-ucb on its worst table is below that of C-UCB on its worst.",
            Every([AtWorst(Curve("4-tables", CAUSAL_UCB.label), Curve("4-tables", C_UCB.label))]),
        ),
        Claim(
            "G3",
            "Where nothing is revealed, causal-ucb-learned loses on average at most half of what UCB loses. "
            "UCB knows nothing of the graph.",
            Every([OnAverage(Curve("4-tables", CAUSAL_UCB_LEARNED.label), Curve("4-tables", PLAIN_UCB.label), 0.5)]),
        ),
    ],
)
