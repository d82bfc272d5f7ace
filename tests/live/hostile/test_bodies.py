"""Bodies that are small enough in bytes, and large in structure."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from ..http.serving import Served, served

LARGEST_STALL = 0.5  # seconds that a health check may take beside such a body; alone it takes a few milliseconds
MEBIBYTE = 2**20
OBSERVATIONS, TELL = "/experiments/checkout/observations", "/experiments/checkout/trials/1/tell"


def _filled(start: str, part: str, end: str) -> bytes:
    """As many parts as fit into a mebibyte."""
    many = (MEBIBYTE - len(start) - len(end)) // (len(part) + 1)
    return (start + ",".join([part] * many) + end).encode()


BODIES = {
    "numbers for rows": (OBSERVATIONS, _filled('{"rows":[', "1", "]}")),
    "empty rows": (OBSERVATIONS, _filled('{"rows":[', "{}", "]}")),
    "empty rounds": (TELL, _filled('{"rows":[', "{}", "]}")),
    "rounds of a wrong type": (TELL, _filled('{"rows":[', '{"reward":[]}', "]}")),
    "unknown keys": (TELL, _filled("{", '"a":1', "}")),
    "many values": (TELL, ("{" + ",".join(f'"{i}":1' for i in range(90_000)) + "}").encode()),
    "brackets": (TELL, b"[" * MEBIBYTE),
    "a long number": (TELL, b"1" * MEBIBYTE),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("bodies")
    with served(f"sqlite:///{folder / 'a.db'}") as running:
        running.write.post("/experiments/checkout/ask").raise_for_status()
        running.write.post(OBSERVATIONS, json={"rows": [{}]})
        yield running


@pytest.mark.parametrize("name", BODIES)
def test_the_service_answers_others_while_it_refuses_a_body(name: str, shop: Served) -> None:
    stalls: list[float] = []
    done = Event()

    def look() -> None:
        while not done.is_set():
            start = time.monotonic()
            shop.nobody.get("/health").raise_for_status()
            stalls.append(time.monotonic() - start)

    watcher = Thread(target=look)
    watcher.start()
    path, body = BODIES[name]
    try:
        answer = shop.write.post(path, content=body, headers={"Content-Type": "application/json"})
    finally:
        done.set()
        watcher.join()
    assert 400 <= answer.status_code < 500
    assert len(answer.content) < 10_000
    assert max(stalls) < LARGEST_STALL
