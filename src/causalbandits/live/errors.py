"""What can stop a live experiment, apart from bad input (InputError)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from .status import Recommendation


class NotFound(InputError):
    """There is no such experiment, trial or token."""


class Conflict(InputError):
    """The call contradicts an earlier one: another outcome for the same trial, or a name that is already taken."""


class PolicyChanged(InputError):
    """The policy's source differs from the source that the experiment has used. The user decides what to do."""


class NothingYet(Exception):
    """The policy waits for the outcome of a pending trial. Ask again after `retry_after` seconds."""

    def __init__(self, sentence: str, retry_after: float) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class BudgetExhausted(Exception):
    """Nothing more will be bought. `recommendation` is the answer of the experiment."""

    def __init__(self, sentence: str, recommendation: Recommendation) -> None:
        super().__init__(sentence)
        self.recommendation = recommendation


class StorageError(Exception):
    """The database failed. What was not confirmed was not written."""


class WrongSchema(StorageError):
    """The database has no tables of ours, or those of another version. Repeating the call does not help."""


class Busy(StorageError):
    """Others have been writing for too long. Nothing was written; repeat the call."""
