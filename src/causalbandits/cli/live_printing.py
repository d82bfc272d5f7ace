"""Print the answers of a live experiment as sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import singledispatch
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from ..intervention import Intervention
from ..live.http.tokens import Token
from ..live.status import STATUS_NOTE, ArmEstimate, Recommendation, Status, Trial
from ..money import UNIT, in_words

EVENT_HEAD = {"number", "kind", "trial", "at"}  # what every event has; the rest depends on its kind


@singledispatch
def as_text(record: object) -> RenderableType:
    """A record as a sentence or a table."""
    return escape(str(record))


@as_text.register
def _(trial: Trial) -> RenderableType:
    rounds = f"{trial.rounds} round{'s' if trial.rounds > 1 else ''}"
    until = f", until {_time(trial.lease_until)}" if trial.status == "pending" else ""
    arm, cost = _arm(trial.intervention), _money(trial.cost)
    return escape(f"Trial {trial.number}: {arm}, {rounds}, cost {cost}, {trial.status}{until}.")


@as_text.register
def _(status: Status) -> RenderableType:
    budget, spent, reserved, left = map(_money, (status.budget, status.spent, status.reserved, status.left))
    title = (
        f"{status.name}: {status.policy}, {status.trials} trials, {status.observations_imported} observations imported."
    )
    parts: list[RenderableType] = [
        escape(title),
        f"Budget {budget}: {spent} spent, {reserved} reserved, {left} left.",
        _estimates(status.arms),
    ]
    if status.pending:
        table = Table("pending", "arm", "rounds", "cost", "until", "worker")
        for trial in status.pending:
            cells = (
                str(trial.number),
                _arm(trial.intervention),
                str(trial.rounds),
                _money(trial.cost),
                _time(trial.lease_until),
                trial.worker or "",
            )
            table.add_row(*map(escape, cells))
        parts.append(table)
    return Group(*parts, f"Intervals: {status.method}.", status.note)


@as_text.register
def _(answer: Recommendation) -> RenderableType:
    arms = [answer.best] if answer.runner_up is None else [answer.best, answer.runner_up]
    title = f"{answer.policy} recommends {_arm(answer.best.intervention)}."
    if answer.runner_up is not None:
        title += " The second row is the best other arm by the pooled data."
    return Group(escape(title), _estimates(arms), f"Intervals: {answer.method}.", escape(answer.note or STATUS_NOTE))


@as_text.register
def _(events: list) -> RenderableType:  # type: ignore[type-arg]
    """A page of the history."""
    return Group(*(escape(_line(event)) for event in events))


@as_text.register
def _(tokens: tuple) -> RenderableType:  # type: ignore[type-arg]
    """The list of tokens."""
    table = Table("token", "access", "made", "revoked")
    for token in tokens:
        assert isinstance(token, Token)
        revoked = "" if token.revoked_at is None else _time(token.revoked_at)
        table.add_row(escape(token.name), token.access, _time(token.created_at), revoked)
    return table


def _estimates(arms: Sequence[ArmEstimate]) -> Table:
    table = Table("arm", "pulls", "effective", "mean", "interval")
    for arm in arms:
        low, high = (f"{end:.4g}" if math.isfinite(end) else "-" for end in arm.interval)
        mean = "" if arm.mean is None else f"{arm.mean:.4g}"
        name = escape(_arm(arm.intervention))
        table.add_row(name, str(arm.pulls), str(arm.effective_pulls), mean, f"{low} to {high}")
    return table


def _arm(intervention: Intervention) -> str:
    return str(intervention) if intervention else "do() (watch)"


def _money(amount: float) -> str:
    """An amount with all its decimals, which are at most six."""
    return in_words(round(amount * UNIT))


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


def _line(event: Mapping[str, Any]) -> str:
    """An event on one line. The long bodies of created and accepted are left out."""
    is_long = event["kind"] in ("created", "accepted")
    details = {} if is_long else {key: value for key, value in event.items() if key not in EVENT_HEAD}
    if event["kind"] == "asked":
        details |= {
            "intervention": Intervention(details["intervention"]),
            "cost": _money(details["cost"]),
            "lease": f"{details['lease']:g}s",
        }
    trial = f" trial {event['trial']}" if "trial" in event else ""
    head = f"{event['number']:>6} {event['at'][:19]} {event['kind']}{trial}"
    return " ".join([head, *(f"{key}={value}" for key, value in details.items())])
