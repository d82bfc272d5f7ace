"""Greedy: our baseline for C-UCB-2. From round 1 the arm with the best estimate, P(y | do(a)) known; no round robin, no radius.

Symbols: means mu_hat_y, 0 while configuration y was never seen. Costs only decide which arms are affordable; many values or several
variables per arm are all in P(y | do(a)); the reward's range does not matter, and pending rounds neither. So it is C-UCB without its radius.
"""

from __future__ import annotations

from .c_ucb import CUCB
from .maths.configurations import best_mixture
from .reference import LIBRARY
from .registry import register


@register
class Greedy(CUCB):
    """Greedy: the best estimate at once, no exploration."""

    kind = "greedy"
    goal = "baseline for C-UCB-2"
    reference = LIBRARY
    paper = "a baseline of this library"

    def ask(self, view, state, pending, left, rng):
        arm = best_mixture(view, state.means, left, state.scratch, rng)
        return max(arm, 0), (1 if arm >= 0 else 0)
