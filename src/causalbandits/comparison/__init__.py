"""The policies of this library against those of the paper: what is claimed of them, on the paper's worlds, on random ones and on odd ones.

Symbols as in nair2021.py. A policy of the paper is called as there, one of ours by its kind.
"""

from __future__ import annotations

from ..studies.study import Paper, Wording
from . import cases, earn, find, general

NOTES = [
    'A verdict is computed as in the report on the paper: one-sided t-tests on runs at level 5 %, Holm over the points of a claim. "Holds" is shown '
    'at every point, "fails" is refuted at one; of a claim that something happens nowhere, "holds" means refuted at no point.',
    "The policies of a simulation meet the same luck in a run, and differences are paired.",
    "CRM-NB-ALG and F-KUBE have the constant 2 in their radius, that of the proof, which is better for them than 8.",
    "Regrets of random worlds are in parts of G_B, the most that can be earned, so that worlds with a large budget do not outvote the others.",
    "The lower bound is that of arms whose means have nothing to do with each other: it binds policies that learn of an arm from its own samples.",
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
        cases.ODD,
    ],
    deviations=NOTES,
    wording=Wording(
        done=": the comparison",
        says="we claim",
        verdicts={"reproduced": "holds", "not reproduced": "fails"},
        notes="Notes",
    ),
)
