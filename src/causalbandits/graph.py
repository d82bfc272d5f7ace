"""The causal graph: its variables, their direct causes, d-separation and backdoor paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .display.sheets import block, excerpt
from .errors import InputError, as_list, check_kind, check_truth, names_of, unknown
from .intervention import Intervention

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Variable:
    """A variable of the graph.

    `values` are its named values, none for a real number. `parents` are its direct causes. A hidden variable is never
    shown. An intervenable one is set by the default arms of a problem.
    """

    name: str
    values: tuple[str, ...]
    parents: tuple[str, ...] = ()
    hidden: bool = False
    intervenable: bool = True

    def __post_init__(self) -> None:
        check_kind("The name of a variable", self.name, str, 'a text such as "X"')
        values = as_list(f"The values of {self.name}", self.values, '["no", "yes"]')
        object.__setattr__(self, "values", tuple(map(str, values)))
        object.__setattr__(self, "parents", tuple(map(str, names_of(f"The parents of {self.name}", self.parents))))
        check_truth("hidden", self.hidden)
        check_truth("intervenable", self.intervenable)
        if not self.name.strip() or set(self.name) & set(",=()"):
            raise InputError(
                f"A variable cannot be called {self.name!r}; leave out the signs , = ( ) of interventions."
            )
        for value in self.values:
            if not value.strip() or "," in value:
                raise InputError(
                    f"{self.name} cannot have the value {value!r}; leave out commas because interventions use them."
                )
        if len(set(self.values)) != len(self.values):
            raise InputError(f"Variable {self.name} lists a value twice in {list(self.values)}; name each value once.")
        if len(self.values) == 1:
            raise InputError(
                f"Variable {self.name} has the single value {self.values[0]!r}; give it at least two, or leave it out."
            )

    def index(self, value: object) -> int:
        """The position of a named value."""
        try:
            return self.values.index(str(value))
        except ValueError:
            raise unknown(f"value of {self.name}", value, self.values) from None


@dataclass(frozen=True)
class Graph:
    """A directed acyclic graph. Its variables keep the order in which the user lists them."""

    variables: tuple[Variable, ...]

    def __post_init__(self) -> None:
        listed = as_list("The variables of a graph", self.variables, '[cb.Variable("X", ("0", "1"))]')
        for variable in listed:
            check_kind("A variable of a graph", variable, Variable, 'a cb.Variable such as Variable("X", ("0", "1"))')
        object.__setattr__(self, "variables", tuple(listed))
        names = [variable.name for variable in self.variables]
        for name, times in Counter(names).items():
            if times > 1:
                raise InputError(f"Variable {name} is defined twice; give each variable a name of its own.")
        for variable in self.variables:
            for parent in variable.parents:
                if parent not in self._by_name:
                    raise InputError(
                        f"Variable {variable.name} has the parent {parent!r}, which is not defined: "
                        f"{_suggestion(parent, names)}."
                    )
            if len(set(variable.parents)) != len(variable.parents):
                raise InputError(
                    f"Variable {variable.name} lists a parent twice in {list(variable.parents)}; name each once."
                )
        self.order  # noqa: B018  raises an error if there is a cycle

    def _repr_html_(self) -> str:
        def row(i: int) -> list[str]:
            variable = self.variables[i]
            note = "hidden" if variable.hidden else "" if variable.intervenable else "not intervenable"
            values = ", ".join(variable.values) or "a real number"
            return [variable.name, values, ", ".join(variable.parents), note]

        count = len(self.variables)
        return block(f"A graph of {count} variables.", excerpt(("variable", "values", "caused by", ""), count, row))

    def __getitem__(self, name: str) -> Variable:
        try:
            return self._by_name[name]
        except (KeyError, TypeError):  # a list cannot be looked up
            raise unknown("variable", name, self._by_name) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def network(self) -> nx.DiGraph:
        """The graph as a networkx object, which cannot be changed. Its `copy()` can."""
        import networkx as nx

        network = nx.DiGraph()
        network.add_nodes_from(variable.name for variable in self.variables)
        network.add_edges_from((parent, variable.name) for variable in self.variables for parent in variable.parents)
        return nx.freeze(network)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The names of the variables, causes before effects, otherwise in the order of the user."""
        import networkx as nx

        position = {variable.name: i for i, variable in enumerate(self.variables)}
        try:
            return tuple(nx.lexicographical_topological_sort(self.network, key=position.__getitem__))
        except nx.NetworkXUnfeasible:
            cycle = [edge[0] for edge in nx.find_cycle(self.network)]
            raise InputError(
                f"The graph has the cycle {' -> '.join([*cycle, cycle[0]])}; remove one of its edges."
            ) from None

    def d_separated(self, first: Iterable[str], second: Iterable[str], given: Iterable[str] = ()) -> bool:
        """Whether the graph makes two sets of variables independent, given a third set."""
        import networkx as nx

        sets = [set(names_of("The sets of variables", names)) for names in (first, second, given)]
        for name in set().union(*sets):
            self[name]
            if sum(name in part for part in sets) > 1:
                raise InputError(f"{name} is in two of the sets; d-separation needs sets without common variables.")
        return bool(nx.is_d_separator(self.network, *sets))

    def backdoor_path(self, causes: Sequence[str], effect: str) -> str | None:
        """An open backdoor path from `causes` to `effect`, such as "X <- Season -> Y", or None.

        Without such a path, by rule 2 of do-calculus (Pearl 2009, theorem 3.4.1):
            P(effect | do(causes)) = P(effect | causes)
        Nothing is conditioned on, so an open path has no collider.
        It climbs from a cause to a common ancestor, and then descends to the effect.
        """
        import networkx as nx

        causes = names_of("The causes", causes)
        for name in (*causes, effect):
            self[name]
        if not any(self[cause].parents for cause in causes):
            return None  # a path begins with an edge into a cause
        cut = self.network.copy()
        cut.remove_edges_from(list(cut.out_edges(causes)))
        descents = nx.single_target_shortest_path(cut, effect)
        paths = []
        for cause in causes:
            for ancestor, climb in nx.single_target_shortest_path(cut, cause).items():
                if ancestor in descents:
                    paths.append((climb[::-1], descents[ancestor][1:]))
        if not paths:
            return None
        climb, descent = min(paths, key=lambda path: (len(path[0]) + len(path[1]), path))
        return "".join([" <- ".join(climb), *(f" -> {name}" for name in descent)])

    def check(self, intervention: Intervention) -> None:
        """Refuse an intervention on a variable that is unknown, hidden or real, or with an unknown value."""
        intervention = Intervention.of(intervention)
        for name, value in intervention.items():
            variable = self[name]
            if variable.hidden:
                raise InputError(f"{intervention} sets {name}, which is hidden; only visible variables can be set.")
            if not variable.values:
                raise InputError(
                    f"{intervention} sets {name}, which is a real number; only variables with named values can be set."
                )
            variable.index(value)


def _suggestion(name: str, names: Sequence[str]) -> str:
    """The second half of the sentence about an unknown variable."""
    return str(unknown("variable", name, names)).rstrip(".?").removeprefix(f"There is no variable {name!r}; ")
