"""Databases in trouble: full, locked, missing, or no database at all.

The answer is a clear sentence, nothing is half-written, and work goes on afterwards.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

import causalbandits as cb
from causalbandits.live import Storage

from ..postgres import Server
from .audit import audit, everything
from .begun import IN_A_FILE, ON_A_SERVER, ON_DISK, ROWS, begun, goes_on, tell


def refused(experiment: cb.Experiment, url: str, sentence: str) -> None:
    """Every call that writes fails with the sentence, and nothing changes."""
    before = everything(url)
    for call in _writers(experiment):
        with pytest.raises(cb.StorageError, match=sentence):
            call()
        assert everything(url) == before


def _writers(experiment: cb.Experiment) -> list[Callable[[], Any]]:
    outcome = {name: value for row in ROWS for name, value in row["values"].items()}  # type: ignore[attr-defined]
    return [
        experiment.ask,
        lambda: experiment.abandon(2),
        lambda: experiment.tell(2, 1, outcome | dict(experiment.problem.arms[1])),
        lambda: experiment.import_observations([{**outcome, "Purchase": "yes"}] * 1000),
    ]


@contextmanager
def small_disk(experiment: cb.Experiment) -> Iterator[None]:
    """A disk with no page left, for SQLite: the file must not grow."""
    engine = experiment.storage.engine

    def limit(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1").close()  # SQLite makes it as many as there are

    engine.dispose()
    event.listen(engine, "connect", limit)
    yield
    event.remove(engine, "connect", limit)
    engine.dispose()


def fill(experiment: cb.Experiment, confirmed: list[int]) -> None:
    """Ask for large trials until it goes no further."""
    while len(confirmed) < 1000:
        confirmed.append(experiment.ask(worker="w" * 200, request_id=f"{len(confirmed):0200}").number)


@IN_A_FILE
def test_a_full_disk_loses_nothing_and_work_goes_on_when_there_is_room(url: str) -> None:
    experiment = begun(url)
    confirmed = [1, 2]
    with small_disk(experiment):
        with pytest.raises(cb.StorageError, match=r"the disk is full; free some space.*Nothing was written"):
            fill(experiment, confirmed)
        assert len(audit(url)) == 2 + len(confirmed)
        assert [trial.number for trial in experiment.status().pending] == confirmed[1:]
    assert experiment.ask(request_id=f"{len(confirmed):0200}").number == len(confirmed) + 1
    goes_on(experiment, url)


@IN_A_FILE
def test_a_locked_database_is_waited_for_and_then_refused(url: str) -> None:
    begun(url)
    experiment = cb.Experiment.open(Storage(url, patience=0.05), "checkout")
    other = sqlite3.connect(url.removeprefix("sqlite:///"))
    other.execute("BEGIN IMMEDIATE")
    refused(experiment, url, r"another process held it for 0\.05 seconds; repeat the call.*Nothing was written")
    assert experiment.status().trials == 2, "who only reads does not wait"
    other.rollback()
    other.close()
    goes_on(experiment, url)


def _deleted(file: Path) -> None:
    file.unlink()


def _replaced_by_a_copy(file: Path) -> None:
    copy = file.with_suffix(".copy")
    with sqlite3.connect(file) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    source.close()
    target.close()
    copy.replace(file)


@IN_A_FILE
@pytest.mark.parametrize("change", [_deleted, _replaced_by_a_copy])
def test_a_database_file_that_was_deleted_or_replaced_is_noticed(url: str, change: Callable[[Path], None]) -> None:
    """SQLite itself would go on with the old file, which nobody finds any more."""
    experiment = begun(url)
    change(Path(url.removeprefix("sqlite:///")))
    for call in [*_writers(experiment), experiment.status]:
        with pytest.raises(cb.StorageError, match=r"was deleted or replaced .*; restart the service"):
            call()
    if change is _replaced_by_a_copy:
        goes_on(cb.Experiment.open(url, "checkout"), url)


@IN_A_FILE
def test_a_commit_into_a_deleted_file_is_not_confirmed(url: str) -> None:
    experiment = begun(url)
    with pytest.raises(cb.StorageError, match="was deleted or replaced"), experiment.storage.transaction():
        Path(url.removeprefix("sqlite:///")).unlink()


@IN_A_FILE
def test_a_database_that_may_not_be_written_can_still_be_read(url: str) -> None:
    experiment = begun(url)
    reader = cb.Experiment.open(f"sqlite:///file:{url.removeprefix('sqlite:///')}?mode=ro&uri=true", "checkout")
    refused(reader, url, "it cannot be written; give this user the right to")
    assert reader.status() == experiment.status()
    goes_on(experiment, url)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://?timeout=5"])
def test_a_database_that_would_end_with_its_connection_is_refused(url: str) -> None:
    with pytest.raises(cb.InputError, match="has no file and ends with its connection; name one, as in"):
        Storage(url)


def test_a_port_that_is_no_number_is_refused_in_a_sentence() -> None:
    with pytest.raises(cb.InputError, match=r"A storage is .*, not 'postgresql://") as caught:
        Storage("postgresql://me:s3cret@localhost:abc/db?password=s3cret")
    assert "s3cret" not in str(caught.value)


def test_no_password_is_shown() -> None:
    pytest.importorskip("psycopg")
    storage = Storage("postgresql://me:s3cret@localhost:1/db?password=s3cret&sslpassword=s3cret&application_name=shop")
    assert "s3cret" not in repr(storage)
    assert "application_name=shop" in repr(storage)
    with pytest.raises(cb.StorageError) as caught:
        storage.check()
    assert "s3cret" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@ON_DISK
def test_a_forked_child_opens_connections_of_its_own(url: str) -> None:
    """Two processes on one connection would read each other's answers."""
    experiment = begun(url)
    child = os.fork()
    if child == 0:
        same = True
        try:
            pool = experiment.storage.engine.pool
            same = pool.checkedin() > 0  # connections of the parent  # type: ignore[attr-defined]
            experiment.status()
        finally:
            os._exit(int(same))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    goes_on(experiment, url)


