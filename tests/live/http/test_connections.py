"""Connections are cut off if a request does not arrive in time, or if there are too many that send nothing."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Thread
from typing import Any

import uvicorn

from causalbandits.live.http.connections import Connection
from causalbandits.live.http.server import listen

HEAD, BODY, WORK = 0.4, 0.8, 1.5  # seconds
REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


async def _app(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body, works longer than both limits, and answers."""
    await receive()
    await asyncio.sleep(WORK)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def _server(**limits: Any) -> Iterator[Any]:
    with listen("127.0.0.1", 0) as listener, ExitStack() as stack:
        http: Any = partial(Connection, **limits)
        server = uvicorn.Server(uvicorn.Config(_app, http=http, log_level="error", ws="none", lifespan="off"))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield lambda: stack.enter_context(socket.create_connection(listener.getsockname(), timeout=20))
        finally:
            server.should_exit = True
            thread.join()


def _seconds_until_end(connection: socket.socket) -> tuple[float, bytes]:
    """How long the connection lasts, and what it receives until then."""
    start, received = time.monotonic(), b""
    try:
        while part := connection.recv(1000):
            received += part
    except ConnectionResetError:
        pass
    return time.monotonic() - start, received


def _is_answered(connection: socket.socket) -> bool:
    received = b""
    while not received.endswith(b"ok") and (part := connection.recv(1000)):
        received += part
    return received.startswith(b"HTTP/1.1 200") and received.endswith(b"ok")


def test_half_a_head_and_half_a_body_are_cut_off_and_work_is_not() -> None:
    with _server(head=HEAD, body=BODY) as connect:
        half_a_head, half_a_body, whole = connect(), connect(), connect()
        half_a_head.sendall(REQUEST[:-2])
        half_a_body.sendall(REQUEST + b"ab")
        whole.sendall(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + b"abcd")
        seconds, received = _seconds_until_end(half_a_head)
        assert seconds < BODY
        assert received == b""
        assert _seconds_until_end(half_a_body)[1] == b""
        assert _seconds_until_end(whole)[1].endswith(b"ok")


def test_the_next_request_of_a_connection_has_as_little_time() -> None:
    with _server(head=HEAD, body=BODY) as connect:
        connection = connect()
        connection.sendall(REQUEST + b"abcd")
        assert _is_answered(connection)
        connection.sendall(REQUEST[:-2])
        seconds, received = _seconds_until_end(connection)
        assert seconds < 2 * HEAD + 1
        assert received == b""


def test_if_there_are_too_many_the_one_that_waited_longest_for_its_first_request_gives_way() -> None:
    with _server(most=2, head=30.0) as connect:
        busy = connect()
        busy.sendall(REQUEST + b"abcd")
        time.sleep(0.2)
        silent, later = connect(), connect()
        assert _seconds_until_end(silent)[0] < WORK
        later.sendall(REQUEST + b"abcd")
        assert _is_answered(busy)
        assert _is_answered(later)
