"""The server's socket and its address."""

from __future__ import annotations

import socket

from causalbandits.live.http.server import is_local, listening


def test_answers_are_sent_without_delay() -> None:
    with listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            # what asyncio looks at before it turns the delay (Nagle's algorithm) off
            assert accepted.proto == socket.IPPROTO_TCP


def test_only_addresses_of_this_machine_are_called_local() -> None:
    assert [
        is_local(host) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost", "0.0.0.0", "::", "192.0.2.1")
    ] == [True] * 4 + [False] * 3
