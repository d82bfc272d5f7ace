"""A recipe: the numbers that describe a world and a problem of the search. See worlds.py for what they become."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

MOST_CONFIGURATIONS = 4096  # of the reward's parents: more than any policy keeps in a table
MOST_MEDIATED = 3  # parents that act through other variables
MOST_ROUNDS = 1_000_000  # a budget pays for at most this many rounds of the cheapest arm
LEAST_TIMES = 20.0  # a budget below this many times the price of all arms once is reported and not judged
CHANGES = 3  # a mutation changes at most this many numbers
LOWEST_PRICE, HIGHEST_PRICE = 0.001, 1000.0
LEAST_DEVIATION = 0.001  # of a real reward, in its unit: a stated deviation cannot be 0

Rng = np.random.Generator


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Causes X1, X2 ... of a reward Y. The best arm sets X1 to its last value, or to its first one in a mirror image.

    Other numbers may say otherwise.
    """

    causes: int = 1
    values: int = 2  # of each cause
    parents: int = 1  # how many of the causes change the reward
    base: float = 0.5  # the mean reward if all parents have their first value
    gap: float = 0.3  # what the last value of X1 adds to it
    falloff: float = 0.5  # each further parent adds this share of what the one before adds; 1 is a tie
    rare: float = 0.5  # P(X1 = last value)
    common: float = 0.5  # the same for the other causes
    confounded: int = 0  # how many causes depend on U, which also changes the reward: backdoor paths
    tilt: float = 0.0  # how strongly U changes them
    push: float = 0.0  # what U adds to the reward
    hidden: bool = True  # whether U is hidden
    mediated: bool = False  # whether parents act through variables that nobody can set
    slip: float = 0.0  # how often such a variable differs from its cause
    observe: bool = True
    reveal: bool = False  # whether P(parents of the reward | do(arm)) is known
    watch: float = 1.0  # the price of the observation
    price: float = 1.0  # the price of an intervention
    best_price: float = 1.0  # the price of setting X1 to its last value
    times: float = 100.0  # the budget, in prices of all arms once
    reward: Literal["binary", "bounded", "real"] = "binary"
    scale: float = 1.0  # the unit of a bounded or real reward
    noise: float = 0.5  # the deviation of a real reward, in that unit
    mirrored: bool = False  # the mirror image: the first values act as the last ones would; the search does not draw it

    @property
    def prices(self) -> list[float]:
        """The prices of all arms."""
        others = self.causes * self.values - 1 + (2 if self.confounded and not self.hidden else 0)
        return [*([self.watch] if self.observe else []), self.best_price, *[self.price] * others]

    @property
    def rounds(self) -> float:
        """The rounds of the cheapest arm that the budget pays for."""
        return self.times * sum(self.prices) / min(self.prices)

    @property
    def deviation(self) -> float:
        """The standard deviation of a real reward in a log of observations: what a user would state.

        It is the same in the mirror image: all effects change their sign together.
        """
        means, variances = [], []
        for u in (0, 1) if self.confounded else (0,):
            means.append(self.base + self.push * u)
            variances.append(self.noise**2)
            for i in range(self.parents):
                x, p = np.linspace(0, 1, self.values), self._distribution(i, u)
                effect = self.gap * self.falloff**i
                means[-1] += effect * float(p @ x)
                variances[-1] += effect**2 * float(p @ x**2 - (p @ x) ** 2)
        return self.scale * max(math.sqrt(np.mean(variances) + np.var(means)), LEAST_DEVIATION)

    def _distribution(self, cause: int, u: int) -> NDArray[np.float64]:
        """How a parent of the reward is distributed if U has the value u."""
        last = self.rare if cause == 0 else self.common
        if cause < self.confounded:
            last *= 1 + self.tilt if u else 1 - self.tilt
        others = self.values - 1
        p = np.array([(1 - last) / others] * others + [last])
        return (1 - self.slip) * p + self.slip * (1 - p) / others if self.mediated else p

    @property
    def is_judged(self) -> bool:
        """Whether the budget is large enough for a failure to count."""
        return self.times >= LEAST_TIMES

    @property
    def is_playable(self) -> bool:
        """Whether the numbers fit together."""
        backdoor = self.confounded > 0
        return (
            max(self.parents, self.confounded) <= self.causes
            and self.values**self.parents <= MOST_CONFIGURATIONS
            and not (self.mediated and self.parents > MOST_MEDIATED)
            and self.times >= 1
            and self.rounds <= MOST_ROUNDS
            and self.base + (min(self.push, 0) if backdoor else 0) >= 0  # no mean is below 0
            and not (self.reveal and backdoor and self.hidden)  # what is hidden cannot be revealed
        )


