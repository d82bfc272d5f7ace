"""One experiment inside one transaction: its account, its trials, and the events that are added to its journal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from .errors import NotFound
from .learner import Choice, Event
from .schema import Now, events, experiments, trials

_ACCOUNT = select(experiments, Now().label("now")).where(experiments.c.id == bindparam("experiment"))
_AFTER = (
    select(events.c.number, events.c.kind, events.c.trial, events.c.at, events.c.body)
    .where(events.c.experiment == bindparam("experiment"), events.c.number > bindparam("seen"))
    .order_by(events.c.number)
)
_OVERDUE = (
    select(trials)
    .where(
        trials.c.experiment == bindparam("experiment"),
        trials.c.status == "pending",
        trials.c.lease_until < bindparam("now"),
    )
    .order_by(trials.c.number)
)
_PENDING = (
    select(trials)
    .where(trials.c.experiment == bindparam("experiment"), trials.c.status == "pending")
    .order_by(trials.c.number)
)
_TRIAL = select(trials).where(trials.c.experiment == bindparam("experiment"), trials.c.number == bindparam("number"))
_REQUEST = select(trials).where(
    trials.c.experiment == bindparam("experiment"), trials.c.request_id == bindparam("request_id")
)
_ADD_EVENT = insert(events)
_ADD_TRIAL = insert(trials).returning(trials)
_SET_TRIAL = (
    update(trials)
    .where(trials.c.experiment == bindparam("of"), trials.c.number == bindparam("which"))
    .values(status=bindparam("status"), outcome=bindparam("outcome"))
)
_SET_ACCOUNT = (
    update(experiments)
    .where(experiments.c.id == bindparam("of"))
    .values(
        spent=bindparam("spent"), reserved=bindparam("reserved"), events=bindparam("events"), trials=bindparam("trials")
    )
)
_FOR_UPDATE = (
    _ACCOUNT.with_for_update()
)  # PostgreSQL: who has the account has the turn; SQLite lets one writer in anyway


class Book:
    """The account as it is, and what is added to it. `write` puts the sums into the database, which checks them against the budget."""

    def __init__(self, connection: Connection, experiment: int, writes: bool = True) -> None:
        self._connection, self.experiment = connection, experiment
        account = connection.execute(_FOR_UPDATE if writes else _ACCOUNT, {"experiment": experiment}).one_or_none()
        if account is None:
            raise NotFound("The experiment is no longer there; somebody deleted it.")
        self.name, self.budget, self.spent, self.reserved = (
            account.name,
            account.budget,
            account.spent,
            account.reserved,
        )
        self.events, self.trials, self.now = account.events, account.trials, account.now
        self.added: list[Event] = []

    def after(self, seen: int, most: int | None = None) -> Iterator[Event]:
        """The events that follow the last one seen, or the first `most` of them."""
        if self.events == seen:
            return iter(())
        found = _AFTER if most is None else _AFTER.limit(most)
        return (Event(*row) for row in self._connection.execute(found, {"experiment": self.experiment, "seen": seen}))

    def overdue(self) -> list[Row[Any]]:
        """The pending trials whose lease is over."""
        return list(self._connection.execute(_OVERDUE, {"experiment": self.experiment, "now": self.now}))

    def pending(self) -> list[Row[Any]]:
        """The pending trials."""
        return list(self._connection.execute(_PENDING, {"experiment": self.experiment}))

    def trial(self, number: int) -> Row[Any]:
        """The trial of this number."""
        found = self._connection.execute(_TRIAL, {"experiment": self.experiment, "number": number}).one_or_none()
        if found is None:
            raise NotFound(
                f"There is no trial {number} in {self.name!r}; tell and abandon take the number of a trial that ask returned."
            )
        return found

    def request(self, request_id: str) -> Row[Any] | None:
        """The trial that was handed out for a request."""
        return self._connection.execute(
            _REQUEST, {"experiment": self.experiment, "request_id": request_id}
        ).one_or_none()

    def hand_out(self, choice: Choice, cost: int, lease: int, worker: str | None, request_id: str | None) -> Row[Any]:
        """A new trial; its cost is reserved."""
        self.trials += 1
        self.reserved += cost
        body = {"arm": choice.arm, "rounds": choice.rounds, "settled": choice.settled, "cost": cost, "lease": lease}
        self.add(
            "asked",
            self.trials,
            {**body, **{k: v for k, v in (("worker", worker), ("request_id", request_id)) if v is not None}},
        )
        row = {
            "experiment": self.experiment, "number": self.trials, "status": "pending", "arm": choice.arm, "rounds": choice.rounds, "cost": cost,
            "lease_until": self.now + lease, "worker": worker, "request_id": request_id, "outcome": None,
        }  # fmt: skip
        return self._connection.execute(_ADD_TRIAL, row).one()

    def tell(self, trial: Row[Any], rows: str, outcome: str) -> None:
        """The outcome of a trial, pending or expired; the money is spent."""
        self._charge(trial, is_spent=True)
        self._end(trial, "told", rows, outcome)

    def expire(self, trial: Row[Any]) -> None:
        """The lease of a trial is over; it may have happened, so the money is spent."""
        self._charge(trial, is_spent=True)
        self._end(trial, "expired", "{}", None)

    def abandon(self, trial: Row[Any], is_spent: bool) -> None:
        """A trial, pending or expired, that will never be told."""
        self._charge(trial, is_spent)
        self._end(trial, "abandoned", json.dumps({"spent": is_spent}), str(is_spent))

    def _charge(self, trial: Row[Any], is_spent: bool) -> None:
        if trial.status == "pending":
            self.reserved -= trial.cost
            self.spent += trial.cost if is_spent else 0
        elif not is_spent:  # expired: it counts as spent already
            self.spent -= trial.cost

    def _end(self, trial: Row[Any], status: str, body: str, outcome: str | None) -> None:
        self.add(status, trial.number, body)
        self._connection.execute(
            _SET_TRIAL, {"of": self.experiment, "which": trial.number, "status": status, "outcome": outcome}
        )

    def add(self, kind: str, trial: int | None, body: str | dict[str, Any]) -> None:
        """One more event."""
        self.events += 1
        event = Event(
            self.events, kind, trial, self.now, body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        )
        self._connection.execute(_ADD_EVENT, {"experiment": self.experiment, **event._asdict()})
        self.added.append(event)

    def write(self) -> None:
        """The account, if anything was added."""
        if self.added:
            account = {"spent": self.spent, "reserved": self.reserved, "events": self.events, "trials": self.trials}
            self._connection.execute(_SET_ACCOUNT, {"of": self.experiment, **account})
