"""The causal graph against brute force: every simple path, looked at one by one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb

Edges = set[tuple[str, str]]
NAMES = "ABCDEF"


def graph_of(names: str, edges: Edges) -> cb.Graph:
    return cb.Graph(
        tuple(cb.Variable(name, ("0", "1"), tuple(a for a in names if (a, name) in edges)) for name in names)
    )


@st.composite
def edges_among(draw: st.DrawFn) -> tuple[str, Edges]:
    """Names as the user lists them, and edges along a hidden order that need not be the same."""
    names = NAMES[: draw(st.integers(2, 6))]
    hidden_order = draw(st.permutations(names))
    pairs = list(itertools.combinations(hidden_order, 2))
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return names, {pair for pair, kept in zip(pairs, chosen, strict=True) if kept}


def simple_paths(edges: Edges, start: str, end: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All paths without a repeated node, along edges of either direction."""
    path = (*path, start)
    if start == end:
        yield path
        return
    for a, b in edges:
        for here, there in ((a, b), (b, a)):
            if here == start and there not in path:
                yield from simple_paths(edges, there, end, path)


def descendants(edges: Edges, name: str) -> set[str]:
    return {name}.union(*(descendants(edges, b) for a, b in edges if a == name))


def is_open(edges: Edges, path: tuple[str, ...], given: set[str]) -> bool:
    """Pearl's rule for a path.

    A collider blocks unless it or one of its descendants is given. Every other inner node blocks if it is given.
    """
    for before, inner, after in zip(path, path[1:], path[2:], strict=False):
        collides = (before, inner) in edges and (after, inner) in edges
        if collides and not descendants(edges, inner) & given:
            return False
        if not collides and inner in given:
            return False
    return True


def cut_below(edges: Edges, causes: list[str]) -> Edges:
    return {(a, b) for a, b in edges if a not in causes}


@settings(max_examples=150, deadline=None)
@given(graph=edges_among(), roles=st.lists(st.sampled_from("12g-"), min_size=6, max_size=6))
def test_d_separation_means_that_no_simple_path_is_open(graph: tuple[str, Edges], roles: list[str]) -> None:
    names, edges = graph
    first, second, given = ({n for n, role in zip(names, roles, strict=False) if role == wanted} for wanted in "12g")
    paths = (path for a in first for b in second for path in simple_paths(edges, a, b))
    expected = not any(is_open(edges, path, given) for path in paths)
    assert graph_of(names, edges).d_separated(first, second, given) == expected


@settings(max_examples=150, deadline=None)
@given(graph=edges_among(), size=st.integers(1, 2), data=st.data())
def test_a_backdoor_path_is_named_exactly_when_a_path_of_the_cut_graph_is_open(
    graph: tuple[str, Edges], size: int, data: st.DataObject
) -> None:
    names, edges = graph
    effect, *causes = data.draw(st.permutations(names))[: size + 1]
    cut = cut_below(edges, causes)
    expected = any(is_open(cut, path, set()) for cause in causes for path in simple_paths(cut, cause, effect))
    assert (graph_of(names, edges).backdoor_path(causes, effect) is not None) == expected


@settings(max_examples=150, deadline=None)
@given(graph=edges_among(), size=st.integers(1, 2), data=st.data())
def test_the_path_named_is_a_shortest_open_path_of_the_cut_graph(
    graph: tuple[str, Edges], size: int, data: st.DataObject
) -> None:
    names, edges = graph
    effect, *causes = data.draw(st.permutations(names))[: size + 1]
    cut = cut_below(edges, causes)
    open_paths = [path for cause in causes for path in simple_paths(cut, cause, effect) if is_open(cut, path, set())]
    text = graph_of(names, edges).backdoor_path(causes, effect)
    if text is None:
        assert not open_paths
        return
    path = tuple(re.split(" <- | -> ", text))
    assert path in open_paths
    assert len(path) == min(map(len, open_paths))
    for here, arrow, there in zip(path, re.findall("<-|->", text), path[1:], strict=False):
        assert ((here, there) if arrow == "->" else (there, here)) in cut


