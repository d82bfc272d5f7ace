"""Factors: the conditional distributions that the mean of an arm is made of, and the rounds that teach them.

docs/theory/factors.md has the theory (after Tian & Pearl 2002).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .districts import district
from .projection import Projection


@dataclass(frozen=True)
class Factor:
    """P(variable | given, parents), where `given` and the variable are connected by hidden causes.

    In Tian's notation, with S = `given` and H = S and the variable:
        Q[H] / Q[S]
    """

    variable: str
    given: tuple[str, ...]  # S: earlier variables, causes first
    parents: tuple[str, ...]  # the visible parents of all variables in H that are not in H themselves

    @property
    def members(self) -> frozenset[str]:
        """H: the variable and those in `given`."""
        return frozenset((*self.given, self.variable))

    @property
    def conditions(self) -> tuple[str, ...]:
        """The variables whose values name a row of the factor."""
        return (*self.given, *self.parents)

    @property
    def variables(self) -> tuple[str, ...]:
        """The conditions and the variable itself."""
        return (*self.conditions, self.variable)

    def __str__(self) -> str:
        return f"P({self.variable} | {', '.join(self.conditions)})" if self.conditions else f"P({self.variable})"


def factors_of(projection: Projection, reward: str, cut: Collection[str]) -> tuple[Factor, ...]:
    """The factors that an arm needs which sets the variables in `cut`. Their product over all values is its mean.

    With D the ancestors of the reward in the graph without X = `cut`:
        P(y | do(x)) = sum over D without y of the product of the factors, where X has the values x
    The reward's own factor is the last one.
    """
    found = []
    earlier: set[str] = set()  # the variables of D up to the present one
    for name in projection.sorted(projection.ancestors([reward], cut)):
        earlier.add(name)
        found.append(_factor(projection, name, district(projection, name, earlier)))
    return tuple(found)


def _factor(projection: Projection, name: str, members: frozenset[str]) -> Factor:
    """The factor of a variable, given the other members of its district."""
    parents = {cause for member in members for cause in projection.parents_of[member]}
    return Factor(name, projection.sorted(members - {name}), projection.sorted(parents - members))


def teaches(projection: Projection, cut: Collection[str], factor: Factor) -> bool:
    """Whether a round that sets the variables in `cut` is a sample of the factor, in the row that the round shows."""
    return factor.members.isdisjoint(cut) and not strangers(projection, cut, factor)


def strangers(projection: Projection, cut: Collection[str], factor: Factor) -> frozenset[str]:
    """The variables outside the factor that confound it in a round which sets the variables in `cut`."""
    causes = projection.ancestors(factor.members, cut)  # none of them comes after the factor's variable
    return district(projection, factor.variable, causes) - factor.members
