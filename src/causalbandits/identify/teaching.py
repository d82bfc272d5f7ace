"""What rounds teach about each arm of a problem: by watching, by other arms, partly, or by its own rounds only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..display.sheets import Sheet, block, excerpt
from ..errors import InputError
from ..graph import Graph
from ..intervention import OBSERVATION, Intervention
from .factors import Factor, factors_of, strangers, teaches
from .projection import Projection, project

Learned = Literal["by watching", "by other arms", "partly", "own rounds only"]
Rows = Mapping[str, str]  # rows of a factor: those in which these conditions have these values
MOST_NAMED = 3  # factors that a row of the sheet names


@dataclass(frozen=True)
class Need:
    """A factor that an arm needs, and the rounds that teach it."""

    factor: Factor
    fixed: Intervention  # the conditions of the factor that the arm sets, with their values
    learned: Learned
    arms: tuple[int, ...]  # the other arms whose rounds teach the factor, in at least one of the rows that are needed
    hidden_path: str | None  # why watching cannot teach it, such as "X <- U -> Y"

    def __str__(self) -> str:
        reason = "" if self.hidden_path is None else f" ({self.hidden_path})"
        return f"{self.factor.variable} {self.learned}{reason}"


@dataclass(frozen=True)
class ArmTeaching:
    """What an arm needs, the reward's factor last, and how all of it is learned."""

    arm: Intervention
    learned: Learned
    needs: tuple[Need, ...]

    @property
    def unwatched(self) -> tuple[Need, ...]:
        """What watching does not teach, the most difficult first."""
        return tuple(sorted((need for need in self.needs if need.learned != "by watching"), key=_difficulty))


@dataclass(frozen=True, repr=False)
class Teaching:
    """For every arm what its mean is made of, and which rounds teach it."""

    arms: tuple[ArmTeaching, ...]
    factors: tuple[Factor, ...]  # all that an arm needs, each once
    taught: tuple[tuple[int, ...], ...]  # for every arm the numbers of the factors that its rounds teach

    @cached_property
    def needed(self) -> tuple[tuple[int, ...], ...]:
        """For every arm the numbers of the factors that it needs, causes first, the reward's own factor last."""
        number = {factor: i for i, factor in enumerate(self.factors)}
        return tuple(tuple(number[need.factor] for need in entry.needs) for entry in self.arms)

    def __len__(self) -> int:
        return len(self.arms)

    def __iter__(self) -> Iterator[ArmTeaching]:
        return iter(self.arms)

    def __getitem__(self, arm: int) -> ArmTeaching:
        return self.arms[arm]

    def __repr__(self) -> str:
        return f"Teaching({len(self.arms)} arms, {len(self.factors)} factors)"

    def __str__(self) -> str:
        return self.sheet.text()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        sheet = self.sheet
        sentence = f"{len(self.arms)} arms need {len(self.factors)} factors."
        return block(sentence, excerpt(sheet.columns, len(sheet.rows), sheet.rows.__getitem__))

    @cached_property
    def sheet(self) -> Sheet:
        """How each arm is learned, as text. Arms that set the same variables share a row if they share the answer.

        If all arms share it, there is one row.
        """
        answers: dict[tuple[tuple[str, ...], Learned, str], list[Intervention]] = {}
        for entry in self.arms:
            answers.setdefault((tuple(entry.arm), entry.learned, _reason(entry)), []).append(entry.arm)
        if len(self.arms) > 1 and len({(learned, reason) for _, learned, reason in answers}) == 1:
            ((_, learned, reason), *_) = answers
            rows = [("every arm", learned, reason)]
        else:
            rows = [
                (_common_text(arms, [names for names, *_ in answers].count(tuple(arms[0])) == 1), learned, reason)
                for (_, learned, reason), arms in answers.items()
            ]
        return Sheet(("arm", "how it is learned", "which variable is to blame"), rows)


def _difficulty(need: Need) -> int:
    return ("own rounds only", "partly", "by other arms", "by watching").index(need.learned)


