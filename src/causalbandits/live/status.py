"""The records that an experiment answers with: trials, estimates of arms, status and recommendation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..display.sheets import block
from ..intervention import Intervention
from ..money import UNIT
from ..problem import Problem
from .intervals import BOUNDED, NORMAL, REAL, Interval, bounded, normal, real
from .learner import Learner
from .sheets import recommendation_parts, status_parts


@dataclass(frozen=True)
class Trial:
    """Rounds of one arm that a worker carries out and tells. `cost` is the cost of all its rounds."""

    number: int
    intervention: Intervention
    rounds: int
    cost: float
    lease_until: datetime
    status: str  # pending, told, expired or abandoned
    worker: str | None
    request_id: str | None


@dataclass(frozen=True)
class ArmEstimate:
    """The estimate of an arm from all data.

    `effective_pulls` counts the arm's own rounds and the observations that teach about it.
    """

    intervention: Intervention
    pulls: int
    effective_pulls: int
    mean: float | None
    interval: Interval


@dataclass(frozen=True)
class Recommendation:
    """The policy's answer, and the best other arm by the pooled data. `note` says where the two disagree."""

    policy: str
    best: ArmEstimate
    runner_up: ArmEstimate | None
    method: str
    note: str

    @property
    def intervention(self) -> Intervention:
        """The recommended intervention."""
        return self.best.intervention

    def _repr_html_(self) -> str:
        return block(*recommendation_parts(self))


@dataclass(frozen=True)
class Status:
    """The state of an experiment. Money is in units; for a problem with a horizon it is rounds."""

    name: str
    policy: str
    budget: float
    spent: float
    reserved: float
    left: float
    trials: int
    observations_imported: int
    arms: tuple[ArmEstimate, ...]
    pending: tuple[Trial, ...]
    method: str
    note: str

    def _repr_html_(self) -> str:
        return block(*status_parts(self))


def arm_estimates(learner: Learner) -> tuple[ArmEstimate, ...]:
    """The estimate of every arm from the whole journal."""
    pooled = learner.samples, learner.reward, learner.squares
    arms = zip(learner.problem.arms, learner.pulls, *pooled, strict=True)
    return tuple(
        ArmEstimate(
            intervention=arm,
            pulls=int(pulls),
            effective_pulls=int(count),
            mean=float(total / count) if count else None,
            interval=_interval(learner.problem, float(total), float(squares), int(count)),
        )
        for arm, pulls, count, total, squares in arms
    )


def recommendation(learner: Learner) -> Recommendation:
    """The policy's answer, with intervals and the runner-up."""
    estimates = arm_estimates(learner)
    chosen = learner.recommend()
    means = np.array([-np.inf if estimate.mean is None else estimate.mean for estimate in estimates])
    best_first = [int(a) for a in np.argsort(-means, kind="stable") if np.isfinite(means[a])]
    others = [a for a in best_first if a != chosen]
    note = ""
    if not best_first:
        note = "No outcome was told yet: this is a guess."
    elif means[best_first[0]] > means[chosen]:
        note = (
            f"By the pooled data {estimates[best_first[0]].intervention} has the higher mean; "
            f"{learner.policy.label} weighs the data in its own way."
        )
    return Recommendation(
        policy=learner.policy.label,
        best=estimates[chosen],
        runner_up=estimates[others[0]] if others else None,
        method=interval_method(learner.problem),
        note=note,
    )


def interval_method(problem: Problem) -> str:
    """How the intervals are computed and what they assume, as text."""
    if problem.reward.kind != "real":
        return BOUNDED
    return NORMAL if problem.reward_scale is None else REAL.format(deviation=problem.reward_scale)


def _interval(problem: Problem, total: float, squares: float, count: int) -> Interval:
    if problem.reward.kind == "real" and problem.reward_scale is None:
        return normal(total / max(count, 1), squares, count)
    if problem.reward.kind == "real":
        assert problem.reward_scale is not None, "checked above"
        return real(total, count, problem.reward_scale)
    return bounded(total, count, problem.reward.low, problem.reward.high)


def moment(milliseconds: int) -> datetime:
    """A time of the database, in milliseconds since 1970, as a datetime."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def units(millionths: int) -> float:
    """An amount of money in the user's units. The database keeps millionths."""
    return millionths / UNIT


def json_values(value: Any) -> Any:
    """A record, or a list or mapping of records, as JSON values."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: json_values(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Interval):
        return [end if np.isfinite(end) else None for end in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: json_values(item) for key, item in value.items()}
    return [json_values(item) for item in value] if isinstance(value, tuple | list) else value
