"""A failure counts only beside a rival that knows better: one that does well in the mirror image of the world, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalbandits as cb
from causalbandits.adversary import score as scores
from causalbandits.adversary.confirm import confirmed
from causalbandits.adversary.judge import Losses, severity
from causalbandits.adversary.recipe import Recipe, mutated
from causalbandits.adversary.recipe import random_recipe as random
from causalbandits.adversary.score import scored
from causalbandits.adversary.worlds import world_of

from .planted import Blinkered, Cheapest, Patient, Rotating

LIMIT = 0.05
# the best arm is also the cheapest one; in the mirror image it is the worst
CHEAP_BEST = Recipe(causes=3, base=0.1, gap=0.6, observe=False, price=1.0, best_price=0.5, times=200)
# watching hardly ever shows the best arm
RARE_BEST = Recipe(causes=3, base=0.3, gap=0.6, rare=0.0001, times=100)


@pytest.mark.parametrize(
    ("policy", "rival", "fails"),
    [
        (Losses(0.30, 0.30), Losses(0.01, 0.01), True),  # the rival knows better
        (Losses(0.30, 0.30), Losses(0.00, 0.60), False),  # it is only lucky in the world
        (Losses(0.30, 0.30), Losses(0.60, 0.00), False),  # or in the mirror image
        (Losses(0.30, 0.00), Losses(0.01, 0.095), True),  # the world alone: 0.30 > 3 * 0.095
        (Losses(0.30, 0.00), Losses(0.01, 0.11), False),  # each is better in one of them
        (Losses(0.30, 0.10), Losses(0.00, 0.13), True),  # the averages alone: 0.20 > 3 * 0.065
        (Losses(0.30, 0.08), Losses(0.00, 0.13), False),
        (Losses(0.04, 0.04), Losses(0.00, 0.00), False),  # too small to matter
        (Losses(0.04, 0.07), Losses(0.00, 0.00), True),  # on average large enough
    ],
)
def test_a_policy_fails_beside_a_rival_that_is_better_in_both_images(
    policy: Losses, rival: Losses, fails: bool
) -> None:
    assert (severity(policy, rival, LIMIT) > 1) == fails


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 6), st.sampled_from(["find", "earn"]))
def test_the_mirror_image_is_the_same_problem_and_differs_in_the_reward_alone(
    seed: int, mutations: int, objective: cb.problem.Objective
) -> None:
    """So nobody can tell them apart before the first round, also if P(parents of the reward | do(arm)) is revealed."""
    rng = np.random.default_rng(seed)
    recipe = random(rng)
    for _ in range(mutations):
        recipe = mutated(recipe, rng)
    (world, problem), (other_world, other) = (
        world_of(replace(recipe, mirrored=mirrored), objective, np.random.default_rng(seed))
        for mirrored in (False, True)
    )
    assert problem.arms == other.arms
    assert problem.exact_costs == other.exact_costs
    assert problem.exact_budget == other.exact_budget
    assert problem.reward == other.reward
    assert problem.reward_scale == other.reward_scale
    assert problem.graph == other.graph
    assert (problem.parents is None) == (other.parents is None) == (not recipe.reveal)
    if recipe.reveal:
        np.testing.assert_array_equal(problem.parents, other.parents)
    for name, mechanism in world.mechanisms.items():
        if name != "Y":
            np.testing.assert_array_equal(mechanism.probabilities, other_world.mechanisms[name].probabilities)
    if recipe.reward == "real":  # an arm that is so much above the others is now so much below them
        sums = world.means(problem) + other_world.means(other)
        np.testing.assert_allclose(sums, sums[0], rtol=1e-9, atol=1e-9 * recipe.scale)


def test_a_rival_that_wins_by_luck_makes_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotating is bad, but who always plays the cheapest arm knows no better."""
    monkeypatch.setattr(scores, "rivals_of", lambda *arguments: [Cheapest()])
    score = scored(Rotating(), CHEAP_BEST, "earn", 1)
    assert score is not None
    assert score.rival_loss < 0.01 < 0.3 < score.loss  # 30 times as much
    assert score.rival_mirror_loss > 0.5
    assert score.severity < 1


def test_a_crowd_of_lucky_rivals_does_not_hide_one_that_knows_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three lucky ones lose less in the world than KL-UCB, which alone is good in the mirror image."""
    crowd = [Cheapest(number=number) for number in range(4)]
    monkeypatch.setattr(scores, "rivals_of", lambda *arguments: [cb.UCB(), *crowd, cb.KLUCB()])
    score = scored(Rotating(), CHEAP_BEST, "earn", 1)
    assert score is not None
    assert score.rival == "kl-ucb"
    assert 0.01 < max(score.rival_loss, score.rival_mirror_loss) < score.loss / 3
    assert score.severity > 1
    case = confirmed(Rotating(), CHEAP_BEST, "kl-ucb", "earn", 1, runs=100)
    assert case.verdict == "finding"


@pytest.mark.parametrize("policy", [Blinkered(), Patient()], ids=lambda policy: policy.kind)
def test_a_real_weakness_with_rare_arms_is_still_found(policy: cb.Policy) -> None:
    """In the mirror image the best value is the usual one, and everybody does well there."""
    score = scored(policy, RARE_BEST, "earn", 1)
    assert score is not None
    assert score.severity > 1
    case = confirmed(policy, RARE_BEST, score.rival, "earn", 1, runs=100)
    assert case.verdict == "finding"
    assert case.loss.mean > 0.3
    assert case.mirror_loss.mean < 0.1
    assert case.rival_mirror_loss.mean < case.loss.mean / 3
