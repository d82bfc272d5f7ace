"""The tables: experiments with their accounts, trials, the journal of events, and tokens.

The journal is the truth, and events are only added to it. The same transactions also write trials and accounts.
These let the database itself keep the budget (a CHECK), find a request again (a UNIQUE), and find overdue trials
(an index).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

REVISION = "0001"  # of the newest migration
VERSION_TABLE = "causalbandits_version"  # not alembic's default name: other applications may share the database

metadata = MetaData()
KEY = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER keys

# Money is in millionths. Times are milliseconds since 1970 by the database's clock.

experiments = Table(
    "causalbandits_experiments",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("budget", BigInteger, nullable=False),
    Column("spent", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False),
    Column("events", BigInteger, nullable=False),  # the number of the last event
    Column("trials", BigInteger, nullable=False),  # the number of the last trial
    CheckConstraint("spent >= 0 AND reserved >= 0 AND spent + reserved <= budget", name="never_overspent"),
)

events = Table(
    "causalbandits_events",
    metadata,
    Column("experiment", KEY, ForeignKey("causalbandits_experiments.id"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("trial", BigInteger),
    Column("at", BigInteger, nullable=False),
    Column("body", Text, nullable=False),  # JSON
    PrimaryKeyConstraint("experiment", "number"),
)

trials = Table(
    "causalbandits_trials",
    metadata,
    Column("experiment", KEY, ForeignKey("causalbandits_experiments.id"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("status", String(10), nullable=False),
    Column("arm", Integer, nullable=False),
    Column("rounds", BigInteger, nullable=False),
    Column("cost", BigInteger, nullable=False),  # the cost of all its rounds
    Column("lease_until", BigInteger, nullable=False),
    Column("worker", String(200)),
    Column("request_id", String(200)),
    Column("outcome", String(64)),  # a hash of the outcome, or whether an abandoned trial was spent
    PrimaryKeyConstraint("experiment", "number"),
    UniqueConstraint("experiment", "request_id", name="one_trial_per_request"),
    CheckConstraint("status IN ('pending', 'told', 'expired', 'abandoned')", name="known_status"),
    CheckConstraint("rounds > 0 AND cost > 0", name="worth_something"),
)
_PENDING = trials.c.status == "pending"
Index(
    "causalbandits_overdue", trials.c.experiment, trials.c.lease_until, sqlite_where=_PENDING, postgresql_where=_PENDING
)

tokens = Table(
    "causalbandits_tokens",
    metadata,
    Column("id", KEY, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("access", String(5), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    CheckConstraint("access IN ('read', 'write')", name="known_access"),
)


class Now(FunctionElement[int]):
    """The database's clock, in milliseconds since 1970."""

    type = BigInteger()
    inherit_cache = True


@compiles(Now, "sqlite")
def _sqlite_now(element: Now, compiler: Any, **options: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


@compiles(Now, "postgresql")
def _postgresql_now(element: Now, compiler: Any, **options: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