def _logarithmic(low: float, high: float) -> Callable[[Rng], float]:
    return lambda rng: _short(math.exp(rng.uniform(math.log(low), math.log(high))))


def _uniform(low: float, high: float) -> Callable[[Rng], float]:
    return lambda rng: _short(rng.uniform(low, high))


def _one_of(*values: Any) -> Callable[[Rng], Any]:
    """One of these values. A function among them draws one."""

    def draw(rng: Rng) -> Any:
        value = values[int(rng.integers(len(values)))]
        return value(rng) if callable(value) else value

    return draw


def _short(number: float) -> float:
    """A number with three digits, which a reader of a problem file can take in."""
    return float(f"{number:.3g}")


_PRICE = _one_of(1.0, 1.0, _uniform(1, 1.2), _logarithmic(0.3, 30), _logarithmic(LOWEST_PRICE, HIGHEST_PRICE))
DRAWS: dict[str, Callable[[Rng], Any]] = {  # how each number is drawn; extreme values are as likely as usual ones
    "causes": _one_of(1, 2, 3, 5, 7, 12),
    "values": _one_of(2, 2, 3, 4),
    "parents": _one_of(1, 1, 1, 2, 2, 3, 3, 12),
    "base": _one_of(0.0, 0.5, _uniform(0, 1), _logarithmic(0.001, 0.1)),
    "gap": _one_of(1.0, _uniform(0, 0.5), _logarithmic(0.001, 0.5)),
    "falloff": _one_of(0.0, 1.0, _uniform(0.5, 1), _uniform(-1, 1)),
    "rare": _one_of(0.5, _logarithmic(1e-5, 0.5), _logarithmic(1e-5, 0.01)),
    "common": _one_of(0.5, 0.5, _logarithmic(1e-3, 0.5)),
    "confounded": _one_of(0, 0, 1, 2),
    "tilt": _one_of(1.0, _uniform(-1, 1)),
    "push": _uniform(-0.5, 0.5),
    "hidden": _one_of(False, True),
    "mediated": _one_of(False, False, True),
    "slip": _one_of(0.0, _logarithmic(0.001, 0.5)),
    "observe": _one_of(False, True, True),
    "reveal": _one_of(False, False, True),
    "watch": _PRICE,
    "price": _PRICE,
    "best_price": _PRICE,
    "times": _one_of(_logarithmic(1, 20), *[_logarithmic(20, 1000)] * 6, _logarithmic(20, MOST_ROUNDS / 2)),
    "reward": _one_of("binary", "binary", "bounded", "real"),
    "scale": _one_of(1.0, _logarithmic(0.001, 1000)),
    "noise": _one_of(0.0, 0.5, _logarithmic(0.001, 10)),
}
LIMITS = {"rare": (1e-6, 0.5), "common": (1e-6, 0.5), "times": (1.0, float(MOST_ROUNDS)), "gap": (0.0, 1.0)}
LIMITS |= {"base": (0.0, 1.0), "falloff": (-1.0, 1.0), "tilt": (-1.0, 1.0), "push": (-1.0, 1.0), "slip": (0.0, 0.5)}
LIMITS |= dict.fromkeys(("watch", "price", "best_price"), (LOWEST_PRICE, HIGHEST_PRICE))
LIMITS |= dict.fromkeys(("scale", "noise"), (0.0001, 10_000.0))


def random_recipe(rng: Rng) -> Recipe:
    """A recipe whose numbers fit together."""
    while True:
        recipe = Recipe(**{name: draw(rng) for name, draw in DRAWS.items()})
        if rng.uniform() < 0.5:  # in half of the worlds all interventions have the same price
            recipe = replace(recipe, best_price=recipe.price)
        if recipe.is_playable:
            return recipe


def mutated(recipe: Recipe, rng: Rng) -> Recipe:
    """A recipe that differs in one to three numbers. A number is drawn anew, or moved a little."""
    while True:
        names = rng.choice(len(DRAWS), size=int(rng.integers(1, CHANGES + 1)), replace=False)
        changes = {name: _changed(recipe, name, rng) for name in (list(DRAWS)[i] for i in sorted(names))}
        other = replace(recipe, **changes)
        if other.is_playable and other != recipe:
            return other


def _changed(recipe: Recipe, name: str, rng: Rng) -> Any:
    value = getattr(recipe, name)
    if not isinstance(value, float) or value == 0 or rng.uniform() < 0.3:
        return DRAWS[name](rng)
    low, high = LIMITS[name]
    return min(max(_short(value * math.exp(rng.normal() * 0.7)), low), high)
