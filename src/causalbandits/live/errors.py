"""What can stand in the way of a live experiment, apart from bad input (InputError)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from .status import Recommendation


class NotFound(InputError):
    """An experiment or a trial that is not there."""


class Conflict(InputError):
    """Something else was said before: another outcome of the trial, another experiment of the name."""


class PolicyChanged(InputError):
    """The policy's source is not the one that the experiment was run with so far; the user decides."""


class NothingYet(Exception):
    """The policy says nothing before a pending trial is told; try again after `retry_after` seconds."""

    def __init__(self, sentence: str, retry_after: float) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class BudgetExhausted(Exception):
    """Nothing more will be bought; `recommendation` is the answer."""

    def __init__(self, sentence: str, recommendation: Recommendation) -> None:
        super().__init__(sentence)
        self.recommendation = recommendation


class StorageError(Exception):
    """The database could not do its work: what was not confirmed was not written."""


class WrongSchema(StorageError):
    """The database has none of our tables, or those of another version; to repeat the call does not help."""
