"""Counts per factor: every round, watched or acted, counts for all factors that it teaches (docs/theory/factors.md).

Observations are also counted for every arm whose assignment they showed, as in arms.py. An arm that needs a factor
whose table is too large, or whose mean takes too much work, is learned as a whole, from these and its own rounds alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.bridge.cache import shared
from ...engine.bridge.record import record
from ...identify.factors import Factor, teaches
from ...identify.projection import project
from ...intervention import Intervention
from ...problem import Problem
from ..maths.circuit import products_of
from .arms import holds
from .base import Columns

MOST_ROWS = 2048  # of the table of a factor: 25 arms then take about a millisecond for each choice
# Products for the mean of an arm, and of all arms together. The means take 0.1 ms and 10 ms; with gradients 0.5 and 50.
MOST_PRODUCTS = 100_000
MOST_IN_ALL = 10_000_000


@dataclass(frozen=True, eq=False)
class FactorTables:
    """The tables of the factors of a problem, one behind the other. A cell is (factor, row, value of the variable).

    The row is the number of the values of the factor's conditions, the last condition changing fastest. A binary
    reward has the values 0 and 1 (success). Another reward has one cell in each row, and these cells come last.
    """

    factors: tuple[Factor, ...]  # those that are counted
    rows: tuple[int, ...]  # of the table of each
    cards: tuple[int, ...]  # cells in each row
    offsets: tuple[int, ...]  # the first cell of each
    cells: int
    sums_from: int  # the first cell of a reward that is not binary; `cells` if the reward is binary
    needed: tuple[tuple[int, ...], ...]  # for every arm its factors, the reward's last; empty if learned as a whole
    taught: tuple[tuple[int, ...], ...]  # for every arm the factors that its rounds teach
    whole: NDArray[np.bool_]  # (arms,) whether the arm is learned as a whole: a table or the work would be too large
    uses_parents: bool = (
        False  # whether P(parents of the reward | do(a)) is known, so that arms need the last factor only
    )

    @cached_property
    def row_start(self) -> NDArray[np.int64]:
        """The first cell of every row of every table, and the number of cells."""
        sizes = [card for card, rows in zip(self.cards, self.rows, strict=True) for _ in range(rows)]
        return np.cumsum([0, *sizes], dtype=np.int64)


@lru_cache(maxsize=64)
def factor_tables(problem: Problem) -> FactorTables:
    """The tables of a problem's factors: only those that some arm needs which is not learned as a whole."""
    teaching = problem.teaching()
    graph, reward = problem.graph, problem.reward

    def rows_of(factor: Factor) -> int:
        return math.prod(len(graph[name].values) for name in factor.conditions)

    def fits(factor: Factor) -> bool:
        is_named = factor.variable == reward.variable or bool(graph[factor.variable].values)
        return is_named and 0 < rows_of(factor) <= MOST_ROWS

    @cache
    def is_whole(names: tuple[str, ...], needed: tuple[int, ...]) -> bool:
        """Whether arms that set these variables are learned as a whole."""
        factors = [teaching.factors[i] for i in needed]
        if not all(map(fits, factors)):
            return True
        fixed = {*names, reward.variable}
        axes = [tuple(name for name in factor.variables if name not in fixed) for factor in factors]
        sizes = {name: len(graph[name].values) for part in axes for name in part}
        return products_of(axes, sizes) > min(MOST_PRODUCTS, MOST_IN_ALL // len(problem.arms))

    needs = teaching.needed
    whole = [is_whole(tuple(arm), needed) for arm, needed in zip(problem.arms, needs, strict=True)]
    uses_parents = problem.parents is not None and fits(teaching.factors[needs[0][-1]])
    if uses_parents:  # P(parents | do(a)) is known, so all that is left to learn is the reward's own factor
        needs, whole = tuple(needed[-1:] for needed in needs), [False] * len(needs)
    counted = {i for a, needed in enumerate(needs) if not whole[a] for i in needed}
    # the reward's own factors come last
    ordered = sorted(counted, key=lambda i: (teaching.factors[i].variable == reward.variable, i))
    number = {i: n for n, i in enumerate(ordered)}
    factors = tuple(teaching.factors[i] for i in ordered)
    own = 2 if reward.kind == "binary" else 1
    cards = tuple(own if f.variable == reward.variable else len(graph[f.variable].values) for f in factors)
    rows = tuple(map(rows_of, factors))
    *offsets, cells = accumulate((row * card for row, card in zip(rows, cards, strict=True)), initial=0)
    of_others = sum(factor.variable != reward.variable for factor in factors)
    return FactorTables(
        factors=factors,
        rows=rows,
        cards=cards,
        offsets=tuple(offsets),
        cells=cells,
        sums_from=cells if reward.kind == "binary" else [*offsets, cells][of_others],
        needed=tuple(() if whole[a] else tuple(number[i] for i in needed) for a, needed in enumerate(needs)),
        taught=tuple(tuple(sorted(number[i] for i in taught if i in number)) for taught in teaching.taught),
        whole=np.array(whole),
        uses_parents=uses_parents,
    )


@record
class FactorsTally:
    """What a block of rounds of one arm showed. Every arm fills the cells, only the observation `shown`."""

    rounds: int
    reward: float  # the sum
    counts: NDArray[np.int64]  # (cells,) rounds
    sums: NDArray[np.float64]  # (cells of a reward that is not binary,) the sum of rewards
    squares: NDArray[np.float64]  # the same for the sum of their squares
    shown: NDArray[np.int64]  # (arms,) observations that showed what the arm sets, where they teach it; all for arm 0
    shown_reward: NDArray[np.float64]  # (arms,) the sum of rewards in these rounds


class FactorsLayout(NamedTuple):
    """Where the cells of a round are, and the fields of `ArmsLayout`. Lists of lists are kept as `*_start` offsets."""

    observes: bool
    is_binary: bool  # whether the reward is binary
    sums_from: int  # as in `FactorTables`
    taught_start: NDArray[np.int64]  # (arms + 1,)
    taught: NDArray[np.int64]  # the factors that a round of the arm teaches
    variable: NDArray[np.int64]  # (factors,) the place of the variable, or -1 for the reward
    card: NDArray[np.int64]  # (factors,) cells in each row
    offset: NDArray[np.int64]  # (factors,) the first cell
    condition_start: NDArray[np.int64]  # (factors + 1,)
    condition: NDArray[np.int64]  # the places of the conditions
    size: NDArray[np.int64]  # how many values that condition has
    stride: NDArray[np.int64]  # how many cells further the next value of that condition is
    arms: NDArray[np.int64]  # the arms that observations are counted for, the observation included
    start: NDArray[np.int64]  # (those arms + 1,)
    place: NDArray[np.int64]  # of the variables that these arms set
    value: NDArray[np.int64]  # the number of the value that each is set to


class Factors(Columns):
    """Counts every round for all factors that it teaches."""

    name = "factors"
    in_bulk = True
    counts_arms = True
    counts_factors = True
    may_leave_out = True
    takes_others = True

    def needs(self, problem: Problem, arm: int) -> tuple[str, ...]:
        tables = factor_tables(problem)
        names = [name for f in tables.taught[arm] for name in tables.factors[f].variables]
        if arm == 0 and problem.observes:
            names += [name for a in np.flatnonzero(self.watched(problem)) for name in problem.arms[a]]
        return tuple(name for name in dict.fromkeys(names) if name != problem.reward.variable)

    def tally(self, problem: Problem) -> FactorsTally:
        tables, arms = factor_tables(problem), len(problem.arms)
        own = tables.cells - tables.sums_from
        counts = np.zeros(tables.cells, np.int64)
        return FactorsTally(0, 0.0, counts, np.zeros(own), np.zeros(own), np.zeros(arms, np.int64), np.zeros(arms))

    def layout(self, problem: Problem, position: Mapping[str, int]) -> FactorsLayout:
        return self._layout(problem, position, factor_tables(problem).taught)

    def layout_of_other(
        self, problem: Problem, position: Mapping[str, int], intervention: Intervention
    ) -> FactorsLayout:
        projection = project(problem.graph)
        factors = factor_tables(problem).factors
        taught = tuple(i for i, factor in enumerate(factors) if teaches(projection, tuple(intervention), factor))
        return self._layout(problem, position, (taught,))._replace(observes=False)

    def _layout(self, problem: Problem, position: Mapping[str, int], taught: Sequence[Sequence[int]]) -> FactorsLayout:
        tables, graph = factor_tables(problem), problem.graph
        sizes = [[len(graph[name].values) for name in factor.conditions] for factor in tables.factors]
        strides = [
            [card * math.prod(listed[i + 1 :]) for i in range(len(listed))]
            for card, listed in zip(tables.cards, sizes, strict=True)
        ]
        arms = [int(a) for a in np.flatnonzero(self.watched(problem))]
        sets = [[(position[name], graph[name].index(value)) for name, value in problem.arms[a].items()] for a in arms]
        return FactorsLayout(
            observes=problem.observes,
            is_binary=problem.reward.kind == "binary",
            sums_from=tables.sums_from,
            taught_start=_starts(taught),
            taught=_flat(taught),
            variable=_ints([_place(problem, position, factor.variable) for factor in tables.factors]),
            card=_ints(tables.cards),
            offset=_ints(tables.offsets),
            condition_start=_starts(sizes),
            condition=_ints([position[name] for factor in tables.factors for name in factor.conditions]),
            size=_flat(sizes),
            stride=_flat(strides),
            arms=_ints(arms),
            start=_starts(sets),
            place=_ints([place for pairs in sets for place, _ in pairs]),
            value=_ints([value for pairs in sets for _, value in pairs]),
        )

    def watched(self, problem: Problem) -> NDArray[np.bool_]:
        return problem.teaches

    def tabled(self, problem: Problem) -> tuple[str, ...]:
        factors = factor_tables(problem).factors
        return tuple(dict.fromkeys(name for factor in factors for name in factor.variables))

    def most_rows(self, problem: Problem) -> int:
        return max(factor_tables(problem).rows, default=1)

    @staticmethod
    def clear(tally: Any) -> None:
        for i in range(tally.counts.size):
            tally.counts[i] = 0
        for i in range(tally.sums.size):
            tally.sums[i] = 0.0
            tally.squares[i] = 0.0
        for a in range(tally.shown.size):
            tally.shown[a] = 0
            tally.shown_reward[a] = 0.0

    @staticmethod
    def add(layout: Any, tally: Any, arm: Any, values: Any, reward: Any) -> None:
        for i in range(layout.taught_start[arm], layout.taught_start[arm + 1]):
            cell = cell_of(layout, layout.taught[i], values, reward)
            if cell >= 0:
                tally.counts[cell] += 1
                if cell >= layout.sums_from:
                    tally.sums[cell - layout.sums_from] += reward
                    tally.squares[cell - layout.sums_from] += reward * reward
        if arm == 0 and layout.observes:
            for i in range(len(layout.arms)):
                if holds(layout, i, values):
                    tally.shown[layout.arms[i]] += 1
                    tally.shown_reward[layout.arms[i]] += reward


@shared
def cell_of(layout, factor, values, reward):
    """The cell of a factor that a round belongs to, or -1 if the round leaves out one of its variables."""
    place = layout.variable[factor]
    value = values[place] if place >= 0 else (1 if layout.is_binary and reward > 0.5 else 0)
    is_shown = value >= 0
    cell = layout.offset[factor] + value
    for j in range(layout.condition_start[factor], layout.condition_start[factor + 1]):
        condition = values[layout.condition[j]]
        is_shown = is_shown and condition >= 0
        cell += condition * layout.stride[j]
    return cell if is_shown else -1


def _place(problem: Problem, position: Mapping[str, int], name: str) -> int:
    return -1 if name == problem.reward.variable else position[name]


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _flat(lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return _ints([item for part in lists for item in part])


def _starts(lists: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


FACTORS = Factors()
