"""What rounds teach, held to exact enumeration in random worlds with hidden variables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import causalbandits as cb
from causalbandits.identify.factors import factors_of, teaches
from causalbandits.identify.projection import project

from ..enumeration import enumerate_world
from .exact import by_definition, conditional, joint, mean, mean_from_factors, settings

EQUAL, DIFFERENT = (
    1e-9,
    1e-7,
)  # two conditional probabilities that are the same in exact arithmetic, and two that differ
CASES = [(hidden, seed) for hidden in range(4) for seed in range(40)]


def random_world(hidden: int, seed: int) -> cb.World:
    """Four or five visible variables and the reward; values 2 to 4 where the joint table stays small."""
    rng = np.random.default_rng([16, hidden, seed])
    variables = int(rng.integers(4, 6)) + hidden
    return cb.worlds.random_world(
        rng, variables=variables, values=(2, 4 if variables < 7 else 2), parents=3, hidden=hidden
    )


def sets_of(world: cb.World) -> list[tuple[str, ...]]:
    """What an arm may set: nothing, one variable or two."""
    visible = [v.name for v in world.graph.variables if not v.hidden and v.name != world.reward.variable]
    return [(), *itertools.combinations(visible, 1), *itertools.combinations(visible, 2)]


def test_the_oracle_enumerates_as_slowly_as_the_other_one() -> None:
    world = random_world(2, 0)
    for do in ({}, {sets_of(world)[1][0]: "0"}):
        table = joint(world, do)
        for at, p in enumerate_world(world, do).items():
            assert table[at] == pytest.approx(p, abs=1e-15)


def test_some_hidden_variables_of_the_cases_have_hidden_causes_and_some_have_visible_ones() -> None:
    graphs = [random_world(hidden, seed).graph for hidden, seed in CASES]
    causes = [graph[p].hidden for graph in graphs for v in graph.variables if v.hidden for p in v.parents]
    assert min(causes.count(True), causes.count(False)) > 40


@pytest.mark.parametrize(("hidden", "seed"), CASES)
def test_the_mean_of_an_arm_is_the_sum_of_the_products_of_its_factors(hidden: int, seed: int) -> None:
    world = random_world(hidden, seed)
    projection = project(world.graph)
    for names in sets_of(world):
        factors = factors_of(projection, "Y", names)
        assert factors[-1].variable == "Y"
        for do in settings(world, names):
            assert mean_from_factors(world, do, factors) == pytest.approx(mean(world, do), abs=1e-12)


def compared(hidden: int, seed: int) -> tuple[int, int]:
    """How many conditionals were taught, and how many were not. The rule is right about each."""
    world = random_world(hidden, seed)
    projection = project(world.graph)
    sets = sets_of(world)
    shown = {names: [joint(world, do) for do in settings(world, names)] for names in sets}
    taught = untaught = 0
    for factor in {factor for names in sets for factor in factors_of(projection, "Y", names)}:
        truth = by_definition(world, factor)
        for names in sets:
            if factor.variable in names:
                assert not teaches(projection, names, factor)
                continue
            gaps = [np.nanmax(abs(conditional(world, table, factor) - truth)) for table in shown[names]]
            if teaches(projection, names, factor):
                taught += 1
                assert max(gaps) < EQUAL, (hidden, seed, str(factor), names)
            else:
                untaught += 1
                assert max(gaps) > DIFFERENT, (hidden, seed, str(factor), names)
    return taught, untaught


def test_a_round_teaches_exactly_the_factors_that_the_rule_names() -> None:
    taught, untaught = np.sum([compared(hidden, seed) for hidden, seed in CASES], axis=0)
    assert taught > 6000
    assert untaught > 1000
    assert compared(0, 0)[1] == 0  # without hidden variables every round teaches all that it does not set
