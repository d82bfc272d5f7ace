"""Papers reproduced, and our own policies compared with theirs: one file each says what is run, drawn and claimed; the others carry out any."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..errors import unknown

if TYPE_CHECKING:
    from ..studies.study import Paper

PAPERS = ("nair2021",)  # the files here that state a PAPER; the first is the one that is meant if none is named
OURS = "ours"  # the file with the comparison, of the same form


def paper_named(name: str) -> Paper:
    """A paper by the name of its file."""
    if name not in (*PAPERS, OURS):
        raise unknown("paper called", name, PAPERS)
    paper: Paper = importlib.import_module("..comparison" if name == OURS else f".{name}", __name__).PAPER
    return paper
