"""Finding the best intervention in random worlds with backdoor paths and hidden variables: factor-find."""

from __future__ import annotations

from ..papers.nair2021.settings import GAMMA_NB
from ..policies.causal_ucb_learned import CausalUCBLearned
from ..studies.claims import Claim, Every
from ..studies.study import SIMPLE_REGRET, Part
from .factors import SLACK, VARIABLES, Contest
from .find import FACTOR_FIND, TOP_TWO

LEARNED_TO_FIND = CausalUCBLearned(per_cost=False, name="causal-ucb-learned, per round")
CONTEST = Contest(
    "factors-find",
    FACTOR_FIND,
    [TOP_TWO, GAMMA_NB],
    LEARNED_TO_FIND,
    SIMPLE_REGRET,
    runs={0: 150, 1: 40, 2: 40},
)
RIVALS = f"top-two, γ-NB-ALG or {LEARNED_TO_FIND.label} (causal-ucb-learned with per_cost=False)"

FIND = Part(
    id=CONTEST.id,
    title="Finding where nothing is revealed",
    question="Does it also help to find the best intervention that every round teaches about all arms?",
    studies=list(CONTEST.studies()),
    figures=CONTEST.figures("Simple regret"),
    describe=CONTEST.describe,
    claims=[
        Claim(
            "FF1",
            f"In random worlds with backdoor paths ({VARIABLES} variables, nothing revealed or hidden) factor-find's "
            f"mean simple regret is at most 0.6 of that of {RIVALS}, at both costs and both budgets.",
            Every(CONTEST.in_every_cell(0, 0.6)),
        ),
        Claim(
            "FF2",
            "Over the four together it is at most half of theirs.",
            Every(CONTEST.over_all_cells(0.5)),
        ),
        *CONTEST.hidden_claims("FF3", "FF4", "mean simple regret", f"{SLACK:g}"),
    ],
)
