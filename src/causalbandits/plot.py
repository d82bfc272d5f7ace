"""Draw results as figures. Only this module imports matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .display.notebook import in_notebook
from .errors import InputError, as_list, check_kind, missing_extra, shown, unknown
from .regret import Estimate
from .simulation.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Band", "Chart", "Place", "Points", "Reference", "cumulative_regret", "draw", "saved"]


def __dir__() -> list[str]:
    return __all__


# Okabe & Ito (2008): people with any colour vision can distinguish these. In grey print the dashes differ.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666")
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)), (0, (1, 2)), (0, (8, 2)))
INK = "#1b1f24"  # text and axes
FAINT = "#8a8f98"  # reference lines

# For a column of a paper: a serif font and thin lines. Text stays text in PDF. STIX is faster to embed than DejaVu.
STYLE = {
    "font.family": "STIXGeneral", "mathtext.fontset": "stix",
    "font.size": 9, "axes.labelsize": 9.5, "legend.fontsize": 8, "xtick.labelsize": 8.5, "ytick.labelsize": 8.5,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4, "ytick.minor.width": 0.4, "lines.linewidth": 1.3,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "legend.handlelength": 2.2,
    "pdf.fonttype": 42, "svg.fonttype": "path", "figure.facecolor": "#ffffff", "savefig.facecolor": "#ffffff",
}  # fmt: skip


@dataclass(frozen=True)
class Band:
    """A curve with its confidence band."""

    label: str
    x: ArrayLike
    estimates: Sequence[Estimate]
    number: int | None = None  # chooses colour and dashes; by default its place in the chart


@dataclass(frozen=True)
class Reference:
    """A thin line to compare the curves with."""

    label: str
    x: ArrayLike
    y: ArrayLike


@dataclass(frozen=True)
class Points:
    """Points of another source to compare the curves with: x, y and the error of y."""

    label: str
    points: Sequence[tuple[float, float, float]]


@dataclass(frozen=True)
class Place:
    """A vertical line, with an interval of the x axis around it if `low` and `high` are given."""

    label: str
    x: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Chart:
    """The content of one pair of axes. `log` names the logarithmic axes, such as "xy"."""

    x_label: str
    y_label: str
    bands: Sequence[Band]
    references: Sequence[Reference] = ()
    places: Sequence[Place] = ()
    log: str = ""
    share: bool = False  # y is a share of a whole
    ticks: Sequence[str] = ()  # names of x values without an order; they are drawn as points with error bars
    points: Sequence[Points] = ()


def draw(charts: Sequence[Chart]) -> Figure:
    """A figure with the charts above each other. They share their x axis. The style suits a paper."""
    charts = as_list("The charts", charts, "[chart]")
    if not charts:
        raise InputError("There is nothing to draw; give at least one chart.")
    for chart in charts:
        check_kind("A chart", chart, Chart, "a cb.plot.Chart")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("Figures need", "matplotlib", "plot") from None
    with matplotlib.rc_context(STYLE):
        heights = [1.0] + [0.5] * (len(charts) - 1)
        figure = Figure(figsize=(4.0, 2.6 * sum(heights)), layout="constrained")
        all_axes = figure.subplots(len(charts), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for i, (axes, chart) in enumerate(zip(all_axes, charts, strict=True)):
            _draw_chart(axes, chart, is_first=i == 0)
        all_axes[-1].set_xlabel(charts[-1].x_label)
    return figure


def saved(figure: Figure, form: str, name: str = "") -> bytes:
    """A figure as the bytes of an SVG or PDF file. The same figure gives the same bytes.

    `name` makes the identifiers inside an SVG unique, for pages with several figures.
    """
    import matplotlib

    if not hasattr(figure, "savefig"):
        raise InputError(f"The figure must be one of matplotlib, such as cb.plot.draw([chart]), not {shown(figure)}.")
    forms = figure.canvas.get_supported_filetypes()
    if not isinstance(form, str) or form not in forms:
        raise unknown("form of a figure called", form, forms)
    check_kind("The name of a figure", name, str, "a text")
    file = io.BytesIO()
    no_date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name or "causalbandits"}):
        figure.savefig(file, format=form, metadata=no_date.get(form))
        figure.set_layout_engine("none")  # the layout is computed once and kept for the next format
    return file.getvalue()


def growth(curves: Mapping[str, Sequence[tuple[float, Estimate]]], x_label: str, y_label: str) -> Figure:
    """How something grows, on logarithmic axes: a line per label through points with their 95 % band."""
    bands = [
        Band(label, [x for x, _ in points], [estimate for _, estimate in points]) for label, points in curves.items()
    ]
    return draw([Chart(x_label, y_label, bands, log="xy")])


def cumulative_regret(result: Result, axes: Axes | None = None) -> Figure:
    """The mean cumulative regret at the checkpoints with its 95 % band, one line per policy.

    With a single checkpoint there is nothing to connect: each policy is then a point with an error bar.
    The figure belongs to pyplot, so that `plt.show()` shows it. In a notebook it does not, so that it appears once.
    If you give axes of your own in a notebook, end the line with a semicolon: pyplot shows their figure anyway.
    """
    check_kind("The result", result, Result, "a result of cb.simulate that keeps its arrays")
    if axes is not None and not hasattr(axes, "plot"):
        raise InputError(f"The axes must be those of matplotlib, as from plt.subplots(), not {shown(axes)}.")
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise missing_extra("Figures need", "matplotlib", "plot") from None
    chart = _regret_chart(result)
    if axes is None:
        own, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
        if in_notebook():
            plt.close(own)  # the notebook shows what a cell returns; pyplot would show it once more
        axes.spines[["top", "right"]].set_visible(False)
    _draw_chart(axes, chart)
    if chart.ticks:  # points need some room on both sides
        axes.set_xlim(-0.5, len(chart.ticks) - 0.5)
        axes.lines[-1].set_markersize(6)
    axes.set_xlabel(chart.x_label)
    figure = axes.get_figure()
    assert figure is not None
    return figure  # type: ignore[return-value]


def _regret_chart(result: Result) -> Chart:
    """Lines over the checkpoints, which begin at 0; or points over the policies, if there is one checkpoint."""
    unit = "budget spent" if result.problem.horizon is None else "rounds"
    estimates = {
        label: [Estimate.of(column).not_negative for column in regrets.T]
        for label, regrets in result.cumulative_regret.items()
    }
    if len(result.checkpoints) == 1:
        ends = [found[0] for found in estimates.values()]
        title = f"cumulative regret at {result.checkpoints[0]:g}"
        return Chart("policy", title, [Band("", np.arange(len(ends)), ends)], ticks=list(estimates))
    x, start = np.r_[0.0, result.checkpoints], Estimate(0.0, 0.0, 0.0, 0.0)
    return Chart(unit, "cumulative regret", [Band(label, x, [start, *found]) for label, found in estimates.items()])


def _draw_chart(axes: Axes, chart: Chart, is_first: bool = True) -> None:
    if "x" in chart.log:
        axes.set_xscale("log")
    if "y" in chart.log:
        axes.set_yscale("log")
    for place in chart.places:
        if place.low is not None and place.high is not None:
            axes.axvspan(place.low, place.high, color=FAINT, alpha=0.18, linewidth=0)
        dashes = "--" if place.low is None else ":"
        axes.axvline(place.x, color=FAINT, linewidth=0.9, linestyle=dashes, label=place.label if is_first else None)
    for i, reference in enumerate(chart.references):
        axes.plot(
            reference.x,
            reference.y,
            color=FAINT,
            linewidth=1.0,
            linestyle=("--", "-.", ":")[i % 3],
            label=reference.label,
        )
    if chart.ticks:
        _draw_points(axes, chart)
    for i, band in enumerate(() if chart.ticks else chart.bands):
        number = i if band.number is None else band.number
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        axes.plot(
            band.x,
            [e.mean for e in band.estimates],
            color=colour,
            linestyle=dash,
            marker=_marker(band.x),
            markersize=2.5,
            label=band.label,
        )
        low, high = [e.low for e in band.estimates], [e.high for e in band.estimates]
        axes.fill_between(band.x, low, high, color=colour, alpha=0.2, linewidth=0)
    for i, points in enumerate(chart.points):
        x, y, errors = zip(*points.points, strict=True)
        axes.errorbar(
            x, y, errors, color=INK, linestyle="none", marker="os^D"[i % 4], markersize=3.2, markerfacecolor="none",
            markeredgewidth=0.7, elinewidth=0.6, label=points.label, zorder=3,
        )  # fmt: skip
    axes.set_ylabel(chart.y_label)
    if "x" not in chart.log:
        axes.margins(x=0.02)
    if chart.share:
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(lambda value, position: f"{value:.0%}")
    elif "y" not in chart.log:
        axes.set_ylim(bottom=min(0.0, *(e.low for band in chart.bands for e in band.estimates if e.low == e.low), 0.0))
    if is_first and axes.get_legend_handles_labels()[1]:  # above the axes, so that it hides nothing
        axes.legend(
            frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.3, columnspacing=1.0,
            handletextpad=0.5,
        )  # fmt: skip


def _draw_points(axes: Axes, chart: Chart) -> None:
    for i, band in enumerate(chart.bands):
        x = np.asarray(band.x, dtype=float) + 0.12 * (i - (len(chart.bands) - 1) / 2)
        means = np.array([e.mean for e in band.estimates])
        ends = np.abs(np.array([[e.low, e.high] for e in band.estimates]).T - means)
        axes.errorbar(
            x,
            means,
            ends,
            color=COLOURS[i % len(COLOURS)],
            linestyle="none",
            marker="osD^v<>"[i % 7],
            markersize=3,
            label=band.label or None,
        )
    axes.set_xticks(np.asarray(chart.bands[0].x, dtype=float), chart.ticks)


def _marker(x: ArrayLike) -> str | None:
    """A marker for curves with few points."""
    return "o" if len(np.atleast_1d(np.asarray(x))) <= 20 else None
