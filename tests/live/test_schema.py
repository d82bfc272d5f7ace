"""The tables of the journal: versions, migrations, and rules that the database itself keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

import causalbandits as cb
from causalbandits.live import Storage, schema

from .audit import everything
from .begun import ON_DISK, begun, goes_on


def execute(url: str, statement: str) -> None:
    with Storage(url).transaction() as connection:
        connection.execute(text(statement))


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("9999", "newer causalbandits .* pip install --upgrade causalbandits"),
        ("0000", "older schema .* causalbandits upgrade"),
        ("none", "has the schema 'none', which no version wrote; restore it from a copy"),
    ],
)
def test_another_version_of_the_schema_is_refused_with_the_remedy(url: str, version: str, sentence: str) -> None:
    begun(url)
    execute(url, f"UPDATE causalbandits_version SET version_num = '{version}'")
    for call in (begun, lambda url: cb.Experiment.open(url, "checkout"), cb.Experiment.names):
        with pytest.raises(cb.StorageError, match=sentence):
            call(url)


def test_a_schema_that_changes_under_an_open_experiment_is_noticed(url: str) -> None:
    experiment = begun(url)
    execute(url, "UPDATE causalbandits_version SET version_num = '9999'")
    for call in (experiment.ask, experiment.status):
        with pytest.raises(cb.StorageError, match="The schema changed to '9999' while it was in use; restart"):
            call()


@ON_DISK
def test_an_upgrade_of_a_current_database_changes_nothing(url: str) -> None:
    experiment = begun(url)
    before = everything(url)
    Storage(url).upgrade()
    assert everything(url) == before
    goes_on(experiment, url)


def test_the_migrations_make_the_tables_that_the_code_knows(url: str) -> None:
    storage = Storage(url)
    storage.prepare()
    with storage.transaction() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "version_table": schema.VERSION_TABLE}
        )
        assert compare_metadata(context, schema.metadata) == []
        for table in schema.metadata.tables:
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE causalbandits_events SET body = '{}' WHERE number = 2",
        "DELETE FROM causalbandits_events WHERE number = 2",
        "DELETE FROM causalbandits_events",
    ],
)
def test_the_journal_cannot_be_changed(url: str, change: str) -> None:
    experiment = begun(url)
    before = experiment.history()
    with pytest.raises(cb.StorageError, match="the journal is only added to"):
        execute(url, change)
    assert experiment.history() == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("UPDATE causalbandits_events SET body = 'nonsense' WHERE number = 2", "event 2 cannot follow event 1"),
        ("UPDATE causalbandits_events SET body = '{}' WHERE number = 3", "event 3 cannot follow event 2"),
        ("UPDATE causalbandits_events SET kind = 'bought' WHERE number = 2", "event 2 cannot follow event 1"),
        ("UPDATE causalbandits_events SET trial = 99 WHERE kind = 'told'", "cannot follow"),
        ("DELETE FROM causalbandits_events WHERE number = 2", "event 3 cannot follow event 1"),
        (
            "UPDATE causalbandits_events SET body = '[]' WHERE number = 1",
            "The first event of 'checkout' cannot be read",
        ),
        ("DELETE FROM causalbandits_events WHERE number = 1", "The first event of '"),
    ],
)
def test_a_journal_that_was_changed_all_the_same_is_refused_in_a_sentence(
    tmp_path: Path, change: str, sentence: str
) -> None:
    url = f"sqlite:///{tmp_path / 'journal.db'}"
    begun(url)
    execute(url, "DROP TRIGGER causalbandits_events_no_UPDATE")
    execute(url, "DROP TRIGGER causalbandits_events_no_DELETE")
    execute(url, change)
    with pytest.raises(cb.StorageError, match=f"{sentence}.*; restore the database from a copy"):
        cb.Experiment.open(url, "checkout")


@pytest.mark.parametrize(
    "change", ["spent = budget + 1, reserved = 0", "spent = budget", "reserved = budget", "reserved = -1", "spent = -1"]
)
def test_the_database_itself_refuses_to_overspend(url: str, change: str) -> None:
    experiment = begun(url)
    before = experiment.status()
    with pytest.raises(cb.StorageError, match="never_overspent"):
        execute(url, f"UPDATE causalbandits_experiments SET {change}")
    assert experiment.status() == before


def test_an_account_that_does_not_follow_from_the_journal_is_noticed(url: str) -> None:
    experiment = begun(url)
    execute(url, "UPDATE causalbandits_experiments SET spent = spent + 1")
    for call in (experiment.ask, experiment.status, lambda: cb.Experiment.open(url, "checkout")):
        with pytest.raises(cb.StorageError, match="disagree; restore the database from a copy"):
            call()
