"""A progress bar for commands that take longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(steps: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar if stderr is a terminal. The function that it gives takes the title of the next step."""
    if not sys.stderr.isatty():
        yield lambda title: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling", total=steps)
        yield lambda title: bar.update(task, advance=1, description=title)
