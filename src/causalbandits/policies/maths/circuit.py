"""The exact means of arms and their gradients, from the tables of factors: an arithmetic circuit in flat arrays.

The mean of an arm is a sum over all variables of the product of its factors. Variables are summed out one after the
other (variable elimination). It is done once with names, which leaves a list of products to add up:
    values[out] += values[left] * values[right]
`values` begins with the cells of all factors, then a 1, then the entries of all tables that are computed on the way.
Arms share what they have in common. The gradient follows by the same list in reverse. See docs/theory/factors.md.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.bridge.cache import lean

NO_ROOT = -1
CHEAP = 100_000  # products of means and gradients: about 0.2 ms; if it is less, other orders are not tried
TRIES = 20  # orders; each takes about 10 ms for 60 arms of a network with 27 variables
NOISE = 1.0  # factors up to e in the weight of a variable: on published networks as good as any other


class Table(NamedTuple):
    """The table of a factor: a cell is offset + (row * card + value), and the last condition changes fastest."""

    variable: str
    conditions: tuple[str, ...]
    sizes: tuple[int, ...]  # how many values each condition has
    card: int
    offset: int
    is_reward: bool  # its mean is wanted: the last cell of each row


class Arm(NamedTuple):
    """What an arm sets, and the numbers of the tables that it needs; none if it is left out of the circuit."""

    sets: Mapping[str, int]  # the number of the value of each variable
    needed: tuple[int, ...]


class Circuit(NamedTuple):
    """The products of a circuit. Lists of lists are kept as `*_start` offsets into flat arrays."""

    cells: int
    size: int  # of `values`
    out: NDArray[np.uint32]  # (products,)
    left: NDArray[np.uint32]
    right: NDArray[np.uint32]
    step_start: NDArray[np.int64]  # (steps + 1,) each step computes a table
    entry_start: NDArray[np.int64]  # (steps + 1,) the places of its entries in `values`
    arm_step_start: NDArray[np.int64]  # (arms + 1,)
    arm_step: NDArray[np.int64]  # the steps that the mean of an arm is made of, in order
    arm_cell_start: NDArray[np.int64]  # (arms + 1,)
    arm_cell: NDArray[np.int64]  # the cells that the mean of an arm depends on, in order
    root: NDArray[np.int64]  # (arms,) where the mean is in `values`, or NO_ROOT


@lean
def fill_means(circuit, cells, values, means):
    """Compute the mean of every arm from the numbers in the cells. `values` is working memory, kept for gradients."""
    for i in range(circuit.cells):
        values[i] = cells[i]
    values[circuit.cells] = 1.0
    for i in range(circuit.cells + 1, circuit.size):
        values[i] = 0.0
    out, left, right = circuit.out, circuit.left, circuit.right
    for t in range(out.size):
        values[out[t]] += values[left[t]] * values[right[t]]
    for a in range(means.size):
        if circuit.root[a] >= 0:
            means[a] = values[circuit.root[a]]


@lean
def fill_gradients(circuit, values, adjoints, gradients):
    """Compute the derivatives of every mean in all cells, (arms, cells), after `fill_means`.

    `adjoints` is working memory as long as `values`. It must be 0, and is 0 again afterwards.
    """
    for a in range(gradients.shape[0]):
        fill_gradient(circuit, values, adjoints, a, gradients)


@lean
def fill_gradient(circuit, values, adjoints, arm, gradients):
    """The same for one arm: gradients[arm]. Cells on which its mean does not depend are left as they are."""
    if circuit.root[arm] < 0:
        return
    out, left, right = circuit.out, circuit.left, circuit.right
    adjoints[circuit.root[arm]] = 1.0
    for i in range(circuit.arm_step_start[arm + 1] - 1, circuit.arm_step_start[arm] - 1, -1):
        step = circuit.arm_step[i]
        for t in range(circuit.step_start[step], circuit.step_start[step + 1]):
            adjoint = adjoints[out[t]]
            adjoints[left[t]] += adjoint * values[right[t]]
            adjoints[right[t]] += adjoint * values[left[t]]
        for entry in range(circuit.entry_start[step], circuit.entry_start[step + 1]):
            adjoints[entry] = 0.0
    for i in range(circuit.arm_cell_start[arm], circuit.arm_cell_start[arm + 1]):
        cell = circuit.arm_cell[i]
        gradients[arm, cell] = adjoints[cell]
        adjoints[cell] = 0.0
    adjoints[circuit.cells] = 0.0


class Operand(NamedTuple):
    """A table inside `values`: where it begins, its axes, and how far apart the values of each axis are."""

    base: int
    axes: tuple[str, ...]
    strides: tuple[int, ...]


class Step(NamedTuple):
    """The product of two tables, summed over one axis or over none."""

    left: Operand
    right: Operand
    result: Operand
    summed: tuple[str, ...]


Order = Callable[[Sequence[Operand], Mapping[str, int]], str]  # the variable to sum out next


@dataclass
class Plan:
    """The steps for all arms. A step that two arms have in common is there once."""

    sizes: Mapping[str, int]  # of every variable
    cells: int
    steps: list[Step] = field(default_factory=list)
    known: dict[tuple[Operand, Operand, tuple[str, ...]], int] = field(default_factory=dict)
    end: int = 0

    def __post_init__(self) -> None:
        self.end = self.cells + 1
        self.one = Operand(self.cells, (), ())

    def entries(self, axes: Iterable[str]) -> int:
        return math.prod(self.sizes[name] for name in axes)

    def product(self, left: Operand, right: Operand, summed: tuple[str, ...] = ()) -> Operand:
        """The product of two tables, summed over some of their axes."""
        left, right = sorted((left, right))
        key = left, right, summed
        if key not in self.known:
            axes = tuple(name for name in sorted({*left.axes, *right.axes}) if name not in summed)
            strides = tuple(self.entries(axes[i + 1 :]) for i in range(len(axes)))
            self.known[key] = len(self.steps)
            self.steps.append(Step(left, right, Operand(self.end, axes, strides), summed))
            self.end += self.entries(axes)
        return self.steps[self.known[key]].result

    def eliminate(self, name: str, operands: Sequence[Operand]) -> list[Operand]:
        """The operands after a variable is summed out of their product."""
        with_it = [operand for operand in operands if name in operand.axes]
        while len(with_it) > 2:  # first the two with the smallest product
            one, other = min(itertools.combinations(with_it, 2), key=lambda pair: (self._size(pair), pair))
            with_it = [operand for operand in with_it if operand not in (one, other)]
            with_it.append(self.product(one, other))
        right = with_it[1] if len(with_it) == 2 else self.one
        return [*(o for o in operands if name not in o.axes), self.product(with_it[0], right, (name,))]

    def _size(self, pair: tuple[Operand, ...]) -> int:
        return self.entries({name for operand in pair for name in operand.axes})

    def root(self, operands: Sequence[Operand], order: Order) -> int:
        """Where the mean is after all variables are summed out."""
        left = list(operands)
        while any(operand.axes for operand in left):
            left = self.eliminate(order(left, self.sizes), left)
        while len(left) > 1:
            left = [*left[2:], self.product(left[0], left[1])]
        return left[0].base

    @cached_property
    def step_at(self) -> dict[int, int]:
        """The number of the step whose result begins at a place."""
        return {step.result.base: i for i, step in enumerate(self.steps)}

    def steps_of(self, root: int) -> list[int]:
        """The steps that the table at a place is made of, in order."""
        found: set[int] = set()
        waiting = [root]
        while waiting:
            i = self.step_at.get(waiting.pop())
            if i is not None and i not in found:
                found.add(i)
                waiting += [self.steps[i].left.base, self.steps[i].right.base]
        return sorted(found)

    def products(self, step: int) -> int:
        """The number of products in a step."""
        one = self.steps[step]
        return self.entries({*one.left.axes, *one.right.axes})


def circuit_of(tables: Sequence[Table], arms: Sequence[Arm]) -> Circuit:
    """The circuit for the means of the arms. Of several orders of elimination it takes the one with the least work."""
    sizes: dict[str, int] = {}
    for table in tables:
        sizes.update(zip(table.conditions, table.sizes, strict=True))
        sizes.setdefault(table.variable, table.card)
    cells = max((table.offset + math.prod(table.sizes) * table.card for table in tables), default=0)
    operands = [[_operand(tables[i], arm.sets) for i in arm.needed] for arm in arms]
    alike: dict[tuple[str, ...], list[int]] = {}  # arms that set the same variables take the same work
    for a, arm in enumerate(arms):
        if arm.needed:
            alike.setdefault(tuple(sorted(arm.sets)), []).append(a)
    samples = [(operands[members[0]], len(members)) for members in alike.values()]
    axes = [_operand(table, {}).axes for table in tables]
    plan = Plan(sizes, cells)
    order = _best_order(plan, samples, axes)
    roots = [plan.root(listed, order) if listed else NO_ROOT for listed in operands]
    return _circuit(plan, roots, operands)


def _best_order(
    empty: Plan, samples: Sequence[tuple[Sequence[Operand], int]], axes: Sequence[Collection[str]]
) -> Order:
    """Greedy for each arm; if that is much work, the best of this and of some orders that all arms have in common."""
    best: tuple[int, Order] = _work(empty, samples, fewest_entries), fewest_entries
    rng = random.Random(1)  # the same numbers in every version of Python, so that a circuit never changes
    for attempt in range(TRIES):
        if best[0] <= CHEAP:
            break
        order = fixed_order(common_order(axes, empty.sizes, rng, NOISE if attempt else 0.0))
        best = min(best, (_work(empty, samples, order), order), key=lambda found: found[0])
    return best[1]


def _work(empty: Plan, samples: Sequence[tuple[Sequence[Operand], int]], order: Order) -> int:
    """The products of the means, and two for each that the gradients go back through. Samples have a multiplicity."""
    plan = Plan(empty.sizes, empty.cells)
    roots = [plan.root(operands, order) for operands, _ in samples]
    products = [plan.products(i) for i in range(len(plan.steps))]
    backwards = [
        multiplicity * sum(products[i] for i in plan.steps_of(root))
        for root, (_, multiplicity) in zip(roots, samples, strict=True)
    ]
    return sum(products) + 2 * sum(backwards)


def products_of(axes: Sequence[tuple[str, ...]], sizes: Mapping[str, int]) -> int:
    """The number of products for the mean of one arm whose tables have these axes."""
    plan = Plan(sizes, 0)
    plan.root([Operand(-i, part, (0,) * len(part)) for i, part in enumerate(axes, 1)], fewest_entries)
    return sum(plan.products(i) for i in range(len(plan.steps)))


def fewest_entries(operands: Sequence[Operand], sizes: Mapping[str, int]) -> str:
    """The variable whose sum leaves the smallest table (greedy minimum weight)."""
    neighbours = _neighbours([operand.axes for operand in operands])
    return min(neighbours, key=lambda name: (math.prod(sizes[other] for other in neighbours[name]), name))


def fixed_order(names: Sequence[str]) -> Order:
    """The first variable of a list that is left."""

    def order(operands: Sequence[Operand], sizes: Mapping[str, int]) -> str:
        left = {name for operand in operands for name in operand.axes}
        return next(name for name in names if name in left)

    return order


def common_order(
    axes: Sequence[Collection[str]], sizes: Mapping[str, int], rng: random.Random, noise: float
) -> list[str]:
    """One order for all arms, so that they share more: greedy minimum weight, with noise on its logarithm."""
    names: list[str] = []
    left = [frozenset(part) for part in axes]
    while any(left):
        neighbours = _neighbours(left)
        weights = {name: sum(math.log(sizes[other]) for other in neighbours[name]) for name in sorted(neighbours)}
        names.append(min(weights, key=lambda name: weights[name] + noise * rng.random()))
        left = [frozenset(neighbours[names[-1]] - {names[-1]}), *(part for part in left if names[-1] not in part)]
    return names


def _neighbours(axes: Iterable[Collection[str]]) -> dict[str, set[str]]:
    """For every variable those that share a table with it, and itself."""
    found: dict[str, set[str]] = {}
    for part in axes:
        for name in part:
            found.setdefault(name, set()).update(part)
    return found


def _operand(table: Table, sets: Mapping[str, int]) -> Operand:
    """The cells of a table that agree with what an arm sets; of the reward's table the last value only."""
    names = (*table.conditions, table.variable)
    sizes = (*table.sizes, table.card)
    values = {**sets, table.variable: table.card - 1} if table.is_reward else sets
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(names))]
    base = table.offset + sum(values[name] * step for name, step in zip(names, strides, strict=True) if name in values)
    free = [(name, step) for name, step in zip(names, strides, strict=True) if name not in values]
    return Operand(base, tuple(name for name, _ in free), tuple(step for _, step in free))


