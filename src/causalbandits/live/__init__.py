"""Live experiments: a policy that learns from a journal of real outcomes. Needs the extra `live`."""

from .errors import BudgetExhausted, Conflict, NotFound, NothingYet, PolicyChanged, StorageError
from .experiment import Experiment
from .status import ArmEstimate, Recommendation, Status, Trial
from .storage import Storage

__all__ = [
    "ArmEstimate",
    "BudgetExhausted",
    "Conflict",
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
