"""Connections that nobody can hold open: limits on their number, and on how long a request may take to arrive."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 1000
SPARE_FILES = 64  # files of the process that are not connections: the database, logs, modules
HEAD = 10.0  # seconds in which the head of a request must arrive
BODY = 60.0  # seconds in which its body must arrive


class Connection(H11Protocol):
    """A connection that is cut off if the head or the body of a request takes too long.

    If there are too many, the one that has waited longest for its first request gives way.
    """

    def __init__(self, *options: Any, most: int = MOST, head: float = HEAD, body: float = BODY, **more: Any) -> None:
        super().__init__(*options, **more)
        self.most, self.head, self.body = most, head, body
        self.since = self.loop.time()
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect(self.head)
        if len(self.connections) > self.most:
            silent = [other for other in self.connections if isinstance(other, Connection) and other.cycle is None]
            min(silent, key=lambda other: other.since).cut_off()  # perhaps this one

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:  # the head of a request is there
            self._expect(self.body)
        if self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body:
            self._expect(None)

    def on_response_complete(self) -> None:
        self._expect(self.head)  # of the next request; uvicorn itself closes a connection that sends nothing
        super().on_response_complete()

    def cut_off(self) -> None:
        """Close the connection at once."""
        self.transport.abort()

    def _expect(self, seconds: float | None) -> None:
        """Cut off after so many seconds, or never."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.cut_off)


def most_connections() -> int:
    """The connections for which the files that this process may open are enough."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(min(MOST, files - SPARE_FILES), 1)
