"""The first schema: experiments, trials, the journal, tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "causalbandits_experiments",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("budget", sa.BigInteger, nullable=False),
        sa.Column("spent", sa.BigInteger, nullable=False),
        sa.Column("reserved", sa.BigInteger, nullable=False),
        sa.Column("events", sa.BigInteger, nullable=False),
        sa.Column("trials", sa.BigInteger, nullable=False),
        sa.CheckConstraint("spent >= 0 AND reserved >= 0 AND spent + reserved <= budget", name="never_overspent"),
    )
    op.create_table(
        "causalbandits_events",
        sa.Column("experiment", KEY, sa.ForeignKey("causalbandits_experiments.id"), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("trial", sa.BigInteger),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("experiment", "number"),
    )
    op.create_table(
        "causalbandits_trials",
        sa.Column("experiment", KEY, sa.ForeignKey("causalbandits_experiments.id"), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("arm", sa.Integer, nullable=False),
        sa.Column("rounds", sa.BigInteger, nullable=False),
        sa.Column("cost", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("worker", sa.String(200)),
        sa.Column("request_id", sa.String(200)),
        sa.Column("outcome", sa.String(64)),
        sa.PrimaryKeyConstraint("experiment", "number"),
        sa.UniqueConstraint("experiment", "request_id", name="one_trial_per_request"),
        sa.CheckConstraint("status IN ('pending', 'told', 'expired', 'abandoned')", name="known_status"),
        sa.CheckConstraint("rounds > 0 AND cost > 0", name="worth_something"),
    )
    pending = sa.text("status = 'pending'")
    op.create_index(
        "causalbandits_overdue",
        "causalbandits_trials",
        ["experiment", "lease_until"],
        sqlite_where=pending,
        postgresql_where=pending,
    )
    op.create_table(
        "causalbandits_tokens",
        sa.Column("id", KEY, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("access", sa.String(5), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
        sa.CheckConstraint("access IN ('read', 'write')", name="known_access"),
    )
    for statement in _append_only(op.get_bind().dialect.name):
        op.execute(statement)


def _append_only(dialect: str) -> list[str]:
    """Triggers that refuse to change or delete an event."""
    table, why = "causalbandits_events", "the journal is only added to"
    if dialect == "sqlite":
        refuse = f"BEGIN SELECT RAISE(ABORT, '{why}'); END"
        return [f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} {refuse}" for verb in ("UPDATE", "DELETE")]
    refuse = "causalbandits_refuse_change()"
    return [
        f"CREATE FUNCTION {refuse} RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{why}'; END $$",
        f"CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {refuse}",
        f"CREATE TRIGGER {table}_never_emptied BEFORE TRUNCATE ON {table} EXECUTE FUNCTION {refuse}",
    ]


def downgrade() -> None:
    for table in ("tokens", "trials", "events", "experiments"):
        op.drop_table(f"causalbandits_{table}")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION causalbandits_refuse_change()")
