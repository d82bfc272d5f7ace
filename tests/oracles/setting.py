"""The input of an oracle, as plain Python values: nothing here comes from the library."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Setting:
    """A problem. Arm 0 is the observation if `arms[0]` is empty."""

    arms: list[dict[str, str]]  # what each arm sets; {} is the observation
    costs: list[Fraction]
    budget: Fraction  # with a horizon: the number of rounds, and every cost is 1
    teaches: list[bool]  # whether watching tells about the arm
    width: float  # high - low of the reward
    parents: list[list[float]] | None  # P(y | do(a)) by arm and configuration
    parent_cards: list[int]  # numbers of values of the reward's parents
    exploration: float = 2.0
    side_information: bool = True  # whether what watching shows of other arms counts
    cap: bool = True  # whether line 13 of CRM-NB-ALG has its limit
    low: float = 0.0  # the least reward
    is_bounded: bool = True  # whether rewards lie between low and low + width; binary ones do
    block: float = 0.0  # a choice of an arm stands for 1 + block times its samples, in rounds
    keeps_money: bool = False  # whether money may be kept
    share: float = 0.5  # of the budget, for the first phase of gamma-NB-ALG
    per_cost: bool = True  # whether an index is divided by the cost
    design: list[float] | None = None  # eta, for an algorithm that takes it as an input
    factors: tuple[tuple[str, tuple[str, ...]], ...] = ()  # a variable and the variables that name a row of its table
    needed: tuple[tuple[int, ...], ...] = ()  # for every arm the factors of its mean; none if it is learned as a whole
    taught: tuple[tuple[int, ...], ...] = ()  # for every arm the factors that its rounds teach
    values: dict[str, list[str]] | None = None  # of every visible variable
    reward: str = ""  # the name of the reward
    reward_parents: tuple[str, ...] = ()

    def price(self, arm: int) -> float:
        """What an index is divided by: the cost of the arm, or 1."""
        return float(self.costs[arm]) if self.per_cost else 1.0


@dataclass(frozen=True)
class Round:
    """One round of a history."""

    arm: int
    reward: float
    shown: dict[str, str]  # every visible variable
    configuration: int | None  # of the reward's parents, if revealed