def _reason(entry: ArmTeaching) -> str:
    """The variables that are not simply learned from other rounds, and the hidden paths to blame."""
    found = [str(need) for need in entry.unwatched if need.learned != "by other arms" or need.hidden_path is not None]
    more = [f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return "; ".join([*found[:MOST_NAMED], *more])


def _common_text(arms: Sequence[Intervention], is_whole: bool) -> str:
    """One text for arms that set the same variables, such as do(X=...) if they are all that do so."""
    if len(arms) == 1:
        return str(arms[0])
    return f"do({', '.join(f'{name}=...' for name in arms[0])})" if is_whole else ", ".join(map(str, arms))


def teaching(graph: Graph, reward: str, arms: Sequence[Intervention]) -> Teaching:
    """What the rounds of these arms teach about each of them."""
    if graph[reward].hidden:
        raise InputError(f"The reward {reward} is hidden; a learner must see it.")
    projection = project(graph)
    needed = {names: factors_of(projection, reward, names) for names in map(tuple, arms)}
    factors = tuple(dict.fromkeys(factor for listed in needed.values() for factor in listed))
    known = {names: [teaches(projection, names, factor) for factor in factors] for names in needed}
    taught = tuple(tuple(i for i in range(len(factors)) if known[tuple(arm)][i]) for arm in arms)
    teachers = {
        factor: {b: _rows(factor, arm) for b, arm in enumerate(arms) if known[tuple(arm)][i]}
        for i, factor in enumerate(factors)
    }
    hidden_paths = {factor: _hidden_path(projection, factor) for factor in factors}
    entries = []
    for a, arm in enumerate(arms):
        needs = []
        for factor in needed[tuple(arm)]:
            fixed = _rows(factor, arm)
            shown = {b: rows for b, rows in teachers[factor].items() if b != a and _meet(rows, fixed)}
            is_watched = any(arms[b] == OBSERVATION for b in teachers[factor])
            learned = "by watching" if is_watched else _from_others(tuple(dict.fromkeys(shown.values())), fixed, graph)
            needs.append(Need(factor, fixed, learned, tuple(shown), hidden_paths[factor]))
        entries.append(ArmTeaching(arm, _together(need.learned for need in needs), tuple(needs)))
    return Teaching(tuple(entries), factors, taught)


def _from_others(shown: Sequence[Rows], needed: Rows, graph: Graph) -> Learned:
    """How an arm learns a factor that watching does not teach, from the rows that the other arms show."""
    if not shown:
        return "own rounds only"
    return "by other arms" if _covers(shown, needed, graph) else "partly"


def _rows(factor: Factor, arm: Intervention) -> Intervention:
    """The conditions of a factor that an arm sets, with their values."""
    return Intervention({name: value for name, value in arm.items() if name in factor.conditions})


def _meet(rows: Rows, others: Rows) -> bool:
    """Whether some row is in both sets of rows."""
    return all(others.get(name, value) == value for name, value in rows.items())


def _covers(parts: Sequence[Rows], rows: Rows, graph: Graph) -> bool:
    """Whether each of the rows is in one of the parts. If in doubt, one condition is split into its values."""
    near = [{name: value for name, value in part.items() if name not in rows} for part in parts if _meet(rows, part)]
    if not near or not all(near):
        return bool(near)  # a part without a condition has all rows
    smallest = min(near, key=len)
    name = min(smallest)
    return all(_covers(near, {**rows, name: value}, graph) for value in graph[name].values)


def _together(ways: Iterable[Learned]) -> Learned:
    """How an arm is learned, from how each of its factors is."""
    found = set(ways)
    if len(found) == 1:
        return found.pop()
    return "by other arms" if found == {"by watching", "by other arms"} else "partly"


def _hidden_path(projection: Projection, factor: Factor) -> str | None:
    """The hidden path that keeps watching from teaching a factor, or None."""
    others = strangers(projection, (), factor)
    paths = [projection.hidden_path(other, name) for other in others for name in (*factor.given, factor.variable)]
    return min(filter(None, paths), key=lambda path: (len(path.split()), path), default=None)
