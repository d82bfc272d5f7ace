"""Curves and points made up for tests of claims: whether a claim is true is known in advance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy import special

from causalbandits.studies.claims import Judgement
from causalbandits.studies.contrasts import Contrast, Curve, OutOfReach
from causalbandits.studies.evidence import Point
from causalbandits.studies.study import Axis, Curves, Data, Floats, Study

A, B = Curve("s", "A"), Curve("s", "B")
FAR = OutOfReach("beyond every budget", lambda: "it would take e^299")
MARKS = {"shown": "+", "refuted": "-", "open": "?", "out of reach": "x"}
LEVEL, POWER = 0.05, 0.9
SPAN = 0.5  # the largest value of a run, unless a test gives another one
SURE = NormalDist().inv_cdf(1 - 1e-6)  # standard errors that a share of repetitions may be off


def nowhere(value: float) -> Any:
    raise AssertionError("made-up runs need no world")


def data(values: Sequence[float] | None = None, id: str = "s", **curves: Floats) -> Data:
    """Curves, (values, runs) each, as if a study had found them; values 1, 2 ... by default."""
    points, runs = next(iter(curves.values())).shape
    study = Study(id, Axis("x", "x"), values or range(1, points + 1), nowhere, [], runs)
    return {id: Curves(study, runs, {"simple_regret": curves}, {"simple_regret": np.full(points, SPAN)})}


def exact(means: Sequence[float] | Floats, spread: float = 0.02, runs: int = 400, seed: int = 0) -> Floats:
    """Normal runs that are moved and scaled to exactly these means and this standard deviation.

    So luck has no part in the verdict. A difference of 0.01 is clear, one of 0.001 is open.
    """
    noise = np.random.default_rng(seed).standard_normal((len(means), runs))
    noise -= noise.mean(axis=1, keepdims=True)
    return np.asarray(means)[:, None] + spread * noise / noise.std(axis=1, ddof=1, keepdims=True)


def two(a: Sequence[float], b: Sequence[float], values: Sequence[float] | None = None) -> Data:
    return data(values, A=exact(a), B=exact(b, seed=1))


def one(means: Sequence[float], values: Sequence[float] | None = None) -> Data:
    return data(values, A=exact(means))


@dataclass(frozen=True)
class Made:
    """A contrast with given samples, (points, runs). It claims that their means are below 0."""

    samples: Floats
    description: str = "it is so"

    def points(self, data: Data) -> list[Point]:
        return [
            Point(f"x = {i}", {"A": sample}, {"A": float(sample.mean())}, span=SPAN)
            for i, sample in enumerate(self.samples, 1)
        ]


def with_p(*chances: float, runs: int = 30) -> Made:
    """Points to which the t-test gives these p values."""
    return Made(exact(special.stdtrit(runs - 1, np.array(chances)) / math.sqrt(runs), 1.0, runs))


def marked(pattern: str) -> list[Contrast]:
    """Points with the given findings.

    + clearly shown, - clearly refuted, ? open, ! open with a mean above 0, x out of reach (only at the end).
    """
    means = [{"+": -1.0, "-": 1.0, "?": -0.1, "!": 0.1}[mark] for mark in pattern.rstrip("x")]
    return [*([Made(exact(means, 1.0, 100))] if means else []), *[FAR] * pattern.count("x")]


def judged(quantifier: Any, *contrasts: Contrast, data: Data | None = None) -> Judgement:
    judgement: Judgement = quantifier(contrasts).judge(data or {})
    return judgement


def marks(judgement: Judgement) -> str:
    return "".join(MARKS[point.finding] for point in judgement.points)


def runs_for(mean: float, spread: float, level: float) -> float:
    """The number of runs that show with 90 % power on which side of 0 a mean lies.

    This is the textbook formula for a one-sided test of normal numbers.
    """
    z = NormalDist().inv_cdf
    return ((z(1 - level) + z(POWER)) * spread / mean) ** 2


REPETITIONS = 1500


def off_by_luck(share: float) -> float:
    return SURE * math.sqrt(share * (1 - share) / REPETITIONS)
