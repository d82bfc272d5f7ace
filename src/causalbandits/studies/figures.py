"""The figures of a paper, from the curves of its studies. Knows no paper."""

from __future__ import annotations

import math

import numpy as np

from ..plot import Band, Chart, Reference
from ..regret import Estimate
from .study import Curves, Data, Figure, Panel


def charts(figure: Figure, data: Data) -> list[Chart]:
    """What is to be drawn for a figure."""
    return [_chart(panel, data[panel.study]) for panel in figure.panels]


def _chart(panel: Panel, curves: Curves) -> Chart:
    measure = next(
        measure for measure in curves.study.measures if panel.measure in (None, measure.name)
    )  # by default the first
    bands = []
    for name, samples in curves.samples[measure.name].items():
        if panel.curves is None or name in panel.curves:
            estimates = [Estimate.of(sample) for sample in samples]
            if curves.study.rank:
                estimates = sorted((e for e in estimates if not np.isnan(e.mean)), key=lambda e: e.mean)
                bands.append(
                    Band(name, (np.arange(len(estimates)) + 0.5) / max(len(estimates), 1), _floored(estimates, panel))
                )
            else:
                bands.append(Band(name, curves.x, _floored(estimates, panel)))
    x = np.array([0.0, 1.0]) if curves.study.rank else curves.x
    references = [Reference(line.label, x, [line.of(value) for value in x]) for line in panel.lines]
    label = f"share of the {curves.study.axis.label}" if curves.study.rank else curves.study.axis.label
    return Chart(label, measure.label, bands, references, panel.marks(), panel.log, measure.is_share, panel.ticks)


def _floored(estimates: list[Estimate], panel: Panel) -> list[Estimate]:
    """On a logarithmic axis a mean of 0 has no place, and a band that reaches 0 no lower end: it is drawn down to a tenth of the mean."""
    if "y" not in panel.log:
        return estimates
    nowhere = Estimate(math.nan, math.nan, math.nan, math.nan)
    return [
        Estimate(e.mean, e.standard_error, max(e.low, e.mean / 10), e.high) if e.mean > 0 else nowhere
        for e in estimates
    ]
