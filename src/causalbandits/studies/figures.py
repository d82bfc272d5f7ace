"""The figures of a paper, from the curves of its studies."""

from __future__ import annotations

import math

import numpy as np

from ..plot import Band, Chart, Points, Reference
from ..regret import Estimate, Floats
from .evidence import ROUNDING
from .study import Curves, Data, Figure, Panel

NOT_DRAWN = Estimate(math.nan, math.nan, math.nan, math.nan)


def charts(figure: Figure, data: Data) -> list[Chart]:
    """One chart per panel of a figure."""
    return [_chart(panel, data[panel.study]) for panel in figure.panels]


def _chart(panel: Panel, curves: Curves) -> Chart:
    study = curves.study
    measure = next(measure for measure in study.measures if panel.measure in (None, measure.name))
    bands = []
    for number, (name, samples) in enumerate(curves.samples[measure.name].items()):
        if panel.curves is None or name in panel.curves:
            estimates = [_estimate(sample) for sample in samples]
            x = curves.x
            if study.rank:
                estimates = sorted((e for e in estimates if not np.isnan(e.mean)), key=lambda e: e.mean)
                x = (np.arange(len(estimates)) + 0.5) / max(len(estimates), 1)
            bands.append(Band(name, x, _on_scale(estimates, panel), number))
    x = np.array([0.0, 1.0]) if study.rank else curves.x
    references = [Reference(line.label, x, [line.of(value) for value in x]) for line in panel.lines]
    label = f"share of the {study.axis.label}" if study.rank else study.axis.label
    points = [
        Points(f"{curve.name}, published", [(p.x, p.y, p.error) for p in curve.points]) for curve in panel.published
    ]
    return Chart(
        label,
        measure.label,
        bands,
        references,
        places=panel.marks(),
        log=panel.log,
        share=measure.is_share,
        ticks=panel.ticks,
        points=points,
    )


def _estimate(sample: Floats) -> Estimate:
    """The mean with its band. If no run is below 0, as with every regret, then neither is the band."""
    estimate = Estimate.of(sample)
    return estimate.not_negative if (sample >= 0).all() else estimate


def _on_scale(estimates: list[Estimate], panel: Panel) -> list[Estimate]:
    """The estimates that a panel can draw.

    A logarithmic axis has no place for a mean of 0, up to rounding. A band that reaches 0 is cut off at a tenth of the
    mean.
    """
    if "y" not in panel.log:
        return estimates
    return [
        Estimate(e.mean, e.standard_error, max(e.low, e.mean / 10), e.high) if e.mean > ROUNDING else NOT_DRAWN
        for e in estimates
    ]
