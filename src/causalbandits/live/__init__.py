"""Live experiments: a policy on a journal of real outcomes. Needs the extra `live`."""

from .errors import BudgetExhausted, Conflict, NotFound, NothingYet, PolicyChanged, StorageError
from .experiment import Experiment
from .status import Estimate, Recommendation, Status, Trial
from .storage import Storage

__all__ = [
    "BudgetExhausted",
    "Conflict",
    "Estimate",
    "Experiment",
    "NotFound",
    "NothingYet",
    "PolicyChanged",
    "Recommendation",
    "Status",
    "Storage",
    "StorageError",
    "Trial",
]
