"""What alembic runs: the migrations, on the connection that `storage` hands over."""

from __future__ import annotations

from alembic import context

from causalbandits.live.schema import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
