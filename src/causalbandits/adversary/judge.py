"""Judge a policy beside a rival: in the world, and in its mirror image.

Before the first round nobody can tell a world from its mirror image. So a rival that really knows better does well in
both. One that prefers the cheap arm, or the arm that is seldom shown, wins in one of them only. See docs/stress.md.
"""

from __future__ import annotations

from typing import NamedTuple

from ..problem import Objective

LIMITS: dict[Objective, float] = {"earn": 0.05, "find": 0.03}  # a larger loss is a failure ...
FACTOR = 3.0  # ... if it is also more than this many times the loss of the best other policy
LEAST_LOSS = 1e-9  # a rival that loses less counts as if it lost this much: nothing is divided by 0


class Losses(NamedTuple):
    """The mean losses of one policy."""

    world: float
    mirror: float  # in the mirror image

    @property
    def average(self) -> float:
        return (self.world + self.mirror) / 2


def severity(policy: Losses, rival: Losses, limit: float) -> float:
    """More than 1 exactly if the policy fails beside this rival, in one of two ways.

    In the world it passes both limits, also beside what the rival loses in the mirror image; or the averages over both
    images pass them.
    """
    in_the_world = _severity(policy.world, max(rival), limit)
    return max(in_the_world, _severity(policy.average, rival.average, limit))


def _severity(loss: float, rival_loss: float, limit: float) -> float:
    return min(loss / limit, loss / (FACTOR * max(rival_loss, LEAST_LOSS)))
