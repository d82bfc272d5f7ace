"""A progress bar for work that takes long: on a terminal, or in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..display.html import Html, element, join
from ..display.notebook import in_notebook, replace, show

PATIENCE = 0.5  # seconds after which a notebook shows the bar: quick work needs none
PAUSE = 0.1  # seconds between two changes of the bar in a notebook


@contextmanager
def progress_bar(wanted: bool | None, total: int, what: str = "simulating") -> Iterator[Callable[[int], None]]:
    """A progress bar. By default only on a terminal (on standard error) and in a notebook (without widgets)."""
    if wanted is not False and in_notebook():
        bar = NotebookBar(total, what)
        try:
            yield bar.advance
        finally:
            bar.close()
        return
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as terminal:
        task = terminal.add_task(what, total=total)
        yield lambda done: terminal.advance(task, done)


class NotebookBar:
    """A progress bar as HTML that changes in place. It disappears at the end."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what = total, what
        self._done = 0
        self._changed = time.monotonic() + PATIENCE - PAUSE
        self._shown: Any = None

    def advance(self, done: int) -> None:
        """Count some work as done."""
        self._done += done
        if time.monotonic() - self._changed < PAUSE:
            return
        self._changed = time.monotonic()
        text = f"{self._what}: {self._done / max(self._total, 1):.0%}"
        bar = element("progress", "", {"value": str(self._done), "max": str(self._total)})
        if self._shown is None:
            self._shown = show(join([bar, f" {text}"]), text)
        else:
            replace(self._shown, join([bar, f" {text}"]), text)

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            replace(self._shown, Html(""), "")
