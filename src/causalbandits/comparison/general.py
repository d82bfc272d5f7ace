"""General graphs: causal-ucb against C-UCB, C-UCB-2, Greedy and C-TS, where P(y | do(a)) is known.

causal-ucb-learned and UCB do not know it: they show what that knowledge is worth. factor-ucb would read it, so it has
studies of its own, in which nothing is revealed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..papers.nair2021 import general_graphs as nair2021
from ..papers.nair2021.settings import C_UCB, C_UCB_2, GREEDY, HORIZON_TABLES, HORIZONS_4, random_table, setting_4
from ..papers.nair2021.settings import TABLES as TABLE_NUMBERS
from ..policies.c_ts import CTS
from ..policies.causal_ucb import CausalUCB
from ..problem import Problem
from ..studies.claims import Claim, Every
from ..studies.contrasts import AtWorst, Better, Curve, OnAverage
from ..studies.formatting import short
from ..studies.study import CUMULATIVE_REGRET, Data, Figure, Floats, Panel, Part
from ..world import World
from .earn import CAUSAL_UCB_LEARNED, FACTOR_UCB, PLAIN_UCB

CAUSAL_UCB = CausalUCB()
GENERAL = [C_UCB, C_UCB_2, GREEDY, CTS(name="C-TS"), CAUSAL_UCB, CAUSAL_UCB_LEARNED, PLAIN_UCB]


LONG_HORIZONS_4 = (10, 20, 50, 100, 200, 500, 1000)
UNREVEALED = [FACTOR_UCB, CAUSAL_UCB_LEARNED]
STUDY_4, STUDY_TABLES = nair2021.FOUR.studies[0], nair2021.FOUR_TABLES.studies[0]


def unrevealed(setting: Callable[[float], tuple[World, Problem]]) -> Callable[[float], tuple[World, Problem]]:
    """The same worlds and horizons, with nothing revealed."""

    def problem(value: float) -> tuple[World, Problem]:
        world, revealed = setting(value)
        return world, world.problem(horizon=revealed.horizon, observe=revealed.observes)

    return problem


def curves(study: str) -> tuple[Curve, Curve]:
    """Our two policies where nothing is revealed."""
    return Curve(study, FACTOR_UCB.label), Curve(study, CAUSAL_UCB_LEARNED.label)


def describe_4(data: Data) -> list[str]:
    regrets = ", ".join(f"{data['4'].means(policy.label)[-1]:.3f} ({policy.label})" for policy in GENERAL)
    last = {policy.label: data["4-unrevealed"].means(policy.label)[-1] for policy in UNREVEALED}
    revealed = data["4-revealed"].means(CAUSAL_UCB.label)[-1]
    distance = short(last[FACTOR_UCB.label] / revealed, 3)
    long = ", ".join(f"{short(regret, 3)} ({label})" for label, regret in last.items())
    return [
        f"At T = {HORIZONS_4[-1]} the mean regrets are {regrets}.",
        f"At T = {LONG_HORIZONS_4[-1]:,}, with nothing revealed, they are {long}. causal-ucb, which is told "
        f"P(parents), has {short(revealed, 3)}. So factor-ucb has {distance} times its regret.",
    ]


def describe_tables(data: Data) -> list[str]:
    means = {policy.label: data["4-tables"].means(policy.label) for policy in GENERAL}
    unrevealed_means = {policy.label: data["4-tables-unrevealed"].means(policy.label) for policy in UNREVEALED}
    ratio = unrevealed_means[FACTOR_UCB.label].mean() / means[CAUSAL_UCB.label].mean()
    return [
        f"Regret. {_means_and_worst(means)}.",
        f"Regret with nothing revealed. {_means_and_worst(unrevealed_means)}. factor-ucb has "
        f"{short(float(ratio), 3)} times the mean regret of causal-ucb, which is told P(parents).",
    ]


def _means_and_worst(means: Mapping[str, Floats]) -> str:
    return "; ".join(f"{label}: mean {m.mean():.2f}, worst table {m.max():.1f}" for label, m in means.items())


FOUR = Part(
    id="4",
    title="Experiment 4: a graph with a backdoor path",
    question="How much does one joint confidence set save?",
    studies=[
        replace(STUDY_4, policies=GENERAL),
        replace(STUDY_4, id="4-unrevealed", values=LONG_HORIZONS_4, setting=unrevealed(setting_4), policies=UNREVEALED),
        replace(STUDY_4, id="4-revealed", values=LONG_HORIZONS_4, policies=[CAUSAL_UCB]),
    ],
    figures=[
        Figure("4", "Cumulative regret in the setting of the paper's Figure 4.", [Panel("4")]),
        Figure("4-unrevealed", "The same with nothing revealed, at longer horizons.", [Panel("4-unrevealed", log="x")]),
    ],
    describe=describe_4,
    claims=[
        Claim(
            "GU1",
            f"In Experiment 4 with nothing revealed, at T = {LONG_HORIZONS_4[-1]:,}, factor-ucb loses at most 0.8 of "
            "what causal-ucb-learned loses.",
            Every([Better(*curves("4-unrevealed"), 0.8, last=True)]),
        )
    ],
)
TABLES = Part(
    id="4-tables",
    title="Random tables for Experiment 4",
    question="Does it also save something with other probabilities in the same graph?",
    studies=[
        replace(STUDY_TABLES, policies=GENERAL, measures=[CUMULATIVE_REGRET]),
        replace(
            STUDY_TABLES,
            id="4-tables-unrevealed",
            setting=unrevealed(random_table),
            policies=UNREVEALED,
            measures=[CUMULATIVE_REGRET],
        ),
    ],
    figures=[
        Figure(
            "4-tables",
            f"Cumulative regret after {HORIZON_TABLES:,} rounds on {len(TABLE_NUMBERS)} random tables. "
            "For each policy the tables are sorted by its regret.",
            [Panel("4-tables", log="y")],
        ),
        Figure("4-tables-unrevealed", "The same with nothing revealed.", [Panel("4-tables-unrevealed", log="y")]),
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
        Claim(
            "GU2",
            "Where nothing is revealed, factor-ucb loses on average at most 0.45 of what causal-ucb-learned loses.",
            Every([OnAverage(*curves("4-tables-unrevealed"), 0.45)]),
        ),
        Claim(
            "GU3",
            "There the regret of factor-ucb on its worst table is below that of causal-ucb-learned on its worst.",
            Every([AtWorst(*curves("4-tables-unrevealed"))]),
        ),
    ],
)
