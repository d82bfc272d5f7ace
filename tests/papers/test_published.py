"""The points of the published figures are complete, lie on the axes of our studies, and are those that were read."""

from __future__ import annotations

import pytest

from causalbandits.papers.nair2021.published import CURVES
from causalbandits.papers.nair2021.settings import BUDGETS_2A, BUDGETS_3, GAMMAS_2B, P_1

POINTS = {
    ("1", "OBS-ALG"): 6, ("1", "PB-ALG"): 4, ("2a", "PB-ALG"): 11, ("2a", "γ-NB-ALG"): 11,
    ("2b", "PB-ALG"): 24, ("2b", "γ-NB-ALG"): 24, ("4", "C-UCB"): 5, ("4", "C-UCB-2"): 5,
    **{(f"3-gamma-{gamma}", name): 25 for gamma in ("1", "1.1", "1.5") for name in ("F-KUBE", "CRM-NB-ALG")},
}  # fmt: skip


def test_every_curve_has_its_points() -> None:
    assert {key: len(curve.points) for key, curve in CURVES.items()} == POINTS


@pytest.mark.parametrize(
    ("figure", "axis"),
    [("1", P_1), ("2a", BUDGETS_2A), ("2b", GAMMAS_2B)] + [(f"3-gamma-{g}", BUDGETS_3) for g in ("1", "1.1", "1.5")],
)
def test_published_points_lie_on_the_axis_of_the_experiment(figure: str, axis: list[float]) -> None:
    for curve in (curve for curve in CURVES.values() if curve.figure == figure):
        assert [point.x for point in curve.points if point.x not in axis] == []
        assert [point.x for point in curve.points] == sorted(point.x for point in curve.points)


@pytest.mark.parametrize(
    ("figure", "name", "x", "y"),
    [
        ("1", "OBS-ALG", 0.02, 0.130),
        ("2a", "γ-NB-ALG", 100, 0.220),
        ("2b", "PB-ALG", 61, 0.187 - 0.001),
        ("2b", "γ-NB-ALG", 30, 0.027 - 0.001),
        ("3-gamma-1", "F-KUBE", 50_000, 13_791 - 85),
        ("3-gamma-1.1", "CRM-NB-ALG", 296_000, 4167 - 85),
        ("3-gamma-1.5", "CRM-NB-ALG", 10_000, 639 - 85),
        ("4", "C-UCB", 73, 0.333),
    ],
)
def test_some_values_as_they_were_read(figure: str, name: str, x: float, y: float) -> None:
    (point,) = [point for point in CURVES[figure, name].points if point.x == x]
    assert point.y == pytest.approx(y, abs=1e-12)
