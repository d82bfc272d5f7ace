"""Read the database by plain SQL and compute the account and the trials from the journal a second time.

Both must agree with what is stored.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import create_engine, text

from causalbandits.live import Storage

Row = dict[str, Any]


@dataclass
class Ledger:
    """The account and the trials of one experiment, computed from its journal."""

    budget: int
    spent: int = 0
    reserved: int = 0
    block: int = 0  # rounds that the open block has left
    trials: dict[int, Row] = field(default_factory=dict)

    def asked(self, event: Row, body: Row) -> None:
        assert event["trial"] == len(self.trials) + 1, "trials are numbered without gaps"
        assert (self.block == 0) == (body["settled"] > 0), "a block is handed out to its end before the next is opened"
        self.block += body["settled"] - body["rounds"]
        assert self.block >= 0
        self.reserved += body["cost"]
        known = {"experiment": event["experiment"], "number": event["trial"], "status": "pending", "outcome": None}
        rest = {
            "lease_until": event["at"] + body["lease"],
            "worker": body.get("worker"),
            "request_id": body.get("request_id"),
        }
        self.trials[event["trial"]] = known | rest | {name: body[name] for name in ("arm", "rounds", "cost")}

    def told(self, event: Row, body: Row) -> None:
        trial = self._leave(event, {"pending", "expired"})
        assert len(body["rows"]) == trial["rounds"]
        trial["outcome"] = hashlib.sha256(event["body"].encode()).hexdigest()

    def expired(self, event: Row, body: Row) -> None:
        trial = self._leave(event, {"pending"})
        assert trial["lease_until"] < event["at"]

    def abandoned(self, event: Row, body: Row) -> None:
        trial = self._leave(event, {"pending", "expired"})
        trial["outcome"] = str(body["spent"])
        self.spent -= 0 if body["spent"] else trial["cost"]

    def _leave(self, event: Row, before: set[str]) -> Row:
        """End the trial of an event: its cost is spent now."""
        trial = self.trials[event["trial"]]
        assert trial["status"] in before, f"{trial} cannot be {event['kind']}"
        if trial["status"] == "pending":
            self.reserved -= trial["cost"]
            self.spent += trial["cost"]
        trial["status"] = event["kind"]
        return trial


def rows(url: str, table: str, order: str) -> list[Row]:
    """A whole table."""
    engine = create_engine(Storage(url).url)
    try:
        with engine.connect() as connection:
            return [
                dict(row)
                for row in connection.execute(text(f"SELECT * FROM causalbandits_{table} ORDER BY {order}")).mappings()
            ]
    finally:
        engine.dispose()


def everything(url: str) -> dict[str, list[Row]]:
    """All rows of all tables."""
    return {
        "experiments": rows(url, "experiments", "id"),
        "events": rows(url, "events", "number"),
        "trials": rows(url, "trials", "number"),
    }


def audit(url: str) -> list[Row]:
    """The events of the only experiment. Everything else that is stored must follow from them."""
    written = everything(url)
    (account,), events, trials = written["experiments"], written["events"], written["trials"]
    assert [event["number"] for event in events] == list(range(1, account["events"] + 1)), "no gap in the journal"
    assert [event["kind"] for event in events].index("created") == 0
    ledger = Ledger(account["budget"])
    for event in events[1:]:
        getattr(ledger, event["kind"])(event, json.loads(event["body"]))
        assert ledger.spent + ledger.reserved <= ledger.budget, "never overspent, at no moment"
    assert (account["spent"], account["reserved"], account["trials"]) == (
        ledger.spent,
        ledger.reserved,
        len(ledger.trials),
    )
    assert trials == list(ledger.trials.values())
    asked_for = [trial["request_id"] for trial in trials if trial["request_id"]]
    assert len(set(asked_for)) == len(asked_for)
    return events
