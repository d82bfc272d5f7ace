"""Results as figures; the only importer of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .errors import InputError
from .regret import Estimate
from .result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito (2008): told apart by people with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def cumulative_regret(result: Result, axes: Axes | None = None) -> Figure:
    """Mean cumulative regret over the checkpoints, with its 95 % band, a line per policy; simulate with several checkpoints first."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError("Figures need matplotlib; install causalbandits[plot].") from None
    if axes is None:
        _, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for colour, (label, regrets) in zip(_colours(len(result.cumulative_regret)), result.cumulative_regret.items(), strict=True):
        estimates = [Estimate.of(column) for column in regrets.T]
        x = np.concatenate([[0.0], result.checkpoints])
        axes.plot(x, [0.0, *(e.mean for e in estimates)], color=colour, label=label)
        axes.fill_between(x, [0.0, *(e.low for e in estimates)], [0.0, *(e.high for e in estimates)], color=colour, alpha=0.2, linewidth=0)
    axes.set_xlabel("budget spent" if result.problem.horizon is None else "rounds")
    axes.set_ylabel("cumulative regret")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    axes.margins(x=0)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    figure = axes.get_figure()
    assert figure is not None
    return figure  # type: ignore[return-value]


def _colours(number: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(number)]
