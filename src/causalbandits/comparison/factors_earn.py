"""Earning in random worlds with backdoor paths and hidden variables: factor-ucb."""

from __future__ import annotations

from ..studies.claims import Claim, Every
from ..studies.contrasts import Curve, OnAverage
from ..studies.pooled import Pooled, WorstRun
from ..studies.study import SHARE_LOST, Part
from .earn import CAUSAL_KL, CAUSAL_TS, CAUSAL_UCB_LEARNED, FACTOR_UCB
from .factors import CELLS, VARIABLES, Contest
from .general import CAUSAL_UCB

CONTEST = Contest(
    "factors-earn",
    FACTOR_UCB,
    [CAUSAL_KL, CAUSAL_TS],
    CAUSAL_UCB_LEARNED,
    SHARE_LOST,
    runs={0: 100, 1: 40, 2: 40},
)
REVEALED = [CONTEST.study(0, cell, [CAUSAL_UCB], "-revealed", reveal_parents=True) for cell in CELLS]
IF_REVEALED = [Curve(study.id, CAUSAL_UCB.label) for study in REVEALED]
LEARNED = [CONTEST.curves(CAUSAL_UCB_LEARNED, 0, cell) for cell in CELLS]
FACTORS_EARN = [one for one, _ in LEARNED]

EARN = Part(
    id=CONTEST.id,
    title="Earning where nothing is revealed",
    question="Is it as good to count by factors as to be told P(parents of the reward | do(a))?",
    studies=[*CONTEST.studies(), *REVEALED],
    figures=CONTEST.figures("Regret divided by the best possible reward"),
    describe=CONTEST.describe,
    claims=[
        Claim(
            "FE1",
            f"In random worlds with backdoor paths ({VARIABLES} variables, nothing revealed or hidden) factor-ucb "
            "loses on average at most 0.45 of what causal-kl, causal-ts or causal-ucb-learned lose, at both costs and "
            "both budgets.",
            Every(CONTEST.in_every_cell(0, 0.45)),
        ),
        Claim(
            "FE2",
            "Over the four together it loses at most 1.15 times what causal-ucb loses, which is told P(parents).",
            Every(
                [
                    OnAverage(
                        Pooled(FACTORS_EARN),
                        Pooled([Curve(study.id, CAUSAL_UCB.label) for study in REVEALED]),
                        factor=1.15,
                    )
                ]
            ),
        ),
        Claim(
            "FE3",
            f"The worst of {CONTEST.runs[0]} runs in each of these worlds loses less, on average over the worlds, than "
            "the worst one of causal-ucb-learned.",
            Every([WorstRun(FACTORS_EARN, [other for _, other in LEARNED])]),
        ),
        *CONTEST.hidden_claims("FE4", "FE5", "mean regret", "1 % of the best possible reward"),
    ],
)
