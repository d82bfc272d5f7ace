"""What an experiment says, for people: short tables and sentences."""

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
from ..live.report import STATUS_NOTE, Estimate, Recommendation, Status, Trial
from ..money import UNIT, decimal_text

FRAME = {"number", "kind", "trial", "at"}  # of an event


@singledispatch
def shown(said: object) -> RenderableType:
    """A record as a table or a sentence."""
    return escape(str(said))


@shown.register
def _(trial: Trial) -> RenderableType:
    rounds = f"{trial.rounds} round{'s' if trial.rounds > 1 else ''}"
    until = f", until {_moment(trial.lease_until)}" if trial.status == "pending" else ""
    return escape(
        f"Trial {trial.number}: {_named(trial.intervention)}, {rounds}, cost {_money(trial.cost)}, {trial.status}{until}."
    )


@shown.register
def _(status: Status) -> RenderableType:
    arms = _estimates(status.arms)
    parts: list[RenderableType] = [
        escape(
            f"{status.name}: {status.policy}, {status.trials} trials, {status.observations_imported} observations imported."
        ),
        "Budget {}: {} spent, {} reserved, {} left.".format(
            *map(_money, (status.budget, status.spent, status.reserved, status.left))
        ),
        arms,
    ]
    if status.pending:
        table = Table("pending", "arm", "rounds", "cost", "until", "worker")
        for trial in status.pending:
            cells = (
                str(trial.number),
                _named(trial.intervention),
                str(trial.rounds),
                _money(trial.cost),
                _moment(trial.lease_until),
            )
            table.add_row(*map(escape, (*cells, trial.worker or "")))
        parts.append(table)
    return Group(*parts, f"Intervals: {status.method}.", status.note)


@shown.register
def _(answer: Recommendation) -> RenderableType:
    arms = _estimates([answer.best, *([] if answer.runner_up is None else [answer.runner_up])])
    said = escape(
        f"{answer.policy} recommends {_named(answer.best.intervention)}; below it, the best other arm by the pooled data."
    )
    return Group(said, arms, f"Intervals: {answer.method}.", escape(answer.note or STATUS_NOTE))


@shown.register
def _(events: list) -> RenderableType:  # type: ignore[type-arg]
    """A page of the history."""
    return Group(*(escape(_line(event)) for event in events))


@shown.register
def _(tokens: tuple) -> RenderableType:  # type: ignore[type-arg]
    table = Table("token", "access", "made", "revoked")
    for token in tokens:
        assert isinstance(token, Token)
        table.add_row(
            escape(token.name),
            token.access,
            _moment(token.created_at),
            "" if token.revoked_at is None else _moment(token.revoked_at),
        )
    return table


def _estimates(arms: Sequence[Estimate]) -> Table:
    table = Table("arm", "pulls", "effective", "mean", "interval")
    for arm in arms:
        low, high = (f"{end:.4g}" if math.isfinite(end) else "-" for end in arm.interval)
        mean = "" if arm.mean is None else f"{arm.mean:.4g}"
        table.add_row(
            escape(_named(arm.intervention)), str(arm.pulls), str(arm.effective_pulls), mean, f"{low} to {high}"
        )
    return table


def _named(intervention: Intervention) -> str:
    return str(intervention) if intervention else "do() (watch)"


def _money(amount: float) -> str:
    """All decimals of an amount, of which it has at most six."""
    return decimal_text(round(amount * UNIT))


def _moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


def _line(event: Mapping[str, Any]) -> str:
    """An event on a line, without the long text of what was created."""
    rest = (
        {}
        if event["kind"] in ("created", "accepted")
        else {key: value for key, value in event.items() if key not in FRAME}
    )
    if event["kind"] == "asked":
        rest |= {
            "intervention": Intervention(rest["intervention"]),
            "cost": _money(rest["cost"]),
            "lease": f"{rest['lease']:g}s",
        }
    trial = f" trial {event['trial']}" if "trial" in event else ""
    return " ".join(
        [
            f"{event['number']:>6} {event['at'][:19]} {event['kind']}{trial}",
            *(f"{key}={value}" for key, value in rest.items()),
        ]
    )
