"""Papers reproduced: one file each says what is run, drawn and claimed; run, draw and report carry out any of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import unknown

if TYPE_CHECKING:
    from .run import Reproduction
    from .study import Paper

PAPERS = ("nair2021",)  # modules here that state a PAPER


def paper_named(name: str) -> Paper:
    """A paper by the name of its file."""
    if name not in PAPERS:
        raise unknown("paper called", name, PAPERS)
    paper: Paper = importlib.import_module(f".{name}", __name__).PAPER
    return paper


def write_report(
    paper: Paper, out: Path, *, runs: int | None = None, seed: int = 1, command: str = "", advance: Callable[[str], None] = lambda title: None
) -> Reproduction:
    """Reproduce a paper and write the report. Nothing is written before everything is done; figures are drawn while the next part runs."""
    from .report import check_extras, check_folder, figure_files, publish, report_files
    from .run import reproduce

    check_extras()
    check_folder(out)
    with ThreadPoolExecutor(1) as artist:
        drawn = []
        try:
            done = reproduce(
                paper, runs=runs, seed=seed, advance=advance,
                finished=lambda part, data: drawn.extend(artist.submit(figure_files, figure, data) for figure in part.figures),
            )  # fmt: skip
            figures = {name: content for future in drawn for name, content in future.result().items()}
        except BaseException:
            artist.shutdown(cancel_futures=True)
            raise
    publish(report_files(done, figures, command), out)
    return done


__all__: Sequence[str] = ("PAPERS", "paper_named", "write_report")
