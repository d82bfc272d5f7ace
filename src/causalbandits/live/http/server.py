"""Start the service on a socket, and end it on Ctrl-C."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from ...errors import InputError
from ..storage import Storage
from .service import MAX_BODY, service

HOST, PORT = "127.0.0.1", 8000
BACKLOG = 2048  # connections that wait to be accepted; uvicorn's own number
GRACE = 10  # seconds for the requests under way when the service is to end


def serve(
    storage: str | Storage,
    host: str = HOST,
    port: int = PORT,
    max_body: int = MAX_BODY,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C or SIGTERM. `ready` is called with the address once requests are accepted."""
    if max_body < 1:
        raise InputError(f"A body must be allowed at least 1 byte, not {max_body}.")
    place = Storage.of(storage)
    place.prepare()
    app = service(place, max_body)
    with listening(host, port) as listener:
        ready(f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}")
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACE
        )
        with suppress(KeyboardInterrupt):  # raised again once everything has ended: the usual way to stop a service
            uvicorn.Server(config).run(sockets=[listener])


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(host: str, port: int) -> socket.socket:
    """A socket that accepts connections. It names its protocol: only then does asyncio send an answer's body without waiting (40 ms) for an ACK."""
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
        raise InputError(f"{host}:{port} cannot be listened on ({why}); choose another --host or --port.") from None
    return listener