def _directory(path: Path) -> None:
    path.mkdir()


def _text(path: Path) -> None:
    path.write_text("Dear diary, today I was told that I am a database. " * 100)


@pytest.mark.parametrize(
    ("name", "prepare", "sentence"),
    [
        ("folder", _directory, "it cannot be opened; its folder must exist and be writable"),
        ("missing/journal.db", lambda path: None, "it cannot be opened; its folder must exist and be writable"),
        ("notes.txt", _text, "the file is not a database; name another file"),
    ],
)
def test_a_file_that_cannot_be_a_database_is_refused_in_a_sentence(
    tmp_path: Path, name: str, prepare: Callable[[Path], None], sentence: str
) -> None:
    prepare(tmp_path / name)
    for call in (begun, lambda url: cb.Experiment.open(url, "checkout"), cb.Experiment.names):
        with pytest.raises(cb.StorageError, match=sentence):
            call(f"sqlite:///{tmp_path / name}")


def test_opening_a_missing_database_is_refused_and_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(cb.StorageError, match="has no experiments yet; create one first"):
        cb.Experiment.open(f"sqlite:///{tmp_path / 'typo.db'}", "checkout")
    assert list(tmp_path.iterdir()) == []


@ON_A_SERVER
def test_a_missing_server_is_named_without_its_password(url: str) -> None:
    for wrong in (
        "postgresql://postgres:s3cret@127.0.0.1:1/test",
        url.replace("postgres@", "postgres:s3cret@") + "_not",
    ):
        with pytest.raises(cb.StorageError, match="does not answer as it should") as caught:
            begun(wrong)
        assert "s3cret" not in str(caught.value)
        assert "s3cret" not in repr(Storage(wrong))


