"""Another program holds the lock that writers of the service need."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import sqlalchemy

import causalbandits as cb
from causalbandits.live import Storage

from ...conftest import KINDS
from ..http.serving import problem
from .attacked import Attacked, attacked

ASKS = 60
ASK = "/experiments/checkout/ask"


@contextmanager
def _lock_held(url: str) -> Iterator[None]:
    """The write lock of SQLite, or on PostgreSQL the row of the experiment `checkout`."""
    engine = sqlalchemy.create_engine(Storage(url).url)
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("SELECT id FROM causalbandits_experiments WHERE name = 'checkout' FOR UPDATE")
        yield
        connection.rollback()
    engine.dispose()


def _ask(service: Attacked, number: int) -> httpx.Response:
    return service.client.post(ASK, json={"request_id": str(number)})


def _seconds(service: Attacked, path: str) -> float:
    start = time.monotonic()
    service.client.get(path).raise_for_status()
    return time.monotonic() - start


@pytest.mark.slow
@pytest.mark.parametrize("url", KINDS[1:], indirect=True)  # nobody else can lock the memory of a process
def test_60_asks_behind_a_lock_are_told_to_come_again_and_everything_else_goes_on(url: str, tmp_path: Path) -> None:
    with attacked(tmp_path, url) as service:
        cb.Experiment.create(url, "other", problem(), "crm-nb")
        assert _ask(service, 0).status_code == 200  # now everything is compiled
        for path in ("/experiments/checkout", "/experiments/other"):
            service.client.get(path)
        with ThreadPoolExecutor(ASKS) as clients, _lock_held(url):
            asks = [clients.submit(_ask, service, number) for number in range(1, ASKS + 1)]
            time.sleep(1)
            for path in ("/health", "/experiments/checkout", "/experiments/other/recommendation") * 3:
                assert _seconds(service, path) < 2, path
            if not Storage(url).is_sqlite:  # SQLite has one lock for all experiments
                assert service.client.post("/experiments/other/ask").status_code == 200
            answers = [ask.result() for ask in asks]
        assert Counter(answer.status_code for answer in answers) == {503: ASKS}
        assert all(int(answer.headers["Retry-After"]) >= 1 for answer in answers)
        assert {answer.json()["type"] for answer in answers} == {"urn:causalbandits:busy"}
        assert not any("Storage" in answer.text or str(tmp_path) in answer.text for answer in answers)
        status = service.client.get("/experiments/checkout").json()
        assert (status["trials"], status["reserved"]) == (1, 1.0)
        assert _ask(service, 1).status_code in (200, 409)
