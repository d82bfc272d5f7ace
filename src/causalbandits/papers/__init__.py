"""Papers reproduced: one file each says what is run, drawn and claimed; run, draw and report carry out any of them."""

from __future__ import annotations

import importlib
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, unknown

if TYPE_CHECKING:
    from .run import Reproduction
    from .study import Data, Paper, Part

PAPERS = ("nair2021",)  # modules here that state a PAPER


def paper_named(name: str) -> Paper:
    """A paper by the name of its file."""
    if name not in PAPERS:
        raise unknown("paper called", name, PAPERS)
    paper: Paper = importlib.import_module(f".{name}", __name__).PAPER
    return paper


def write_report(
    paper: Paper,
    out: Path,
    *,
    runs: int | None = None,
    seed: int = 1,
    workers: int = 1,
    command: str = "",
    advance: Callable[[str], None] = lambda title: None,
) -> Reproduction:
    """Reproduce a paper and write the report, in several processes if wanted. Nothing is written before everything is done."""
    from .draw import charts
    from .report import check_extras, check_folder, draw, publish, report_files
    from .run import reproduce

    check_extras()
    check_folder(out)
    with processes(workers if paper.id in PAPERS else 1) as pool:
        drawn: list[Callable[[], Mapping[str, bytes]]] = []

        def finished(part: Part, data: Data) -> None:
            for figure in part.figures:
                task = (figure.id, charts(figure, data))
                drawn.append(pool.submit(draw, *task).result if pool else partial(draw, *task))

        done = reproduce(paper, runs=runs, seed=seed, pool=pool, advance=advance, finished=finished)
        figures = {name: content for result in drawn for name, content in result().items()}
    publish(report_files(done, figures, command), out)
    return done


@contextmanager
def processes(number: int) -> Iterator[Executor | None]:
    """A pool of processes that are gone when it is left, however it is left; None for just this one.

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
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()


__all__: Sequence[str] = ("PAPERS", "paper_named", "write_report")
