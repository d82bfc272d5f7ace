"""Random worlds with backdoor paths and hidden variables, in which nothing is revealed: one of our policies against
the other policies of this library and the paper.

The worlds have 8 variables. No policy was tuned on their seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from .. import worlds
from ..policies.contract import Policy
from ..problem import Problem
from ..studies.claims import Claim, Every, NotShown
from ..studies.contrasts import Curve, NotMuchWorse, OnAverage
from ..studies.formatting import short
from ..studies.pooled import Pooled
from ..studies.study import Axis, Data, Figure, Measure, Panel, Study
from ..world import World

VARIABLES = 8
HIDDEN = {0: "nothing hidden", 1: "1 variable hidden", 2: "2 variables hidden"}
NUMBERS = range(1, 101)
AXIS = Axis("world", "random worlds")
FACTOR, SLACK = 1.5, 0.01  # how much worse than the best of the others our policy may be in any world


@dataclass(frozen=True)
class Cell:
    """What an intervention costs, and the money. An observation costs 1."""

    cost: int
    budget: int

    @property
    def id(self) -> str:
        return f"{self.cost}-{self.budget}"

    @property
    def name(self) -> str:
        return f"cost {self.cost}, budget {self.budget:,}"


CELLS = [Cell(cost, budget) for cost in (1, 3) for budget in (300, 3000)]
DRAWN = CELLS[:2]  # where an intervention costs 3, most policies lose next to nothing in most worlds


@cache
def world_of(hidden: int, number: int) -> World:
    """A random world. The same numbers always give the same world."""
    rng = np.random.default_rng([1616, hidden, number])
    return worlds.random_world(rng, variables=VARIABLES, hidden=hidden, backdoors=True)


@cache
def with_visible_parents(hidden: int) -> tuple[int, ...]:
    """The numbers of the worlds in which all parents of the reward are visible."""

    def is_visible(number: int) -> bool:
        graph = world_of(hidden, number).graph
        return not any(graph[parent].hidden for parent in graph["Y"].parents)

    return tuple(number for number in NUMBERS if is_visible(number))


@dataclass(frozen=True)
class VisibleParents(Sequence[float]):
    """The numbers of these worlds, found when they are needed: importing this file makes no world."""

    hidden: int

    def __len__(self) -> int:
        return len(with_visible_parents(self.hidden))

    def __getitem__(self, i):  # type: ignore[no-untyped-def]
        return with_visible_parents(self.hidden)[i]


def setting(hidden: int, cell: Cell, reveal_parents: bool = False) -> Callable[[float], tuple[World, Problem]]:
    def problem(number: float) -> tuple[World, Problem]:
        world = world_of(hidden, int(number))
        return world, world.problem(budget=cell.budget, cost=cell.cost, reveal_parents=reveal_parents)

    return problem


@dataclass(frozen=True)
class Contest:
    """A policy of ours against rivals, in all these worlds.

    One rival learns by the configurations of the reward's parents. It refuses worlds in which a parent is hidden, so
    it has studies of its own where something is hidden.
    """

    id: str
    ours: Policy
    rivals: Sequence[Policy]
    by_parents: Policy
    measure: Measure
    runs: Mapping[int, int]  # by the number of hidden variables

    def studies(self) -> Iterator[Study]:
        for hidden in HIDDEN:
            for cell in CELLS:
                others = [*self.rivals, *([] if hidden else [self.by_parents])]
                yield self.study(hidden, cell, [self.ours, *others])
                if hidden:
                    both = [self.ours, self.by_parents]
                    yield self.study(hidden, cell, both, "-visible-parents", VisibleParents(hidden))

    def study(
        self,
        hidden: int,
        cell: Cell,
        policies: Sequence[Policy],
        suffix: str = "",
        numbers: Sequence[float] = NUMBERS,
        reveal_parents: bool = False,
    ) -> Study:
        return Study(
            self._study_id(hidden, cell) + suffix,
            AXIS,
            numbers,
            setting(hidden, cell, reveal_parents),
            policies,
            runs=self.runs[hidden],
            measures=[self.measure],
            value_name=lambda number: f"world {number:g} with {HIDDEN[hidden]}, {cell.name}",
            rank=True,
        )

    def _study_id(self, hidden: int, cell: Cell) -> str:
        return f"{self.id}-{hidden}-{cell.id}"

    def curves(self, rival: Policy, hidden: int, cell: Cell) -> tuple[Curve, Curve]:
        """The curves of our policy and of a rival, in the study that has both."""
        suffix = "-visible-parents" if hidden and rival is self.by_parents else ""
        study = self._study_id(hidden, cell) + suffix
        return Curve(study, self.ours.label), Curve(study, rival.label)

    @property
    def everybody(self) -> list[Policy]:
        """All rivals."""
        return [*self.rivals, self.by_parents]

    def in_every_cell(self, hidden: int, factor: float = 1.0) -> list[OnAverage]:
        """On average over the worlds our policy has less than a share of the regret of each rival."""
        where = f"{HIDDEN[hidden]}, " if hidden else ""
        return [
            OnAverage(*self.curves(rival, hidden, cell), factor, where=where + cell.name)
            for cell in CELLS
            for rival in self.everybody
        ]

    def over_all_cells(self, factor: float) -> list[OnAverage]:
        """The same over the four together, where nothing is hidden."""
        pairs = [[self.curves(rival, 0, cell) for cell in CELLS] for rival in self.everybody]
        return [
            OnAverage(Pooled([one for one, _ in curves]), Pooled([other for _, other in curves]), factor)
            for curves in pairs
        ]

    def hidden_claims(self, lower_id: str, nowhere_id: str, regret: str, unit: str) -> list[Claim]:
        """Two claims: a lower regret where something is hidden, and no world in which it is much worse."""
        names = ", ".join(rival.label for rival in self.rivals)
        lower = Claim(
            lower_id,
            f"The same worlds with 1 or 2 of the {VARIABLES} variables hidden: {self.ours.label} has a lower {regret} "
            f"than each of {names} and, in the worlds that it takes, {self.by_parents.label}.",
            Every([contrast for hidden in HIDDEN if hidden for contrast in self.in_every_cell(hidden)]),
        )
        return [
            lower,
            Claim(
                nowhere_id,
                f"In no world, with or without hidden variables, is it shown that {self.ours.label}'s {regret} is both "
                f"more than {FACTOR:g} times that of the best of them and more than {unit} above it "
                "(3 standard errors).",
                NotShown(list(self._not_much_worse())),
            ),
        ]

    def _not_much_worse(self) -> Iterator[NotMuchWorse]:
        for hidden in HIDDEN:
            for cell in CELLS:
                pairs = [self.curves(rival, hidden, cell) for rival in self.everybody]
                for one in dict.fromkeys(one for one, _ in pairs):
                    yield NotMuchWorse(one, [other for mine, other in pairs if mine == one], FACTOR, SLACK)

    def figures(self, what: str) -> list[Figure]:
        """Figures for every number of hidden variables, with the worlds of two cells."""
        return [
            Figure(
                self._study_id(hidden, cell),
                f"{what} in {len(NUMBERS)} random worlds with backdoor paths, {name}, {cell.name}. "
                "For each policy the worlds are sorted by its regret.",
                [Panel(self._study_id(hidden, cell))],
            )
            for hidden, name in HIDDEN.items()
            for cell in DRAWN
        ]

    def describe(self, data: Data) -> list[str]:
        """The mean of every policy over the worlds of every cell."""
        paragraphs = []
        for hidden, name in HIDDEN.items():
            cells = []
            for cell in CELLS:
                id = self._study_id(hidden, cell)
                studies = [study for study in data if study == id or study.startswith(f"{id}-")]
                means = "; ".join(
                    ", ".join(f"{curve} {short(float(data[study].means(curve).mean()), 3)}" for curve in curves)
                    + (f" ({len(data[study].x)} worlds)" if len(data[study].x) < len(NUMBERS) else "")
                    for study, curves in ((study, data[study].samples[self.measure.name]) for study in studies)
                )
                cells.append(f"{cell.name[0].upper()}{cell.name[1:]}: {means}.")
            paragraphs.append(f"Means over the worlds, {name}. {' '.join(cells)}")
        return paragraphs
