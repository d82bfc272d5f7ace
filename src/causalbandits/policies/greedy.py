"""Greedy, a baseline of this library for C-UCB-2: always the arm with the best estimate.

Idea: C-UCB without its radius. P(y | do(a)) is known. There is no round robin and no exploration.
Symbols: means mu_hat_y, 0 while the configuration y of the reward's parents was never seen.
See docs/policies/greedy.md.
"""

from __future__ import annotations

from .c_ucb import CUCB
from .maths.configurations import best_mixture
from .reference import LIBRARY
from .registry import register


@register
class Greedy(CUCB):
    """Greedy: always the best estimate, without exploration."""

    kind = "greedy"
    goal = "baseline for C-UCB-2"
    reference = LIBRARY
    paper = "a baseline of this library"

    def ask(self, view, state, pending, left, rng):
        arm = best_mixture(view, state.means, left, state.scratch, rng)
        return max(arm, 0), (1 if arm >= 0 else 0)
