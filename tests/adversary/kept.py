"""Worlds in which a policy failed once. They stay, so that it does not fail there again. A failure becomes a row."""

from __future__ import annotations

from dataclasses import dataclass

from causalbandits.adversary.recipe import Recipe


@dataclass(frozen=True)
class Kept:
    """A world, and the most that a policy may lose there: so many times what the rival loses."""

    name: str
    recipe: Recipe
    policy: str
    rival: str
    factor: float
    runs: int
    fails: str = ""  # why it fails today; empty once it is fixed


def two_arms(rounds: int) -> Recipe:
    """Two arms with the means 0.9 and 0.8, and nothing watched."""
    return Recipe(base=0.8, gap=0.1, observe=False, times=rounds / 2)


def rare_best(budget: int) -> Recipe:
    """The best arm is rare, P(X1 = 1) = 6 / B. Six fair coins beside it; interventions cost 1.05."""
    return Recipe(causes=7, rare=6 / budget, price=1.05, best_price=1.05, times=budget / (1 + 14 * 1.05))


KEPT = (
    Kept("two arms, T = 10^5", two_arms(100_000), "causal-ts", "causal-kl", 3.0, 1000),
    *(
        Kept(f"rare best arm, B = {budget:,}", rare_best(budget), policy, "crm-nb", 1.5, 400)
        for budget in (3000, 30_000)
        for policy in ("causal-kl", "causal-ts", "causal-ucb-learned")
    ),
)
