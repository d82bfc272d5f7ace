"""Where experiments are stored: SQLite, PostgreSQL, or the memory of this process.

This file has the transactions, the versions of the schema, and the errors of databases as plain sentences.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import StaticPool

from ..errors import InputError, missing_extra
from .errors import Busy, StorageError, WrongSchema
from .schema import REVISION, VERSION_TABLE

PATIENCE = 30.0  # seconds to wait for another process's transaction
STATEMENT = 4.0  # a statement may take so many times as long
CONNECTIONS = 16  # that are kept open; as many more are opened when needed
UPGRADE_LOCK = 7_205_341_008  # PostgreSQL: the process that holds this lock may change the schema; any number will do
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's code; its sentences depend on the language of the server
REVISION_FORM = re.compile(r"\d{4}")
MEMORY = "memory"
FORMS = '"sqlite:///file.db", "postgresql://user@host/database" or "memory"'
MIGRATIONS = Path(__file__).parent / "migrations"


class Storage:
    """A database of experiments.

    A `transaction` sees a consistent state and changes all or nothing. If it fails it raises StorageError.
    """

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        self.url, self.patience = _parsed(url), patience
        self._path = _path(self.url)
        self._file: tuple[int, int] | None = None  # device and number of the SQLite file that was opened first
        self._turn: AbstractContextManager[Any] = nullcontext()  # for memory: one thread at a time
        if self.url.drivername == MEMORY:
            self.engine, self._turn = _memory(self.url.database)
        else:
            self.engine = _engine(self.url, patience, pool_size=CONNECTIONS, max_overflow=CONNECTIONS)
            _CONNECTED.add(self)
            weakref.finalize(self, self.engine.dispose)  # close its connections when the storage is no longer used

    @classmethod
    def of(cls, storage: str | Storage) -> Storage:
        """The storage of a URL. A storage is returned as it is."""
        return storage if isinstance(storage, Storage) else cls(storage)

    def __repr__(self) -> str:
        secrets = [name for name in self.url.query if "password" in name.lower()]
        return f"Storage({self.url.difference_update_query(secrets).render_as_string(hide_password=True)!r})"

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is SQLite; the memory of this process is too."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction that may write. It writes all or nothing."""
        with self._turn, self._errors(), self.engine.begin() as connection:
            self._check_file()
            yield connection
        self._check_file()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads a consistent state. No writer waits for it."""
        level = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._turn, self._errors(), self.engine.connect().execution_options(reads=True, **level) as connection:
            connection.begin()
            self._check_file()
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise StorageError, with one sentence, for any error of the database."""
        try:
            yield
        except SQLAlchemyError as error:
            kind = Busy if _is_busy(error) else StorageError
            raise kind(_sentence(self, error)) from error

    def revision(self) -> str | None:
        """The version of the schema in the database, or None if our tables are missing."""
        if self._has_no_file():
            return None
        with self.reading() as connection:
            return _revision(connection)

    def _has_no_file(self) -> bool:
        """Whether the SQLite file is missing. Connecting would create it, and reading must not."""
        return self._path is not None and self._path.parent.is_dir() and not self._path.exists()

    def _check_file(self) -> None:
        """Refuse to go on if the SQLite file is another one than at first: the open one is no longer in its folder."""
        if self._path is None:
            return
        try:
            found = self._path.stat()
        except OSError:
            file = None
        else:
            file = found.st_dev, found.st_ino
        self._file = self._file or file
        if file is None or file != self._file:
            raise StorageError(
                f"{self}: the file was deleted or replaced while it was open, so nothing is written any more; "
                "restart the service, or open the experiment again."
            )

    def check(self) -> None:
        """Refuse a database without our tables, or with the tables of another version."""
        found = self.revision()
        if found is None:
            raise WrongSchema(f"{self} has no experiments yet; create one first.")
        if not REVISION_FORM.fullmatch(found):
            raise WrongSchema(f"{self} has the schema {found!r}, which no version wrote; restore it from a copy.")
        if found > REVISION:
            raise WrongSchema(
                f"{self} was written by a newer causalbandits (schema {found}, here {REVISION}); "
                "install that version: pip install --upgrade causalbandits."
            )
        if found < REVISION:
            raise WrongSchema(
                f"{self} has the older schema {found}, here {REVISION}; make a copy, then run: causalbandits upgrade."
            )

    def prepare(self) -> None:
        """Create the tables if there are none."""
        if self.revision() is None:
            self.upgrade()
        self.check()

    def upgrade(self) -> None:
        """Upgrade the tables to this version's schema. Only one process does so at a time."""
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        with self.transaction() as connection:
            if not self.is_sqlite:
                connection.execute(text("SET LOCAL statement_timeout = 0"))  # a large journal takes its time
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": UPGRADE_LOCK})
            found = _revision(connection)
            if found is not None and (found >= REVISION or not REVISION_FORM.fullmatch(found)):
                return  # `check` says what is wrong, if anything is
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


