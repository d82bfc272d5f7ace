"""Figures of results: every policy has its curve, and a notebook shows a figure once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import causalbandits as cb

matplotlib = pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from causalbandits import plot  # noqa: E402


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def result_with(checkpoints: list[float], policies: tuple[str, ...] = ("ucb", "f-kube")) -> cb.Result:
    world = cb.worlds.marketing()
    return cb.simulate(world, world.problem(budget=100, cost=2), policies, runs=5, checkpoints=checkpoints)


def test_a_figure_shows_every_policy() -> None:
    result = result_with([50, 100])
    axes = plot.cumulative_regret(result).axes[0]
    assert [line.get_label() for line in axes.lines] == ["ucb", "f-kube"]
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(result.summary()["ucb"].cumulative_regret.mean)


def test_points_of_another_source_are_drawn_beside_the_curves() -> None:
    pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    from causalbandits import plot
    from causalbandits.regret import Estimate

    bands = [plot.Band(name, [1, 2], [Estimate(1, 0, 1, 1)] * 2, number) for name, number in (("A", 2), ("B", None))]
    points = [plot.Points("A, published", [(1, 0.5, 0.1), (2, 0.7, 0.1)])]
    axes = plot.draw([plot.Chart("x", "y", bands, points=points)]).axes[0]
    drawn = {line.get_label(): line for line in axes.lines}
    assert [drawn[name].get_color() for name in "AB"] == [plot.COLOURS[2], plot.COLOURS[1]]
    assert [container.get_label() for container in axes.containers] == ["A, published"]
    assert list(axes.containers[0][0].get_ydata()) == [0.5, 0.7]


def test_one_checkpoint_gives_points_with_error_bars_and_no_line() -> None:
    result = result_with([100])
    axes = plot.cumulative_regret(result).axes[0]
    (points,) = axes.lines
    assert points.get_linestyle() == "None"
    assert points.get_marker() == "o"
    summary = [row.cumulative_regret for row in result.summary().values()]
    np.testing.assert_allclose(points.get_ydata(), [estimate.mean for estimate in summary])
    (bars,) = axes.collections
    ends = [sorted(segment[:, 1]) for segment in bars.get_segments()]
    np.testing.assert_allclose(ends, [[estimate.low, estimate.high] for estimate in summary])
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["ucb", "f-kube"]
    assert axes.get_ylabel() == "cumulative regret at 100"
    assert axes.get_xlim() == (-0.5, 1.5)
    assert axes.get_legend() is None


def test_no_band_of_regret_reaches_below_0() -> None:
    result = result_with([2, 100])
    regrets = result.cumulative_regret["ucb"][:, 0]
    regrets[:] = [0, 0, 0, 0, 9]  # the symmetric band of these would begin below 0
    assert cb.regret.Estimate.of(regrets).low < 0
    axes = plot.cumulative_regret(result).axes[0]
    assert min(path.vertices[:, 1].min() for band in axes.collections for path in band.get_paths()) == 0
    assert axes.get_ylim()[0] == 0


def test_a_notebook_shows_a_figure_once_and_a_script_with_show(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_with([50, 100])
    plot.cumulative_regret(result)
    assert len(plt.get_fignums()) == 1  # plt.show() shows it
    plt.close("all")
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(__import__("sys").modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    figure = plot.cumulative_regret(result)
    assert plt.get_fignums() == []  # pyplot shows nothing; the notebook shows what the cell returns
    assert len(figure.axes) == 1
