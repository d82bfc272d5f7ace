"""A pool of worker processes that always ends with its work, also after an error or Ctrl-C."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from ..errors import InputError


@contextmanager
def processes(number: int) -> Iterator[Executor | None]:
    """A pool of processes, or None if the number is 1.

    These are processes and not threads, because half of the work (worlds, problems, figures) is Python. Only the main
    process handles Ctrl-C: a process that starts while the signal is blocked never receives it.
    """
    if number == 1:
        yield None
        return
    others = set(multiprocessing.active_children())
    with _signal_held_back(signal.SIGINT):  # a block of its own, because the helper process unblocks the signal
        pool = ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn"))
    with _signal_held_back(signal.SIGINT):
        for _ in range(number):
            pool.submit(int)  # a process starts when there is something to do
    try:
        yield pool
    except BrokenProcessPool:
        raise InputError(
            "A process was killed from outside, perhaps because memory ran out; run a part at a time (--only)."
        ) from None
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        pool.shutdown()


@contextmanager
def _signal_held_back(number: signal.Signals) -> Iterator[None]:
    """Hold a signal back until the end. Processes that start meanwhile never receive it.

    The signal is blocked, and a new process inherits that. The handler is replaced as well, because the signal may
    arrive through another thread of this process.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    received: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    handler = signal.signal(number, lambda which, frame: received.append(which))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(number, handler)
    if received:
        signal.raise_signal(number)
