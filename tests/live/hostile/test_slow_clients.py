"""Clients without a token that send slowly, or nothing."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from .attacked import attacked

HALF = b"GET /experiments HTTP/1.1\r\nHost: x\r\nX-Slow: "


def test_300_connections_with_half_a_head_do_not_stop_a_service_that_may_open_256_files(tmp_path: Path) -> None:
    with ExitStack() as stack:
        service = stack.enter_context(attacked(tmp_path, f"sqlite:///{tmp_path / 'a.db'}"))
        service.client.post("/experiments/checkout/ask", json={"request_id": "a"})  # now everything is compiled
        for _ in range(300):
            connection = stack.enter_context(socket.create_connection((service.host, service.port), timeout=5))
            with suppress(OSError):  # it may be cut off already
                connection.sendall(HALF)
        for _ in range(5):
            start = time.monotonic()
            assert service.client.get("/health").json() == {"status": "ok"}
            assert service.client.post("/experiments/checkout/ask", json={"request_id": "a"}).status_code == 200
            assert time.monotonic() - start < 3
        assert service.log.stat().st_size < 100_000
