"""The papers that are reproduced. A folder for each says what is run, what is drawn and what the paper claims."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..errors import unknown

if TYPE_CHECKING:
    from ..studies.study import Paper

__all__ = ["PAPERS", "paper_named"]


def __dir__() -> list[str]:
    return __all__


PAPERS = ("nair2021",)  # the modules here that define a PAPER; the first one is the default


def paper_named(name: str) -> Paper:
    """A paper by the name of its module."""
    if not isinstance(name, str) or name not in PAPERS:
        raise unknown("paper called", name, PAPERS)
    paper: Paper = importlib.import_module(f".{name}", __name__).PAPER
    return paper
