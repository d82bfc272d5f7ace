"""Latent projection and districts: by hand, and held to d-separation in the whole graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.identify.districts import district, districts
from causalbandits.identify.projection import Projection, project

from .graphs import graph_of


def edges(projection: Projection) -> set[str]:
    """The edges of a projection as text: "X->Y" and "X<->Y"."""
    directed = {f"{cause}->{name}" for name in projection.order for cause in projection.parents_of[name]}
    pairs = itertools.combinations(projection.order, 2)
    return directed | {f"{one}<->{other}" for one, other in pairs if other in projection.siblings[one]}


@pytest.mark.parametrize(
    ("text", "hidden", "expected"),
    [
        ("X->W W->Y", "W", "X->Y"),
        ("X->U U->V V->Y", "U V", "X->Y"),  # a chain of hidden variables
        ("U->X U->Y", "U", "X<->Y"),
        ("X->U U->A U->B", "U", "X->A X->B A<->B"),  # a hidden variable with a visible cause
        ("U->V V->A V->B U->C", "U V", "A<->B A<->C B<->C"),
        ("U->W V->W W->A U->B V->C", "U V W", "A<->B A<->C"),  # a collider opens nothing
        ("X->U U->Y X->Y", "U", "X->Y"),
        ("U->Y V->Y", "U V", ""),
        ("U->A U->B U->C A->B", "U", "A->B A<->B A<->C B<->C"),
    ],
)
def test_what_stays_of_a_graph_without_its_hidden_variables(text: str, hidden: str, expected: str) -> None:
    assert edges(project(graph_of(text, hidden))) == set(expected.split())


def test_a_hidden_path_is_the_shortest_one_and_reads_from_the_first_variable_to_the_second() -> None:
    projection = project(graph_of("U->V V->A V->B U->C U->D D->A", "U V D"))
    assert projection.hidden_path("A", "B") == "A <- V -> B"
    assert projection.hidden_path("B", "C") == "B <- V <- U -> C"
    assert projection.hidden_path("A", "A") is None
    assert project(graph_of("U->V V->A U->A U->B", "U V")).hidden_path("A", "B") == "A <- U -> B"
    assert project(graph_of("A->B", "")).hidden_path("A", "B") is None


def test_a_district_is_what_hidden_causes_connect_inside_a_set() -> None:
    projection = project(graph_of("U->A U->B V->B V->C A->C C->D", "U V"))
    assert districts(projection, {"A", "B", "C", "D"}) == ({"A", "B", "C"}, {"D"})
    assert districts(projection, {"A", "C", "D"}) == ({"A"}, {"C"}, {"D"})
    assert district(projection, "C", {"B", "C"}) == {"B", "C"}


@pytest.mark.parametrize("seed", range(30))
def test_a_projection_separates_exactly_what_the_whole_graph_separates(seed: int) -> None:
    rng = np.random.default_rng([16, seed])
    graph = cb.worlds.random_world(rng, variables=7, parents=3, hidden=int(rng.integers(0, 4))).graph
    projection = project(graph)
    names = projection.order
    pairs = [(one, other) for one, other in itertools.combinations(names, 2) if other in projection.siblings[one]]
    causes = {f"{one}{other}": (one, other) for one, other in pairs}
    canonical = cb.Graph(
        (
            *(cb.Variable(cause, ("0", "1")) for cause in causes),
            *(
                cb.Variable(
                    name,
                    ("0", "1"),
                    (*projection.parents_of[name], *(cause for cause, pair in causes.items() if name in pair)),
                )
                for name in names
            ),
        )
    )
    for one, other in itertools.combinations(names, 2):
        rest = [name for name in names if name not in (one, other)]
        for given in itertools.chain.from_iterable(itertools.combinations(rest, n) for n in range(len(rest) + 1)):
            separated = graph.d_separated([one], [other], given)
            assert canonical.d_separated([one], [other], given) == separated, (one, other, given)