_CONNECTED: weakref.WeakSet[Storage] = weakref.WeakSet()


def _forget_connections() -> None:
    """In a child process: leave the connections to the parent, and open new ones when needed."""
    for storage in _CONNECTED:
        storage.engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_connections)


@cache
def _memory(name: str | None) -> tuple[Engine, AbstractContextManager[Any]]:
    """A database that ends with the process: one connection, and a lock so that one thread uses it at a time."""
    return _engine(make_url("sqlite://"), PATIENCE, poolclass=StaticPool), RLock()


def _parsed(text: str) -> URL:
    if not isinstance(text, str):
        raise InputError(f"A storage is {FORMS}, not {text!r}.")
    if text.partition(":")[0] == MEMORY:
        return URL.create(MEMORY, database=text.partition(":")[2].strip("/") or None)
    if text.partition("?")[0] in ("sqlite://", "sqlite:///", "sqlite:///:memory:"):
        raise InputError(f"{text} has no file and ends with its connection; name one, as in {FORMS}.")
    try:
        url = make_url(text)
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        if url.get_backend_name() in ("sqlite", "postgresql"):
            url.get_dialect()
            return url
    except (ArgumentError, NoSuchModuleError, ValueError):  # ValueError: a port that is no number
        pass
    without_password = re.sub(r"(password=)[^&]*", r"\1***", re.sub(r"^(.*?//)?.*@", r"\1***@", text), flags=re.I)
    raise InputError(f"A storage is {FORMS}, not {without_password!r}.")


def _path(url: URL) -> Path | None:
    """The file of a SQLite database, if it is one."""
    name = url.database or ":memory:"
    is_file = url.get_backend_name() == "sqlite" and name != ":memory:" and not name.startswith("file:")
    return Path(name) if is_file else None


def _engine(url: URL, patience: float, **options: Any) -> Engine:
    if url.get_backend_name() == "postgresql":
        return _postgresql(url, patience, **options)
    engine = create_engine(url, connect_args={"timeout": patience, "check_same_thread": False}, **options)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves, below
        for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}").close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads", False)
        # A writer takes the lock at once. If two writers took it later, one of them would have to fail.
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _postgresql(url: URL, patience: float, **options: Any) -> Engine:
    """An engine whose connections wait neither for a lock nor for an answer for longer than `patience`."""
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10}, **options)
    except ImportError:
        raise missing_extra("PostgreSQL needs", "psycopg", "postgresql") from None

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        for setting, seconds in (("lock_timeout", patience), ("statement_timeout", STATEMENT * patience)):
            connection.execute(f"SET {setting} = {round(seconds * 1000)}")
        connection.commit()

    return engine


def _is_busy(error: SQLAlchemyError) -> bool:
    """Whether the database waited for a lock, or we for a connection, until the time was over."""
    cause = getattr(error, "orig", None)
    is_locked = getattr(cause, "sqlstate", None) == LOCK_NOT_AVAILABLE or "database is locked" in str(cause)
    return isinstance(error, PoolTimeout) or is_locked


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return str(connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one())


def _sentence(storage: Storage, error: SQLAlchemyError) -> str:
    """What went wrong and what to do, in one or two sentences."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    remedies = {
        "is full": "the disk is full; free some space and repeat the call",
        "is locked": f"another process held it for {storage.patience:g} seconds; repeat the call",
        "unable to open": "it cannot be opened; its folder must exist and be writable",
        "readonly": "it cannot be written; give this user the right to write",
        "not a database": "the file is not a database; name another file",
    }
    for part, remedy in remedies.items():
        if part in reason and storage.is_sqlite:
            return f"{storage}: {remedy}. Nothing was written."
    if isinstance(error, DBAPIError) and (error.connection_invalidated or storage.engine.dialect.name == "postgresql"):
        return (
            f"{storage} does not answer as it should ({reason}). What was not confirmed may be repeated: "
            "a tell, or an ask with the same request_id."
        )
    return f"{storage}: {reason}."
