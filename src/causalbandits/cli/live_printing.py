"""Print the answers of a live experiment as sentences and sheets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from ..display.sheets import Sheet
from ..intervention import Intervention
from ..live.http.tokens import Token
from ..live.sheets import arm_name, money_text, recommendation_parts, status_parts, time_text
from ..live.status import Recommendation, Status, Trial
from .printing import paragraphs

EVENT_HEAD = {"number", "kind", "trial", "at"}  # what every event has; the rest depends on its kind


@singledispatch
def as_text(record: object) -> str:
    """A record as a sentence or as lines."""
    return str(record)


@as_text.register
def _(trial: Trial) -> str:
    rounds = f"{trial.rounds} round{'s' if trial.rounds > 1 else ''}"
    until = f", until {time_text(trial.lease_until)}" if trial.status == "pending" else ""
    arm, cost = arm_name(trial.intervention), money_text(trial.cost)
    return f"Trial {trial.number}: {arm}, {rounds}, cost {cost}, {trial.status}{until}."


@as_text.register
def _(status: Status) -> str:
    return paragraphs(status_parts(status))


@as_text.register
def _(answer: Recommendation) -> str:
    return paragraphs(recommendation_parts(answer))


@as_text.register
def _(events: list) -> str:  # type: ignore[type-arg]
    """A page of the history: one line for each event, however long."""
    return "\n".join(_line(event) for event in events)


@as_text.register
def _(tokens: tuple) -> str:  # type: ignore[type-arg]
    """The list of tokens."""
    rows = []
    for token in tokens:
        assert isinstance(token, Token)
        revoked = "" if token.revoked_at is None else time_text(token.revoked_at)
        rows.append((token.name, token.access, time_text(token.created_at), revoked))
    return paragraphs([Sheet(("token", "access", "made", "revoked"), rows)])


def _line(event: Mapping[str, Any]) -> str:
    """An event on one line. The long bodies of created and accepted are left out."""
    is_long = event["kind"] in ("created", "accepted")
    details = {} if is_long else {key: value for key, value in event.items() if key not in EVENT_HEAD}
    if event["kind"] == "asked":
        details |= {
            "intervention": Intervention(details["intervention"]),
            "cost": money_text(details["cost"]),
            "lease": f"{details['lease']:g}s",
        }
    trial = f" trial {event['trial']}" if "trial" in event else ""
    head = f"{event['number']:>6} {event['at'][:19]} {event['kind']}{trial}"
    return " ".join([head, *(f"{key}={value}" for key, value in details.items())])
