"""What all rounds tell about every arm, from the formulas of docs/theory/factors.md, by enumeration.

A cell is (factor, row, value). The reward has one cell in each row, its mean; rewards are scaled to [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from math import prod, sqrt

from .common import all_arms, shows
from .setting import Round, Setting

Row = tuple[int, tuple[str, ...]]
Cell = tuple[int, tuple[str, ...], str]
COMMON = 0.3


class Estimates:
    """Everything that the policies compute from a history."""

    def __init__(self, setting: Setting, history: list[Round]) -> None:
        self.setting, self.history = setting, history

    def scaled(self, reward: float) -> float:
        return (reward - self.setting.low) / self.setting.width

    # The tables

    def is_reward(self, factor: int) -> bool:
        return self.setting.factors[factor][0] == self.setting.reward

    @cached_property
    def rows(self) -> list[Row]:
        values = self.setting.values or {}
        return [
            (f, row)
            for f, (_, conditions) in enumerate(self.setting.factors)
            for row in product(*(values[name] for name in conditions))
        ]

    def cells(self, row: Row) -> list[Cell]:
        f, at = row
        names = ["mean"] if self.is_reward(f) else (self.setting.values or {})[self.setting.factors[f][0]]
        return [(f, at, name) for name in names]

    @cached_property
    def by_row(self) -> dict[Row, list[Round]]:
        """The rounds that teach a factor, by the row that they show."""
        found: dict[Row, list[Round]] = {row: [] for row in self.rows}
        for r in self.history:
            for f in self.setting.taught[r.arm]:
                found[f, tuple(r.shown[name] for name in self.setting.factors[f][1])].append(r)
        return found

    def prior(self, row: Row) -> float:
        """kappa: the samples of the prior."""
        if not self.is_reward(row[0]):
            return float(len(self.cells(row)))
        return 2.0 if self.setting.is_bounded else 0.25

    def one(self, row: Row) -> float:
        """What is added to the samples in a variance: nothing for a real reward."""
        return 0.0 if self.is_reward(row[0]) and not self.setting.is_bounded else 1.0

    @cached_property
    def middle(self) -> float:
        """The mean of all rewards; half a success and half a failure are added if rewards have bounds."""
        total = sum(self.scaled(r.reward) for r in self.history)
        if self.setting.is_bounded:
            return (total + 0.5) / (len(self.history) + 1)
        return total / max(len(self.history), 1)

    @cached_property
    def table(self) -> dict[Cell, float]:
        found = {}
        for row in self.rows:
            rounds, prior = self.by_row[row], self.prior(row)
            for cell in self.cells(row):
                if self.is_reward(row[0]):
                    total, prior_mean = sum(self.scaled(r.reward) for r in rounds), self.middle
                else:
                    variable = self.setting.factors[row[0]][0]
                    total, prior_mean = sum(r.shown[variable] == cell[2] for r in rounds), 1 / len(self.cells(row))
                found[cell] = (total + prior * prior_mean) / (len(rounds) + prior)
        return found

    # The mean that the tables give

    def worlds(self, arm: int) -> Iterator[tuple[list[Cell], float]]:
        """All that may happen under an arm: the cells whose product is its probability, and a known factor."""
        setting, values = self.setting, self.setting.values or {}
        needed = setting.needed[arm]
        if setting.parents is not None:
            for y, at in enumerate(product(*(values[name] for name in setting.reward_parents))):
                known = dict(zip(setting.reward_parents, at, strict=True))
                row = tuple(known[name] for name in setting.factors[needed[0]][1])
                yield [(needed[0], row, "mean")], setting.parents[arm][y]
            return
        names = [setting.factors[f][0] for f in needed if not self.is_reward(f)]
        for at in product(*(values[name] for name in names)):
            world = {**dict(zip(names, at, strict=True)), **setting.arms[arm]}
            yield (
                [
                    (f, tuple(world[name] for name in conditions), "mean" if self.is_reward(f) else world[variable])
                    for f in needed
                    for variable, conditions in [setting.factors[f]]
                ],
                1.0,
            )

    def table_mean(self, arm: int) -> float:
        """P_a."""
        return sum(known * prod(self.table[cell] for cell in cells) for cells, known in self.worlds(arm))

    def gradient(self, arm: int) -> dict[Cell, float]:
        """g_a: the mean is linear in every cell, so its derivative is the sum of the products without the cell."""
        found: dict[Cell, float] = {}
        for cells, known in self.worlds(arm):
            for i, cell in enumerate(cells):
                others = prod(self.table[other] for j, other in enumerate(cells) if j != i)
                found[cell] = found.get(cell, 0.0) + known * others
        return found

    def meets(self, arm: int) -> dict[Row, float]:
        """How often a round of an arm meets the rows of the factors that it needs."""
        found: dict[Row, float] = {}
        for cells, known in self.worlds(arm):
            chance = known * prod(self.table[cell] for cell in cells if not self.is_reward(cell[0]))
            for f, row, _ in cells:
                found[f, row] = found.get((f, row), 0.0) + chance
        return found

    def shown_by(self, arm: int) -> dict[Row, float]:
        """How often a round of an arm shows the rows of the factors that it teaches.

        An arm meets a factor that it does not need as often as the observation, or else as the first arm that needs it.
        """
        found = {}
        for f in self.setting.taught[arm]:
            users = [a for a in all_arms(self.setting) if f in self.setting.needed[a]]
            likeness = arm if arm in users else users[0]
            found.update({row: p for row, p in self.meets(likeness).items() if row[0] == f})
        return found

    # Variances

    def is_whole(self, arm: int) -> bool:
        return not self.setting.needed[arm]

    def coin(self, mean: float) -> float:
        if not self.setting.is_bounded:
            return 0.25
        p = min(max(mean, 1e-12), 1 - 1e-12)
        return p * (1 - p)

    def spread(self, gradient: dict[Cell, float]) -> dict[Row, float]:
        """v_ar: the variance of the derivative over the values of a row; of a reward g^2 times that of one reward."""
        found = {}
        for row in self.rows:
            pairs = [(self.table[cell], gradient.get(cell, 0.0)) for cell in self.cells(row)]
            if self.is_reward(row[0]):
                ((mean, g),) = pairs
                found[row] = g * g * self.coin(mean)
            else:
                average = sum(p * g for p, g in pairs)
                found[row] = sum(p * (g - average) ** 2 for p, g in pairs)
        return found

    def samples(self, row: Row) -> float:
        """N + kappa."""
        return len(self.by_row[row]) + self.prior(row)

    def of_chance(self, spread: dict[Row, float]) -> float:
        """E_a."""
        return sum(v / (self.samples(row) + self.one(row)) for row, v in spread.items())

    def of_prior(self, spread: dict[Row, float]) -> float:
        """C_a."""
        return COMMON * sum(self.together(spread, f) ** 2 for f in range(len(self.setting.factors)))

    def together(self, spread: dict[Row, float], factor: int) -> float:
        return sum(
            self.prior(row) / self.samples(row) * sqrt(v / (self.prior(row) + self.one(row)))
            for row, v in spread.items()
            if row[0] == factor
        )

    @cached_property
    def alike(self) -> list[list[int]]:
        """For every arm those with the same mean, because the same may happen under them."""
        arms = all_arms(self.setting)
        what = {
            a: sorted((sorted(cells), round(known, 12)) for cells, known in self.worlds(a))
            for a in arms
            if not self.is_whole(a)
        }
        return [[b for b in arms if what.get(b) == what[a]] if a in what else [a] for a in arms]

    def firsts(self) -> list[int]:
        """The arms that stand for those with the same mean."""
        return [a for a in all_arms(self.setting) if self.alike[a][0] == a]

    def own(self, arm: int) -> list[float]:
        """The own samples: rounds of the arms with the same mean, and observations that showed one of them."""
        pulled = [r for r in self.history if r.arm in self.alike[arm] and self.setting.arms[r.arm] != {}]
        return [self.scaled(r.reward) for r in [*self.watched_rounds(arm), *pulled]]

    def watched_rounds(self, arm: int) -> list[Round]:
        """The observations that showed the arm, of the arms with the same mean, that was shown most."""
        return max(([r for r in self.history if self.is_watched(r, a)] for a in self.alike[arm]), key=len)

    def is_watched(self, r: Round, arm: int) -> bool:
        return self.setting.arms[r.arm] == {} and (arm == r.arm or shows(self.setting, r, arm))

    def watched(self, arm: int) -> int:
        return len(self.watched_rounds(arm))

    def table_variance(self, arm: int) -> float:
        """b_a: the variance of one reward. Of a real one its rows have 1/4 each, and their means differ as well."""
        mean = self.table_mean(arm)
        if self.setting.is_bounded:
            return self.coin(mean)
        between = 0.0
        for cells, known in self.worlds(arm):
            chance = known * prod(self.table[cell] for cell in cells if not self.is_reward(cell[0]))
            (of_row,) = (self.table[cell] for cell in cells if self.is_reward(cell[0]))
            between += chance * (of_row - mean) ** 2
        return 0.25 + between

    def own_share(self, arm: int, spread: dict[Row, float], more: int = 0) -> float:
        """w_a, with some more own samples."""
        n = len(self.own(arm)) + more
        if n == 0:
            return 0.0
        spare = self.table_variance(arm) / n - self.of_chance(spread)
        return 1.0 if spare <= 0 else self.of_prior(spread) / max(self.of_prior(spread) + spare, 1e-12)

    def variance(self, arm: int, spread: dict[Row, float]) -> float:
        """V_a, above 0."""
        return max(self.best_variance(arm, spread), 1e-12)

    def best_variance(self, arm: int, spread: dict[Row, float], more: int = 0) -> float:
        """V_a, with some more own samples."""
        n = len(self.own(arm)) + more
        mixed = self.of_chance(spread) + (1 - self.own_share(arm, spread, more)) * self.of_prior(spread)
        return min(mixed, self.table_variance(arm) / n) if n else mixed

    def row_gains(self, arm: int, spread: dict[Row, float]) -> dict[Row, float]:
        """By how much one more sample of each row lowers V_a. C_a counts with its derivative; w_a is held."""
        share, found = self.own_share(arm, spread), {}
        together = [self.together(spread, f) for f in range(len(self.setting.factors))]
        for row, v in spread.items():
            samples, one = self.samples(row), self.one(row)
            of_chance = v / (samples + one) - v / (samples + 1 + one)
            of_row = self.prior(row) / samples * sqrt(v / (self.prior(row) + one))
            of_prior = 2 * COMMON * together[row[0]] * (of_row - of_row * samples / (samples + 1))
            found[row] = (1 - share**2) * of_chance + (1 - share) ** 2 * of_prior
        return found

    def own_gain(self, arm: int, spread: dict[Row, float]) -> float:
        """By how much one more own sample lowers V_a."""
        return max(self.best_variance(arm, spread) - self.best_variance(arm, spread, 1), 0.0)

    # What is known of each arm

    @cached_property
    def spreads(self) -> dict[int, dict[Row, float]]:
        return {a: self.spread(self.gradient(a)) for a in all_arms(self.setting) if not self.is_whole(a)}

    @cached_property
    def means(self) -> dict[int, float]:
        """m_a, scaled; 0 for a whole arm without samples."""
        found = {}
        for a in all_arms(self.setting):
            own = self.own(a)
            direct = sum(own) / len(own) if own else 0.0
            if self.is_whole(a):
                found[a] = direct
            else:
                share = self.own_share(a, self.spreads[a])
                found[a] = (1 - share) * self.table_mean(a) + share * direct
        return found

    @cached_property
    def evidence(self) -> dict[int, float]:
        """n_a; 0 if nothing is known."""
        found = {}
        for a in all_arms(self.setting):
            if self.is_whole(a):
                found[a] = float(len(self.own(a)))
                continue
            gradient = self.gradient(a)
            of_prior = sum(
                g * self.prior((f, row)) / self.samples((f, row))
                for (f, row, _), g in gradient.items()
                if self.is_reward(f)
            )
            known = self.setting.is_bounded or self.own(a) or of_prior <= 0.1
            found[a] = self.coin(self.table_mean(a)) / self.variance(a, self.spreads[a]) if known else 0.0
        return found

    def mean(self, arm: int) -> float:
        """m_a in units of the reward."""
        return self.setting.low + self.setting.width * self.means[arm]