def test_a_collider_is_no_backdoor_path_and_a_confounder_is_one() -> None:
    collider = graph_of("XCY", {("X", "C"), ("Y", "C")})
    confounder = graph_of("XCY", {("C", "X"), ("C", "Y"), ("X", "Y")})
    assert collider.backdoor_path(["X"], "Y") is None
    assert confounder.backdoor_path(["X"], "Y") == "X <- C -> Y"
    assert confounder.backdoor_path(["X", "C"], "Y") is None  # setting the confounder closes its path


def test_an_effect_that_causes_the_cause_is_a_backdoor_path() -> None:
    assert graph_of("YAX", {("Y", "A"), ("A", "X")}).backdoor_path(["X"], "Y") == "X <- A <- Y"


def test_the_observation_has_no_backdoor_path() -> None:
    assert graph_of("XCY", {("C", "X"), ("C", "Y")}).backdoor_path([], "Y") is None


@settings(max_examples=60, deadline=None)
@given(graph=edges_among())
def test_among_orders_with_causes_first_the_users_order_decides(graph: tuple[str, Edges]) -> None:
    names, edges = graph
    orders = (
        order for order in itertools.permutations(names) if all(order.index(a) < order.index(b) for a, b in edges)
    )
    assert graph_of(names, edges).order == next(orders)  # permutations come in the order of `names`


def test_the_order_follows_the_user_and_not_the_alphabet() -> None:
    assert graph_of("ZMAB", {("M", "B")}).order == ("Z", "M", "A", "B")
    assert graph_of("ZMAB", {("B", "Z")}).order == ("M", "A", "B", "Z")


def test_a_cycle_is_named_edge_by_edge() -> None:
    edges = {("A", "B"), ("B", "C"), ("C", "D"), ("D", "B"), ("D", "E")}
    with pytest.raises(cb.InputError) as caught:
        graph_of("ABCDE", edges)
    cycle = re.search(r"the cycle (.*);", str(caught.value))[1].split(" -> ")
    assert cycle[0] == cycle[-1]
    assert set(cycle) == {"B", "C", "D"}
    assert all(edge in edges for edge in itertools.pairwise(cycle))


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            [("Season", ()), ("Sales", ("Seasn",))],
            "Variable Sales has the parent 'Seasn', which is not defined: did you mean 'Season'.",
        ),
        ([("A", ()), ("B", ("Q",))], "Variable B has the parent 'Q', which is not defined: choose from: A, B."),
        ([("A", ()), ("B", ("A", "A"))], r"Variable B lists a parent twice in ['A', 'A']; name each once."),
        ([("A", ()), ("A", ())], "Variable A is defined twice; give each variable a name of its own."),
    ],
)
def test_a_graph_that_makes_no_sense_is_refused_in_a_sentence_that_names_the_mistake(
    variables: list, sentence: str
) -> None:
    with pytest.raises(cb.InputError, match=re.escape(sentence)):
        cb.Graph(tuple(cb.Variable(name, ("0", "1"), parents) for name, parents in variables))


@pytest.mark.parametrize("values", [("a", "a"), ("a",)])
def test_a_variable_needs_two_distinct_values(values: tuple[str, ...]) -> None:
    with pytest.raises(cb.InputError, match="Variable X "):
        cb.Variable("X", values)


def test_an_unknown_variable_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(cb.InputError, match="did you mean 'Season'"):
        cb.Graph((cb.Variable("Season", ("0", "1")),))["Saeson"]


@pytest.mark.parametrize(("cause", "effect"), [("A", "Q"), ("Q", "B")])
def test_a_question_about_an_unknown_variable_is_answered_in_one_sentence(cause: str, effect: str) -> None:
    graph = graph_of("AB", {("A", "B")})
    for ask in (graph.backdoor_path, graph.d_separated):
        with pytest.raises(cb.InputError, match="'Q'"):
            ask([cause], effect)