def _circuit(plan: Plan, roots: Sequence[int], operands: Sequence[Sequence[Operand]]) -> Circuit:
    """The arrays of a plan."""
    parts = [_products(plan, step) for step in plan.steps]
    steps = [plan.steps_of(root) if root != NO_ROOT else [] for root in roots]
    used = [sorted({int(cell) for operand in listed for cell in _places(plan, operand)}) for listed in operands]
    flat = [np.concatenate([part[k] for part in parts] or [np.zeros(0, int)]).astype(np.uint32) for k in range(3)]
    return Circuit(
        cells=plan.cells,
        size=plan.end,
        out=flat[0],
        left=flat[1],
        right=flat[2],
        step_start=np.cumsum([0, *(part[0].size for part in parts)], dtype=np.int64),
        entry_start=np.array([*(step.result.base for step in plan.steps), plan.end], np.int64),
        arm_step_start=np.cumsum([0, *map(len, steps)], dtype=np.int64),
        arm_step=np.array([i for listed in steps for i in listed], np.int64),
        arm_cell_start=np.cumsum([0, *map(len, used)], dtype=np.int64),
        arm_cell=np.array([cell for listed in used for cell in listed], np.int64),
        root=np.array(roots, np.int64),
    )


def _products(plan: Plan, step: Step) -> list[NDArray[np.int64]]:
    """The places in `values` of the results and of both sides of all products of a step.

    The sum is the outer loop: products that follow each other then change different results.
    """
    axes = (*step.summed, *step.result.axes)
    return [_spread(plan, operand, axes) for operand in (step.result, step.left, step.right)]


def _spread(plan: Plan, operand: Operand, axes: Sequence[str]) -> NDArray[np.int64]:
    """The place in `values` of an operand for all values of some axes."""
    strides = dict(zip(operand.axes, operand.strides, strict=True))
    places = np.array([operand.base], np.int64)
    for name in axes:
        places = (places[:, None] + np.arange(plan.sizes[name]) * strides.get(name, 0)).ravel()
    return places


def _places(plan: Plan, operand: Operand) -> NDArray[np.int64]:
    return _spread(plan, operand, operand.axes)
