"""Worlds in which a policy failed once. They stay, so that it does not fail there again. A failure becomes a row."""

from __future__ import annotations

from dataclasses import dataclass, replace

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


@dataclass(frozen=True)
class Growing:
    """A world with two budgets. Between them the exponent of regret may be at most `slope`.

    At each budget at most the share `unlucky` of the runs loses more than 20 times the mean.
    """

    name: str
    smaller: Recipe
    larger: Recipe
    policy: str
    slope: float
    runs: int
    unlucky: float = 0.0


def two_arms(rounds: int) -> Recipe:
    """Two arms with the means 0.9 and 0.8, and nothing watched."""
    return Recipe(base=0.8, gap=0.1, observe=False, times=rounds / 2)


def rare_best(budget: int) -> Recipe:
    """The best arm is rare, P(X1 = 1) = 6 / B. Six fair coins beside it; interventions cost 1.05."""
    return Recipe(causes=7, rare=6 / budget, price=1.05, best_price=1.05, times=budget / (1 + 14 * 1.05))


def rare_always(budget: int) -> Recipe:
    """The same with P(X1 = 1) = 0.0002 at every budget."""
    return replace(rare_best(budget), rare=0.0002)


# the best arm so far had no success yet, so that an arm for 227 looked as good for its price
EXPENSIVE_ARM = Recipe(
    causes=3,
    parents=3,
    base=0.0,
    gap=0.0107,
    falloff=1.0,
    rare=0.000865,
    common=0.0162,
    observe=False,
    price=0.418,
    best_price=227.0,
    times=29.3,
)
# rewards near 0: a radius that assumes a variance of 1/4 is far too wide
SMALL_MEANS = Recipe(
    causes=3, values=4, parents=2, base=0.00132, falloff=0.83, gap=1.0, mediated=True, observe=False, times=65.4
)

RARE_BUDGETS = (3000, 30_000, 300_000)  # of rare_best
RARE_POLICIES = ("causal-kl", "causal-ts", "causal-ucb-learned", "factor-ucb")  # they must not wait for the rare arm
KEPT = (
    Kept("two arms, T = 10^5", two_arms(100_000), "causal-ts", "causal-kl", 3.0, 1000),
    Kept("an arm for 227", EXPENSIVE_ARM, "causal-ts", "kl-ucb", 2.0, 100),
    Kept("small means", SMALL_MEANS, "causal-ucb-learned", "kl-ucb", 2.0, 100),
)
GROWING = (
    *(  # so 1000 runs have a worst one below 20 times the mean with a probability of 95 % and 98 %
        Growing("two arms", two_arms(100_000), two_arms(1_000_000), policy, 0.2, 100_000, unlucky)
        for policy, unlucky in (("causal-ts", 5e-5), ("factor-ucb", 2e-5))
    ),
    *(
        Growing("rare best arm", rare_always(100_000), rare_always(1_000_000), policy, 0.2, 1000)
        for policy in RARE_POLICIES
    ),
)
