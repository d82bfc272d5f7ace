"""Every test of a storage runs on all three kinds."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import postgres

KINDS = ["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))]


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[postgres.Server]:
    if postgres.programs() is None:
        reason = "PostgreSQL's programs (initdb, pg_ctl) are not installed"
        pytest.fail(reason) if os.environ.get("CAUSALBANDITS_CI") else pytest.skip(reason)
    with postgres.server() as running:
        yield running


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A storage with nothing in it."""
    if request.param == "memory":
        return f"memory:{uuid.uuid4().hex}"
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'journal.db'}"
    server: postgres.Server = request.getfixturevalue("postgresql_server")
    return server.new_database()


@pytest.fixture
def memory() -> str:
    """A storage with nothing in it, for what has nothing to do with the kind of it."""
    return f"memory:{uuid.uuid4().hex}"
