"""Many processes at once, killed at any moment.

No confirmed call is lost, nothing happens twice, and the budget is never exceeded.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

import causalbandits as cb
from causalbandits.live import Storage
from causalbandits.policies import REGISTRY

from ..conftest import KINDS
from . import worker
from .audit import Row, audit
from .worker import FORKS, diaries, of_kind, start

KILLS = 200
WORKERS = 8
PROCESSES = 6
SHARED = KINDS[1:]  # memory is one process's own

pytestmark = [pytest.mark.parametrize("url", SHARED, indirect=True), pytest.mark.usefixtures("blocks")]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers' policy can be found again, for the time of a test."""
    monkeypatch.setitem(REGISTRY, "blocks", worker.Blocks)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the workers write their diaries."""
    (tmp_path / "diaries").mkdir()
    return tmp_path / "diaries"


@pytest.mark.slow
def test_after_200_kills_every_confirmed_call_is_kept_and_the_experiment_goes_on(url: str, folder: Path) -> None:
    created = worker.create(url, budget=400 * KILLS, lease=worker.LEASE, short=50 * KILLS)
    here, there = FORKS.Pipe()
    observer = start(worker.follow, url, 1_000_000, folder, there)
    storm(url, folder)
    here.send("what do you see?")
    seen = answer(here, observer)

    events = audit(url)
    assert len(events) > KILLS, "the workers did get something done"
    check_diaries(events, diaries(folder))
    late = FORKS.Pipe()
    assert answer(late[0], start(worker.look_once, url, 1_000_001, folder, late[1])) == seen
    assert worker.picture(created) == seen

    time.sleep(worker.LEASE + 0.01)  # what the killed ones held is overdue now
    with pytest.raises(cb.BudgetExhausted, match="the budget is used up"):
        spend_the_rest(created)
    audit(url)
    status = created.status()
    assert (status.reserved, status.left) == (0, 0)
    assert status.trials > max(event["trial"] or 0 for event in events)


def storm(url: str, folder: Path) -> None:
    """Workers that are killed one after the other, until 200 were."""
    rng = random.Random(3)
    crew = [start(worker.work, url, number, folder) for number in range(WORKERS)]
    for number in range(WORKERS, KILLS):
        time.sleep(rng.uniform(0, 0.14))
        place = rng.randrange(WORKERS)
        kill(crew[place])
        crew[place] = start(worker.work, url, number, folder)
    for process in crew:
        time.sleep(rng.uniform(0, 0.14))
        kill(process)


def kill(process: Any) -> None:
    assert process.exitcode is None, "a worker stopped by itself"
    process.kill()
    process.join()


def answer(line: Any, process: Any) -> Any:
    """The message of another process."""
    assert line.poll(60), "no answer"
    message = line.recv()
    process.join()
    return message


def check_diaries(events: list[Row], known: dict[int, list[dict[str, Any]]]) -> None:
    """Every confirmed call is in the journal once, with its contents.

    Of its calls that were not confirmed, a killed worker left at most one.
    """
    by_kind = {kind: [event for event in events if event["kind"] == kind] for kind in ("asked", "told", "abandoned")}
    bodies = {kind: {event["trial"]: json.loads(event["body"]) for event in by_kind[kind]} for kind in by_kind}
    assert all(len(bodies[kind]) == len(by_kind[kind]) for kind in by_kind), "at most once for each trial"
    written = Counter(bodies["asked"][event["trial"]]["worker"] for kind in by_kind for event in by_kind[kind])
    for number, lines in known.items():
        assert not of_kind(lines, "failed"), lines[-1]["why"]
        for line in of_kind(lines, "asked"):
            body = bodies["asked"][line["trial"]]
            assert (body["worker"], body["rounds"], body.get("request_id")) == (
                str(number),
                line["rounds"],
                line["request_id"],
            )
        for line in of_kind(lines, "told"):
            assert bodies["told"][line["trial"]]["rows"] == [
                {**row, "values": dict(sorted(row["values"].items()))} for row in line["rows"]
            ]
        for line in of_kind(lines, "abandoned"):
            assert bodies["abandoned"][line["trial"]] == {"spent": line["spent"]}
        confirmed = {(line["what"], line["trial"]) for line in lines}
        assert 0 <= written[str(number)] - len(confirmed) <= 1
    assert sum(written.values()) == sum(written[str(number)] for number in known), "nobody else wrote"


def spend_the_rest(experiment: cb.Experiment) -> None:
    """Ask and tell in long blocks until the money is used up."""
    rng = random.Random(5)
    while True:
        trial = experiment.ask(count=1_000_000)
        experiment.tell(trial.number, rows=worker.shown(experiment, trial, rng))


def together(job: Any, url: str, folder: Path, *more: Any) -> dict[int, list[dict[str, Any]]]:
    """The diaries of six processes that did a job at the same time."""
    barrier = FORKS.Barrier(PROCESSES, timeout=30)  # if one process fails, the others do not wait for ever
    crew = [start(job, url, number, folder, barrier, *more) for number in range(PROCESSES)]
    for process in crew:
        process.join(60)
    found = diaries(folder)
    assert [process.exitcode for process in crew] == [0] * PROCESSES, found
    return found


def test_six_processes_get_exactly_40_trials_from_a_budget_for_40(url: str, folder: Path) -> None:
    experiment = worker.create(url, budget=40, cost=1)
    found = together(worker.ask_only, url, folder)
    assert sorted(line["trial"] for lines in found.values() for line in of_kind(lines, "asked")) == list(range(1, 41))
    assert all(lines[-1]["what"] == "exhausted" for lines in found.values())
    audit(url)
    status = experiment.status()
    assert (status.trials, status.reserved, status.left) == (40, 40, 0)


def test_the_same_request_from_6_processes_gives_one_trial(url: str, folder: Path) -> None:
    worker.create(url, budget=60)
    found = together(worker.ask_the_same, url, folder, 10)
    for turn in range(10):
        assert {line["trial"] for lines in found.values() for line in lines if line["turn"] == turn} == {turn + 1}
    assert [event["kind"] for event in audit(url)] == ["created"] + ["asked"] * 10


@pytest.mark.parametrize("is_same", [True, False], ids=["the same", "different"])
def test_one_of_6_simultaneous_tells_is_written(url: str, folder: Path, is_same: bool) -> None:
    experiment = worker.create(url, budget=400)
    trials = [experiment.ask(count=4) for _ in range(20)]
    found = together(worker.tell_at_once, url, folder, trials, [0] * PROCESSES if is_same else list(range(PROCESSES)))
    events = audit(url)
    rows_told = {event["trial"]: json.loads(event["body"])["rows"] for event in events if event["kind"] == "told"}
    assert sorted(rows_told) == [trial.number for trial in trials]
    assert len(events) == 1 + 2 * len(trials)
    for line in (line for lines in found.values() for line in lines):
        rows = [{**row, "values": dict(sorted(row["values"].items()))} for row in line["rows"]]
        assert (rows == rows_told[line["trial"]]) == (line["what"] == "told")
    conflicts = sum(line["what"] == "conflict" for lines in found.values() for line in lines)
    assert conflicts == 0 if is_same else conflicts > len(trials)


@pytest.fixture(autouse=True)
def _nothing_left_open(url: str) -> Iterator[None]:
    """At the end, no killed process holds anything: the database can be written at once."""
    yield
    storage = Storage(url)
    with storage.transaction() as connection:
        connection.execute(text("UPDATE causalbandits_experiments SET spent = spent"))
