"""Run the service on a socket until Ctrl-C."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import uvicorn

from ...errors import InputError
from ..storage import Storage
from .connections import Connection, most_connections
from .service import MAX_BODY, service

HOST, PORT = "127.0.0.1", 8000
BACKLOG = 2048  # connections that wait to be accepted; uvicorn's own default
AT_ONCE = 16  # connections that are accepted before their number is looked at
PATIENCE = 5.0  # seconds to wait for another process's transaction; then the client is told to come again
GRACE = 10  # seconds that open requests get when the service ends


def serve(
    storage: str | Storage,
    host: str = HOST,
    port: int = PORT,
    max_body: int = MAX_BODY,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C or SIGTERM. Once requests are accepted, `ready` is called with the address."""
    if max_body < 1:
        raise InputError(f"--max-body must be at least 1 byte, not {max_body}.")
    database = Storage(storage, PATIENCE) if isinstance(storage, str) else storage
    database.prepare()
    app = service(database, max_body)
    with listen(host, port) as listener:
        ready(f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}")
        config = uvicorn.Config(
            app,
            http=partial(Connection, most=most_connections()),  # type: ignore[arg-type]
            backlog=AT_ONCE,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
        with suppress(KeyboardInterrupt):  # uvicorn raises it again after a clean end
            _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that accepts few connections at once, although many may wait.

    asyncio takes one number for both. With a large one it runs out of files, and fills the log, before it looks.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(BACKLOG)


def is_local(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that accepts connections.

    It names its protocol (TCP), because only then does asyncio send the body of an answer without waiting 40 ms.
    """
    if not 0 <= port < 2**16:
        raise InputError(f"A port is a number between 0 and {2**16 - 1}, not {port}; 0 takes a free one.")
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
        raise InputError(f"Cannot listen on {host}:{port} ({why}); choose another --host or --port.") from None
    return listener
