"""UCB1 (Auer, Cesa-Bianchi & Fischer 2002): the baseline without costs and without side information.

Idea: play the arm whose mean may be the largest. This is F-KUBE with an index that is not divided by the cost.
Costs only decide which arms are affordable. See docs/policies/ucb.md.
"""

from __future__ import annotations

import numpy as np

from .f_kube import FKube, State
from .reference import AUER_2002
from .registry import register


@register
class UCB(FKube):
    """UCB1: the largest upper confidence bound, whatever it costs."""

    kind = "ucb"
    goal = "cumulative regret"
    reference = AUER_2002

    def init(self, view):
        arms = view.arms
        return State(
            untried=arms,
            rounds=0,
            counts=np.zeros(arms, np.int64),
            sums=np.zeros(arms),
            means=np.zeros(arms),
            roots=np.zeros(arms),
            rates=np.ones(arms),
            scratch=np.zeros(arms),
        )
