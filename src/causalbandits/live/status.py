"""What an experiment says about itself: trials, status, recommendation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..intervention import Intervention
from ..money import UNIT
from ..problem import Problem
from .intervals import BOUNDED, REAL, Interval, bounded, real
from .learner import Learner


def moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


@dataclass(frozen=True)
class Trial:
    """Rounds of one arm that were handed out to be carried out and told. `cost` is that of all its rounds."""

    number: int
    intervention: Intervention
    rounds: int
    cost: float
    lease_until: datetime
    status: str  # pending, told, expired or abandoned
    worker: str | None
    request_id: str | None


@dataclass(frozen=True)
class Estimate:
    """What all data say of an arm: own rounds, and observations that showed its assignment where these tell about it."""

    intervention: Intervention
    pulls: int
    effective_pulls: int
    mean: float | None
    interval: Interval


@dataclass(frozen=True)
class Recommendation:
    """The policy's answer, with what all data say of it and of the best other arm. `note` says where the two disagree."""

    policy: str
    best: Estimate
    runner_up: Estimate | None
    method: str
    note: str

    @property
    def intervention(self) -> Intervention:
        return self.best.intervention


@dataclass(frozen=True)
class Status:
    """Where an experiment stands. Money in units; with a horizon, rounds."""

    name: str
    policy: str
    budget: float
    spent: float
    reserved: float
    left: float
    trials: int
    observations_imported: int
    arms: tuple[Estimate, ...]
    pending: tuple[Trial, ...]
    method: str
    note: str


STATUS_NOTE = "The means pool the whole journal; the recommendation is the policy's own, and may differ."


def estimates(learner: Learner) -> tuple[Estimate, ...]:
    """What the journal says of every arm."""
    return tuple(
        Estimate(
            arm,
            int(pulls),
            int(count),
            float(total / count) if count else None,
            _interval(learner.problem, float(total), int(count)),
        )
        for arm, pulls, count, total in zip(
            learner.problem.arms, learner.pulls, learner.samples, learner.reward, strict=True
        )
    )


def recommendation(learner: Learner) -> Recommendation:
    """The policy's answer, with intervals and the runner-up."""
    known = estimates(learner)
    chosen = learner.recommend()
    means = np.array([-np.inf if estimate.mean is None else estimate.mean for estimate in known])
    order = [int(a) for a in np.argsort(-means, kind="stable") if np.isfinite(means[a])]
    others = [a for a in order if a != chosen]
    note = ""
    if not order:
        note = "Nothing was told yet: this is a guess."
    elif means[order[0]] > means[chosen]:
        note = f"By the pooled data {known[order[0]].intervention} has the higher mean; {learner.policy.label} weighs the data in its own way."
    return Recommendation(
        learner.policy.label, known[chosen], known[others[0]] if others else None, method(learner.problem), note
    )


def method(problem: Problem) -> str:
    """How the intervals are made, in words."""
    return REAL if problem.reward.kind == "real" else BOUNDED


def _interval(problem: Problem, total: float, count: int) -> Interval:
    if problem.reward.kind == "real":
        return real(total, count)
    return bounded(total, count, problem.reward.low, problem.reward.high)


def units(whole: int) -> float:
    """Millionths as the user counts."""
    return whole / UNIT


def plain(value: Any) -> Any:
    """A record as JSON values."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Interval):
        return [x if np.isfinite(x) else None for x in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value
