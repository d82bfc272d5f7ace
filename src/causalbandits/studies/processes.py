"""Processes to share work among, which are gone when the work is, however it ends."""

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
    """A pool of processes; None for just this one.

    Processes rather than threads, for half of the work (worlds, problems, figures) is Python. Ctrl-C is for this process alone: one that is
    born while the signal is blocked never sees it.
    """
    if number == 1:
        yield None
        return
    others = set(multiprocessing.active_children())
    with _out_of_the_way(signal.SIGINT):  # on its own, for the helper process that this starts unblocks the signal
        pool = ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn"))
    with _out_of_the_way(signal.SIGINT):
        for _ in range(number):
            pool.submit(int)  # a process is born when there is something to do
    try:
        yield pool
    except BrokenProcessPool:
        raise InputError(
            "A process was killed from outside, perhaps for want of memory; run a part at a time (--only)."
        ) from None
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        pool.shutdown()


@contextmanager
def _out_of_the_way(number: signal.Signals) -> Iterator[None]:
    """A signal is held back until this is over, and processes that are born here never see it.

    It is blocked, which a process inherits; and its handler waits, for the signal may come in by another thread of this process.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    handler = signal.signal(number, lambda which, frame: came.append(which))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(number, handler)
    if came:
        signal.raise_signal(number)
