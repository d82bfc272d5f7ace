"""Random cases for the policies of the registry, and the tallies of a trace counted independently of the library."""

from __future__ import annotations

import numpy as np

import causalbandits as cb
from causalbandits import testing
from causalbandits.testing.cases import Case, Driver, configurations_of

__all__ = ["Case", "Driver", "configurations_of", "random_case"]


def random_case(kind: str, seed: int) -> Case:
    """A random world and problem that the policy accepts; some of its parameters are not the default ones."""
    rng = np.random.default_rng(seed)
    policy = cb.policies.REGISTRY[kind]
    changed = {
        name: value * float(rng.choice([1, 1, 0.5, 4]))
        for name, value in policy().parameters.items()
        if isinstance(value, float)
    }
    return testing.random_case(policy(**changed, name=kind), seed, rng)
