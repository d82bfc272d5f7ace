"""What a policy reads of a block of rounds: one file per kind of tally.

A tally has the number of rounds and the sum of their rewards. Each kind adds columns of counts.
A policy names the kind that it reads. Only this kind is counted for it, in simulations and live.
"""

from .arms import ARMS
from .base import NO_ARM, Columns, columns_named
from .both import BOTH
from .factors import FACTORS
from .parents import PARENTS
from .rewards import REWARDS

__all__ = ["ARMS", "BOTH", "FACTORS", "NO_ARM", "PARENTS", "REWARDS", "Columns", "columns_named"]
