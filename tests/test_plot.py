"""Figures of results: every policy has its curve."""

from __future__ import annotations

from pathlib import Path

import pytest

import causalbandits as cb


def test_a_figure_shows_every_policy(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    matplotlib.use("Agg")
    from causalbandits import plot

    world = cb.worlds.marketing()
    result = cb.simulate(
        world, world.problem(budget=100, cost=2), [cb.UCB(), cb.FKube()], runs=5, checkpoints=[50, 100]
    )
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
