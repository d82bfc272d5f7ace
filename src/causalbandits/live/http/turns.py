"""Whose turn it is to write: one request per experiment at a time, in the order in which they came.

A request that waits holds no thread. So health checks, readers and other experiments go on, however long a writer
waits for the database. Few may wait, and not for long; the others are told to come again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from ..errors import Busy

T = TypeVar("T")
MOST_WAITING = 50  # requests for one experiment
LONGEST = 10.0  # seconds that a request waits for its turn
THREADS = 16  # that write; the threads of readers and of health checks are others


@dataclass
class Queue:
    """The requests of one experiment that write or wait."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    requests: int = 0


class Turns:
    """The queues of all experiments that are being written."""

    def __init__(self, waiting: int = MOST_WAITING, seconds: float = LONGEST) -> None:
        self._waiting, self._seconds = waiting, seconds
        self._queues: dict[str, Queue] = {}
        self._threads = ThreadPoolExecutor(THREADS, "writer")

    async def write(self, name: str, work: Callable[[], T]) -> T:
        """Do some work for an experiment in a thread, when it is its turn."""
        with self._queue(name) as queue:
            try:
                async with asyncio.timeout(self._seconds):
                    await queue.turn.acquire()
            except TimeoutError:
                raise Busy(f"{name!r} was busy for {self._seconds:g} seconds; repeat the request.") from None
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, work)
            finally:
                queue.turn.release()

    @contextmanager
    def _queue(self, name: str) -> Iterator[Queue]:
        """The queue of an experiment, with one request more in it."""
        queue = self._queues.setdefault(name, Queue())
        if queue.requests > self._waiting:
            raise Busy(f"{self._waiting} requests wait for {name!r} already; repeat the request later.")
        queue.requests += 1
        try:
            yield queue
        finally:
            queue.requests -= 1
            if queue.requests == 0:
                del self._queues[name]
