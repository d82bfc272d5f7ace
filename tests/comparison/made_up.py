"""Made-up results of a part of the comparison, so that it is known in advance which of its claims are true."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from causalbandits.comparison import PAPER
from causalbandits.studies.study import Curves, Data, Part

NOISE = 0.001


def part_named(id: str) -> Part:
    return next(part for part in PAPER.parts if part.id == id)


def made_up(
    part: Part, losses: Mapping[str, float], others: float, but: Mapping[str, Mapping[str, float]] | None = None
) -> Data:
    """Runs of all studies of a part in which policies lose so much on average, at every value and in every measure.

    `but` has the losses in some of the studies.
    """
    data = {}
    for study in part.studies:
        rng, size = np.random.default_rng(7), (len(study.values), len(study.worlds) or study.runs)
        means = {policy.label: losses.get(policy.label, others) for policy in study.policies} | (but or {}).get(
            study.id, {}
        )
        data[study.id] = Curves(
            study,
            size[1],
            {
                measure.name: {label: mean + rng.normal(0, NOISE, size) for label, mean in means.items()}
                for measure in study.measures
            },
            {measure.name: np.ones(size[0]) for measure in study.measures},
        )
    return data


def verdicts(part: Part, data: Data) -> dict[str, str]:
    return {claim.id: claim.test.judge(data).verdict for claim in part.claims}
