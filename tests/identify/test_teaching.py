"""What rounds teach about each arm: known graphs by hand, and random problems by enumeration."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import causalbandits as cb

from .exact import by_definition, conditional, joint
from .graphs import graph_of, problem_of
from .test_exact import DIFFERENT, EQUAL, random_world


def learned(problem: cb.Problem, arm: str) -> dict[str, str]:
    """How every factor that an arm needs is learned, as text."""
    return {str(need.factor): need.learned for need in problem.teaching()[problem.arm(arm)].needs}


def summary(problem: cb.Problem) -> list[tuple[str, ...]]:
    return [tuple(row) for row in problem.teaching().sheet.rows]


def test_in_a_chain_watching_teaches_everything() -> None:
    problem = problem_of("X->W W->Y")
    assert learned(problem, "do()") == dict.fromkeys(["P(X)", "P(W | X)", "P(Y | W)"], "by watching")
    assert learned(problem, "do(X=1)") == dict.fromkeys(["P(W | X)", "P(Y | W)"], "by watching")
    assert learned(problem, "do(W=1)") == {"P(Y | W)": "by watching"}


def test_a_fork_that_is_seen_is_a_backdoor_path_and_does_no_harm() -> None:
    problem = problem_of("Z->X Z->Y X->Y")
    assert problem.backdoor_path("do(X=1)") == "X <- Z -> Y"
    assert learned(problem, "do(X=1)") == {"P(Z)": "by watching", "P(Y | Z, X)": "by watching"}


def test_in_the_front_door_graph_the_other_arms_teach_what_watching_does_not() -> None:
    problem = problem_of("U->X X->M M->Y U->Y", "U")
    assert learned(problem, "do()") == dict.fromkeys(["P(X)", "P(M | X)", "P(Y | X, M)"], "by watching")
    assert learned(problem, "do(X=1)") == {"P(M | X)": "by watching", "P(Y | M)": "by other arms"}
    assert summary(problem) == [
        ("do()", "by watching", ""),
        ("do(X=...)", "by other arms", "Y by other arms (X <- U -> Y)"),
        ("do(M=...)", "by other arms", "Y by other arms (X <- U -> Y)"),
    ]
    alone = problem_of("U->X X->M M->Y U->Y", "U", arms=["do(X=1)"])
    assert learned(alone, "do(X=1)") == {"P(M | X)": "by watching", "P(Y | M)": "own rounds only"}
    (need,) = alone.teaching()[1].unwatched
    assert (need.factor.conditions, need.fixed, need.arms) == (("M",), {}, ())
    half = problem_of("U->X X->M M->Y U->Y", "U", arms=["do(X=1)", "do(M=0)"])
    assert learned(half, "do(X=1)") == {"P(M | X)": "by watching", "P(Y | M)": "partly"}
    assert learned(half, "do(M=0)") == {"P(Y | M)": "by other arms"}


def test_in_the_bow_graph_an_arm_is_learned_from_its_own_rounds_only() -> None:
    problem = problem_of("U->X U->Y X->Y", "U")
    assert summary(problem)[1:] == [("do(X=...)", "own rounds only", "Y own rounds only (X <- U -> Y)")]
    (need,) = problem.teaching()[problem.arm("do(X=1)")].needs
    assert (need.fixed, need.arms, need.factor.members) == ({"X": "1"}, (), {"Y"})


def test_in_the_napkin_graph_arms_that_cut_the_confounding_teach_each_other() -> None:
    text = "U->W V->W W->R R->X U->X V->Y X->Y"
    problem = problem_of(text, "U V")
    assert learned(problem, "do(R=1)") == {"P(X | R)": "by other arms", "P(Y | X)": "by other arms"}
    assert learned(problem, "do(X=1)") == {"P(Y | X)": "by other arms"}
    need = problem.teaching()[problem.arm("do(X=1)")].needs[0]
    assert {str(problem.arms[i]) for i in need.arms} == {"do(W=0)", "do(W=1)", "do(R=0)", "do(R=1)"}
    assert need.hidden_path == "W <- V -> Y"
    assert learned(problem_of(text, "U V", arms=["X"]), "do(X=1)") == {"P(Y | X)": "own rounds only"}
    assert learned(problem, "do(W=1)") == {"P(R | W)": "by watching"} | dict.fromkeys(
        ["P(X | R)", "P(Y | X)"], "by other arms"
    )


def test_in_the_m_graph_a_collider_does_no_harm() -> None:
    problem = problem_of("U->X U->Z V->Z V->Y X->Y", "U V")
    assert learned(problem, "do(X=1)") == {"P(Y | X)": "by watching"}
    assert summary(problem) == [("every arm", "by watching", "")]


def test_an_instrument_is_learned_by_watching_and_what_it_moves_is_not() -> None:
    problem = problem_of("Z->X U->X U->Y X->Y", "U")
    assert learned(problem, "do(Z=1)") == {"P(X | Z)": "by watching", "P(Y | X, Z)": "by watching"}
    factor = problem.teaching()[problem.arm("do(Z=1)")].needs[-1].factor
    assert (factor.variable, factor.given, factor.parents) == ("Y", ("X",), ("Z",))
    assert learned(problem, "do(X=1)") == {"P(Y | X)": "own rounds only"}


def test_in_experiment_4_all_is_learned_by_watching_or_else_by_the_other_arms() -> None:
    world = cb.worlds.confounded_chain()
    watched = world.problem(budget=50)
    factors = ["P(X1)", "P(X2 | X1)", "P(W1 | X1)", "P(W2 | X2)", "P(Y | W1, W2)"]
    assert [str(factor) for factor in watched.teaching().factors] == factors
    assert {entry.learned for entry in watched.teaching()} == {"by watching"}
    unwatched = world.problem(horizon=50, observe=False)
    assert learned(unwatched, "do(X2=1)") == dict.fromkeys([factors[0], factors[2], *factors[3:]], "by other arms")
    assert learned(unwatched, "do(X1=1)") == {factors[1]: "own rounds only"} | dict.fromkeys(
        factors[2:], "by other arms"
    )
    assert summary(unwatched) == [("do(X1=...)", "partly", "X2 own rounds only"), ("do(X2=...)", "by other arms", "")]
    taught = [{str(unwatched.teaching().factors[i]) for i in row} for row in unwatched.teaching().taught]
    assert taught == [set(factors[1:])] * 2 + [{factors[0], *factors[2:]}] * 2
    needed = [[str(unwatched.teaching().factors[i]) for i in row] for row in unwatched.teaching().needed]
    assert needed == [factors[1:]] * 2 + [[factors[0], *factors[2:]]] * 2


def test_in_the_marketing_world_both_promotions_teach_the_confounded_purchase() -> None:
    problem = cb.worlds.marketing().problem(budget=500, cost=2)
    teaching = problem.teaching()
    entry = teaching[problem.arm("do(Promotion=yes)")]
    assert entry.learned == "by other arms"
    assert list(map(str, entry.unwatched)) == ["Purchase by other arms (Promotion <- Season -> Purchase)"]
    assert [str(problem.arms[i]) for i in entry.unwatched[0].arms] == ["do(Promotion=no)"]
    assert {e.learned for arm, e in zip(problem.arms, teaching, strict=True) if "Promotion" not in arm} == {
        "by watching"
    }
    assert [need.fixed for need in entry.needs if "Promotion" in need.factor.conditions] == [{"Promotion": "yes"}] * 2


def test_an_arm_without_an_effect_needs_what_watching_needs() -> None:
    problem = problem_of("X->Y Y->E Z->E")
    assert learned(problem, "do(Z=1)") == learned(problem, "do()") == dict.fromkeys(["P(X)", "P(Y | X)"], "by watching")


def test_a_hidden_reward_is_refused() -> None:
    graph = graph_of("X->Y", "Y")
    problem = cb.Problem(graph, cb.Reward("Y", "binary", "1"), horizon=9)
    with pytest.raises(cb.InputError, match="The reward Y is hidden"):
        problem.teaching()


def test_what_is_taught_can_be_sent_and_shown() -> None:
    problem = problem_of("U->X U->Y X->Y", "U")
    teaching = problem.teaching()
    assert pickle.loads(pickle.dumps(problem)).teaching() == pickle.loads(pickle.dumps(teaching)) == teaching
    assert (len(teaching), repr(teaching)) == (3, "Teaching(3 arms, 3 factors)")
    assert "own rounds only" in str(teaching)
    assert "<td" in teaching._repr_html_()


def test_arms_with_different_answers_have_rows_of_their_own_and_long_answers_are_cut() -> None:
    problem = problem_of("X->Y", arms=["do(X=0)"], observe=False)
    assert summary(problem) == [("do(X=0)", "own rounds only", "Y own rounds only")]
    listed = ["do(M=0)", "do(M=1)", "do(X=1)"]
    mixed = problem_of("U->X X->M M->Y U->Y", "U", arms=[*listed, "do(X=1, M=1)"], observe=False)
    assert [row[0] for row in summary(mixed)] == ["do(M=...)", "do(X=1)", "do(M=1, X=1)"]
    uneven = problem_of("X->Y Z->Y", arms=["do(X=0)", "do(X=1)", "do(X=1, Z=0)"], observe=False)
    assert summary(uneven) == [
        ("do(X=0)", "partly", "Y own rounds only"),
        ("do(X=1)", "partly", "Y partly"),
        ("do(X=1, Z=0)", "by other arms", ""),
    ]
    long = problem_of("A->Y B->Y C->Y D->Y", arms=["do(A=0)"], observe=False)
    assert summary(long)[0][2] == "B own rounds only; C own rounds only; D own rounds only; and 1 more"


@pytest.mark.parametrize("seed", range(40))
def test_how_an_arm_learns_a_factor_is_what_enumeration_shows(seed: int) -> None:
    """Every other arm that is named shows the right numbers, and together they show the rows that the answer says."""
    world = random_world(seed % 4, 100 + seed)
    rng = np.random.default_rng([17, seed])
    visible = [v for v in world.graph.variables if not v.hidden and v.name != "Y"]
    single = [{v.name: value} for v in visible for value in v.values]
    double = [one | other for one, other in itertools.combinations(single, 2) if one.keys() != other.keys()]
    chosen = [
        *(single[i] for i in rng.permutation(len(single))[:6]),
        *(double[i] for i in rng.permutation(len(double))[:4]),
    ]
    problem = world.problem(horizon=50, arms=chosen, observe=bool(seed % 3))
    tables = [joint(world, arm) for arm in problem.arms]
    for a, entry in enumerate(problem.teaching()):
        for need in entry.needs:
            truth = by_definition(world, need.factor)
            shown = [conditional(world, table, need.factor) for table in tables]
            needed = ~np.isnan(shown[a])
            right = [~np.isnan(table) & (abs(table - truth) < EQUAL) & needed for table in shown]
            wrong = [bool((abs(table - truth)[needed & ~np.isnan(table)] > DIFFERENT).any()) for table in shown]
            teachers = [b for b in range(len(tables)) if right[b].any() and not wrong[b] and b != a]
            assert list(need.arms) == teachers
            others = [right[b] for b in need.arms]
            is_watched = problem.observes and (a == 0 or 0 in need.arms)
            assert (need.learned == "by watching") == is_watched
            if need.learned == "by other arms":
                np.testing.assert_array_equal(np.any(others, axis=0), needed)
            elif need.learned == "partly":
                assert others
                assert not np.array_equal(np.any(others, axis=0), needed)
            elif need.learned == "own rounds only":
                assert not others
