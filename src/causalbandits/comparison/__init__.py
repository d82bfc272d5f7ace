"""The policies of this library against those of the paper: on the paper's worlds, on random ones and on odd ones.

The symbols are those of papers/nair2021. A policy of the paper has its name there, one of ours has its kind as name.
"""

from __future__ import annotations

from ..studies.study import Paper, Wording
from . import cases, earn, factors_earn, factors_find, fair, find, general, networks

NOTES = [
    "Verdicts are computed as in the report on the paper: one-sided t-tests on runs at level 5 %, with Holm over the "
    'points of a claim. "Holds" means shown at every point, "fails" means refuted at one. A claim that '
    "something is nowhere worse names a margin, and must be shown with it at every point. A claim that says "
    '"it is not shown that" says less: it only fails where the runs show the opposite, by 3 standard errors. '
    "So it names the largest difference that the runs leave possible.",
    "In a run all policies of a simulation meet the same random events, and differences are paired.",
    "CRM-NB-ALG and F-KUBE have the constant 2 of the proof in their radius, which is better for them than 8. "
    'The part "fair" has every policy also with the constant that is best on other worlds.',
    "Regrets in random worlds are divided by G_B, the largest reward that the budget can buy. "
    "So worlds with a large budget do not outweigh the others.",
    "The lower bound is for arms whose means are unrelated. It binds policies that learn about an arm from its own "
    "samples.",
]

PAPER = Paper(
    id="ours",
    title="The policies of this library",
    reference="against those of Nair, Patil & Sinha (2021), on their experiments, on random worlds and on odd ones.",
    parts=[
        find.ONE,
        find.TWO_A,
        find.TWO_B,
        earn.THREE,
        general.FOUR,
        general.TABLES,
        find.WORLDS,
        earn.WORLDS,
        factors_earn.EARN,
        factors_find.FIND,
        networks.PUBLISHED,
        fair.FAIR,
        cases.ODD,
    ],
    deviations=NOTES,
    wording=Wording(
        title_suffix=": the comparison",
        claims_heading="we claim",
        verdicts={"reproduced": "holds", "not reproduced": "fails"},
        notes_heading="Notes",
    ),
    module=__name__,
)
