"""An experiment within one transaction: its account, its trials, and the events that the transaction adds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, literal_column, select, table, update

from .errors import NotFound, WrongSchema
from .learner import Choice, Event
from .schema import REVISION, VERSION_TABLE, Now, events, experiments, trials

_VERSION = select(literal_column("version_num")).select_from(table(VERSION_TABLE)).scalar_subquery().label("version")
_ACCOUNT = select(experiments, Now().label("now"), _VERSION).where(experiments.c.id == bindparam("experiment"))
_AFTER = (
    select(events.c.number, events.c.kind, events.c.trial, events.c.at, events.c.body)
    .where(events.c.experiment == bindparam("experiment"), events.c.number > bindparam("seen"))
    .order_by(events.c.number)
)
_SIZES = (
    select(events.c.number, func.length(events.c.body))
    .where(events.c.experiment == bindparam("experiment"), events.c.number > bindparam("seen"))
    .order_by(events.c.number)
)
_IS_PENDING = trials.c.status == literal_column("'pending'")  # as in the index: a parameter would not use it
_OVERDUE = (
    select(trials)
    .where(
        trials.c.experiment == bindparam("experiment"),
        _IS_PENDING,
        trials.c.lease_until < bindparam("now"),
    )
    .order_by(trials.c.number)
)
_PENDING = (
    select(trials)
    .where(trials.c.experiment == bindparam("experiment"), _IS_PENDING)
    .order_by(trials.c.lease_until)  # as the index is, so that it is used
)
_FIRST_END = select(func.min(trials.c.lease_until)).where(trials.c.experiment == bindparam("experiment"), _IS_PENDING)
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
_LOCKED_ACCOUNT = _ACCOUNT.with_for_update()  # PostgreSQL: one writer per experiment. SQLite has one writer anyway.


class Book:
    """The account of an experiment and the changes to it.

    `write` puts the new sums into the database, which checks them against the budget.
    """

    def __init__(self, connection: Connection, experiment: int, writes: bool = True) -> None:
        self._connection, self.experiment = connection, experiment
        account = connection.execute(_LOCKED_ACCOUNT if writes else _ACCOUNT, {"experiment": experiment}).one_or_none()
        if account is None:
            raise NotFound("The experiment is no longer there; somebody deleted it.")
        if account.version != REVISION:
            raise WrongSchema(f"The schema changed to {account.version!r} while it was in use; restart this program.")
        self.name, self.now = account.name, account.now
        self.budget, self.spent, self.reserved = account.budget, account.spent, account.reserved
        self.events, self.trials = account.events, account.trials
        self.added: list[Event] = []

    def after(self, seen: int, limit: int | None = None) -> Iterator[Event]:
        """The events after number `seen`, at most `limit` of them."""
        if self.events == seen:
            return iter(())
        query = _AFTER if limit is None else _AFTER.limit(limit)
        return (Event(*row) for row in self._connection.execute(query, {"experiment": self.experiment, "seen": seen}))

    def last_of_page(self, seen: int, limit: int, characters: int) -> int:
        """The number of the last event of a page with at most so many events and characters, but at least one."""
        sizes = self._connection.execute(_SIZES.limit(limit), {"experiment": self.experiment, "seen": seen})
        last, total = seen, 0
        for number, size in sizes:
            total += size
            if total > characters and last > seen:
                break
            last = number
        return last

    def overdue(self) -> list[Row[Any]]:
        """The pending trials whose lease has ended."""
        return list(self._connection.execute(_OVERDUE, {"experiment": self.experiment, "now": self.now}))

    def pending(self) -> list[Row[Any]]:
        """The pending trials, by number."""
        found = self._connection.execute(_PENDING, {"experiment": self.experiment})
        return sorted(found, key=lambda trial: trial.number)

    def first_end(self) -> int:
        """When the first lease of a pending trial ends. There must be one."""
        return int(self._connection.execute(_FIRST_END, {"experiment": self.experiment}).scalar_one())

    def trial(self, number: int) -> Row[Any]:
        """The trial with this number."""
        trial = self._connection.execute(_TRIAL, {"experiment": self.experiment, "number": number}).one_or_none()
        if trial is None:
            raise NotFound(
                f"There is no trial {number} in {self.name!r}; give the number of a trial that ask returned."
            )
        return trial

    def request(self, request_id: str) -> Row[Any] | None:
        """The trial that was handed out for this request, if there is one."""
        return self._connection.execute(
            _REQUEST, {"experiment": self.experiment, "request_id": request_id}
        ).one_or_none()

    def hand_out(self, choice: Choice, cost: int, lease: int, worker: str | None, request_id: str | None) -> Row[Any]:
        """Add a new trial and reserve its cost."""
        self.trials += 1
        self.reserved += cost
        body = {"arm": choice.arm, "rounds": choice.rounds, "settled": choice.settled, "cost": cost, "lease": lease}
        optional = {"worker": worker, "request_id": request_id}
        self.add("asked", self.trials, {**body, **{key: text for key, text in optional.items() if text is not None}})
        row = {
            "experiment": self.experiment,
            "number": self.trials,
            "status": "pending",
            "arm": choice.arm,
            "rounds": choice.rounds,
            "cost": cost,
            "lease_until": self.now + lease,
            "worker": worker,
            "request_id": request_id,
            "outcome": None,
        }
        return self._connection.execute(_ADD_TRIAL, row).one()

    def tell(self, trial: Row[Any], rows: str, outcome: str) -> None:
        """Add the outcome of a pending or expired trial. Its money is spent."""
        self._charge(trial, is_spent=True)
        self._end(trial, "told", rows, outcome)

    def expire(self, trial: Row[Any]) -> None:
        """End a trial whose lease has ended. It may have happened, so its money is spent."""
        self._charge(trial, is_spent=True)
        self._end(trial, "expired", "{}", None)

    def abandon(self, trial: Row[Any], is_spent: bool) -> None:
        """End a pending or expired trial that nobody will tell."""
        self._charge(trial, is_spent)
        self._end(trial, "abandoned", json.dumps({"spent": is_spent}), str(is_spent))

    def _charge(self, trial: Row[Any], is_spent: bool) -> None:
        if trial.status == "pending":
            self.reserved -= trial.cost
            self.spent += trial.cost if is_spent else 0
        elif not is_spent:  # an expired trial was already counted as spent
            self.spent -= trial.cost

    def _end(self, trial: Row[Any], status: str, body: str, outcome: str | None) -> None:
        self.add(status, trial.number, body)
        self._connection.execute(
            _SET_TRIAL, {"of": self.experiment, "which": trial.number, "status": status, "outcome": outcome}
        )

    def add(self, kind: str, trial: int | None, body: str | dict[str, Any]) -> None:
        """Add an event to the journal."""
        self.events += 1
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        event = Event(self.events, kind, trial, self.now, text)
        self._connection.execute(_ADD_EVENT, {"experiment": self.experiment, **event._asdict()})
        self.added.append(event)

    def write(self) -> None:
        """Write the account if any event was added."""
        if self.added:
            account = {"spent": self.spent, "reserved": self.reserved, "events": self.events, "trials": self.trials}
            self._connection.execute(_SET_ACCOUNT, {"of": self.experiment, **account})
