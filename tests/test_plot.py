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
