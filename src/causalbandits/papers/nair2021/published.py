"""What was read from the paper's published figures, and how it is compared with our curves.

published.csv has the points. Their error is 0.4 % of the largest value of a figure plus half of the last digit read.
The exception is C-UCB at T = 95, which could only be read as 0.38 to 0.40. C-UCB-2's plateau was read once and stands
here at four horizons. The offset is a constant error of reading a figure (0.4 pixels in Experiment 3). It was found by
comparing with our curves: see docs/theory/published-figures.md.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...policies.contract import Policy
from ...studies.contrasts import Curve
from ...studies.fits import Fit, Pair
from ...studies.published import PublishedCurve, read_published
from ...studies.study import Study

SUFFIX = "-published"  # of studies at the points of the published figure
CURVES = read_published(Path(__file__).with_suffix(".csv"))


def published(figure: str) -> list[PublishedCurve]:
    """The published curves of a figure."""
    return [curve for curve in CURVES.values() if curve.figure == figure]


def published_study(study: Study, runs: int) -> Study:
    """A study at the points of the published figure, with more runs than the paper has.

    So what differs from the published points is hardly our own luck.
    """
    values = sorted({point.x for curve in published(study.id) for point in curve.points})
    return replace(study, id=study.id + SUFFIX, values=values, runs=runs, measures=study.measures[:1])


def fit(name: str, policy: Policy, *figures: str, suffix: str = SUFFIX) -> Fit:
    """The published curve `name` in some figures against the curves of a policy, in the studies <figure><suffix>."""
    return Fit([Pair(Curve(figure + suffix, policy.label), CURVES[figure, name]) for figure in figures])
