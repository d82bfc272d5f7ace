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
    born while it is ignored ignores it.
    """
    if number == 1:
        yield None
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(number, mp_context=multiprocessing.get_context("spawn"))
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    for _ in range(number):
        pool.submit(int)  # a process is born when there is something to do
    if main:
        signal.signal(signal.SIGINT, before)
    try:
        yield pool
    except BrokenProcessPool:
        raise InputError("A process was killed from outside, perhaps for want of memory; run a part at a time (--only).") from None
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        pool.shutdown()