def test_a_wrong_url_is_refused_without_showing_its_password() -> None:
    for wrong in (
        "postgres://me:s3cret@127.0.0.1/test",
        "me:s3cret@127.0.0.1",
        "postgresql//me:s3@cret@127.0.0.1/test",
    ):
        with pytest.raises(cb.InputError, match="A storage is") as caught:
            Storage(wrong)
        assert "cret" not in str(caught.value)
    with pytest.raises(cb.InputError, match="A storage is"):
        Storage(Path("journal.db"))  # type: ignore[arg-type]


@ON_A_SERVER
def test_a_server_may_go_away_and_come_back(url: str, postgresql_server: Server) -> None:
    experiment = begun(url)
    before = everything(url)
    postgresql_server.stop()
    try:
        for call in (*_writers(experiment), experiment.status, experiment.recommend):
            with pytest.raises(cb.StorageError, match=r"does not answer as it should .* may be repeated"):
                call()
    finally:
        postgresql_server.start()
    assert everything(url) == before
    goes_on(experiment, url)


@ON_A_SERVER
def test_a_restart_of_the_server_between_two_calls_disturbs_nothing(url: str, postgresql_server: Server) -> None:
    experiment = begun(url)
    postgresql_server.stop()
    postgresql_server.start()
    goes_on(experiment, url)


@contextmanager
def commits(experiment: cb.Experiment, commit: Callable[[Any, Callable[[Any], None]], None]) -> Iterator[None]:
    """What a commit does instead."""
    dialect = experiment.storage.engine.dialect
    usual = dialect.do_commit
    dialect.do_commit = lambda connection: commit(connection, usual)  # type: ignore[method-assign, assignment]
    yield
    dialect.do_commit = usual  # type: ignore[method-assign]


@ON_A_SERVER
def test_a_connection_that_is_cut_before_the_commit_has_written_nothing(url: str) -> None:
    experiment = begun(url)
    admin = Storage(url)

    def cut(connection: Any, usual: Callable[[Any], None]) -> None:
        with admin.engine.connect() as other:
            other.execute(
                text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": connection.dbapi_connection.info.backend_pid}
            )
        usual(connection)

    with commits(experiment, cut):
        refused(experiment, url, "What was not confirmed may be repeated")
    goes_on(experiment, url)


@ON_DISK
def test_a_call_whose_confirmation_was_lost_may_be_repeated(url: str) -> None:
    experiment = begun(url)

    def lose(connection: Any, usual: Callable[[Any], None]) -> None:
        usual(connection)
        raise experiment.storage.engine.dialect.loaded_dbapi.OperationalError("the line went dead")

    with commits(experiment, lose):
        with pytest.raises(cb.StorageError, match="the line went dead"):
            experiment.ask(request_id="mine")
        with pytest.raises(cb.StorageError, match="the line went dead"):
            tell(experiment, 2)
    written = everything(url)
    assert [event["kind"] for event in audit(url)] == ["created", "asked", "told", "asked", "asked", "told"]
    assert experiment.ask(request_id="mine").number == 3
    outcome = dict(ROWS[0]["values"]) | dict(experiment.problem.arms[1])  # type: ignore[call-overload]
    assert experiment.tell(2, 1, outcome).status == "told"
    assert everything(url) == written
    assert experiment.status().trials == 3


@ON_DISK
def test_an_outcome_that_was_not_written_is_not_learned(url: str) -> None:
    experiment, other = begun(url), cb.Experiment.open(url, "checkout")

    def fail(connection: Any, usual: Callable[[Any], None]) -> None:
        raise experiment.storage.engine.dialect.loaded_dbapi.OperationalError("no answer")

    with commits(experiment, fail), pytest.raises(cb.StorageError, match="no answer"):
        tell(experiment, 2)
    other.abandon(2, spent=True)  # as many events, and as much money
    assert experiment.status() == other.status() == cb.Experiment.open(url, "checkout").status()
    assert experiment.status().arms[1].pulls == 0
