"""Bodies that are small enough in bytes, and large in structure."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..http.serving import Served, served

MOST_WORK = 0.5  # seconds of a processor; with the limits it is 0.01 to 0.2, without them up to 7
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
    "many values, one of them twice": (
        TELL,
        ("{" + ",".join(f'"{i}":1' for i in range(90_000)) + ',"89999":2}').encode(),
    ),
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
def test_a_body_is_refused_with_little_work(name: str, shop: Served) -> None:
    """Whatever work the refusal takes, the loop does, so that all others wait for it."""
    path, body = BODIES[name]
    start = time.process_time()  # of the client, too, which only sends
    answer = shop.write.post(path, content=body, headers={"Content-Type": "application/json"})
    seconds = time.process_time() - start
    assert 400 <= answer.status_code < 500
    assert len(answer.content) < 10_000
    assert seconds < MOST_WORK
