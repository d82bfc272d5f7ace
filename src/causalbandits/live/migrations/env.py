"""Alembic runs this file. It applies the migrations on the connection that `Storage.upgrade` gives."""

from __future__ import annotations

from alembic import context

from causalbandits.live.schema import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
