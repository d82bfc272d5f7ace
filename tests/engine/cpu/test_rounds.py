"""Simulated rounds: whatever way they are drawn, they have the exact distribution of the world."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

import causalbandits as cb

from ...enumeration import SAMPLED, enumerated, enumerated_moments, interventions_of
from ...fixed import Fixed, FixedByArms, FixedByBoth, FixedByParents

ALARM = 1e-6  # the chance that a correct program fails a test of sampling; with fixed seeds it fails always or never
ROUNDS = 60_000
WAYS = {  # the ways in which the engine draws rounds
    "one block": Fixed(count=0),
    "blocks of 100": Fixed(count=100),
    "7 rounds at a time": Fixed(count=7),
    "1 round at a time": Fixed(count=1),
    "one block, by arms": FixedByArms(count=0),
    "1 round at a time, by arms": FixedByArms(count=1),
    "one block, by parents": FixedByParents(count=0),
    "1 round at a time, by parents": FixedByParents(count=1),
    "one block, by both": FixedByBoth(count=0),
}


sampled = pytest.mark.parametrize(
    ("world", "policy"),
    [
        pytest.param(world, policy, id=f"{name} - {way}")
        for name, world in SAMPLED.items()
        for way, policy in WAYS.items()
        if policy.reads.name not in ("parents", "both")
        or not any(world.graph[parent].hidden for parent in world.graph[world.reward.variable].parents)
    ],
)


def sample(
    world: cb.World, policy: cb.Policy, arms: list[dict[str, str]], arm: int, rounds: int = ROUNDS, seed: int = 17
) -> cb.Trace:
    """Rounds of one arm, drawn in the policy's way."""
    problem = world.problem(horizon=rounds, arms=arms, reveal_parents=policy.reads.name == "parents")
    trace = cb.trace(world, problem, replace(policy, arm=arm), seed=seed, run=arm)
    assert (trace.arms == arm).all()
    assert len(trace) == rounds
    return trace


def frequencies_off(
    world: cb.World, trace: cb.Trace, names: list[str], exact: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How far the frequencies of the configurations shown are from `exact`, and how far they may be.

    Bernstein's inequality, two-sided, with Bonferroni over the cells. With a chance of at most 2 exp(-l):

        |f - p| > sqrt(2 p (1 - p) l / n) + l / (3 n)
    """
    cells = [(trace.shown[name][:, None] == np.array(world.graph[name].values)).argmax(axis=1) for name in names]
    number = np.ravel_multi_index(cells, exact.shape)
    found = np.bincount(number, minlength=exact.size).reshape(exact.shape) / len(trace)
    log = math.log(2 * exact.size / ALARM)
    return np.abs(found - exact), np.sqrt(2 * exact * (1 - exact) * log / len(trace)) + log / (3 * len(trace))


@sampled
def test_the_average_sampled_reward_of_every_arm_is_its_exact_mean(world: cb.World, policy: cb.Policy) -> None:
    others = interventions_of(world)[1:]
    arms = others[:: 1 + len(others) // 5]  # a few of one variable and of two
    assert {len(do) for do in arms} == {1, 2}
    quantile = NormalDist().inv_cdf(1 - ALARM / (2 * (1 + len(arms))))  # two-sided, Bonferroni over the arms
    for arm, do in enumerate([{}, *arms]):
        mean, deviation = enumerated_moments(world, do)
        rewards = sample(world, policy, arms, arm).rewards
        assert abs(rewards.mean() - mean) <= quantile * deviation / math.sqrt(ROUNDS), do


@sampled
def test_an_observation_shows_the_exact_joint_distribution(world: cb.World, policy: cb.Policy) -> None:
    trace = sample(world, policy, interventions_of(world), arm=0)
    visible = [v.name for v in world.graph.variables if v.values and not v.hidden]
    assert set(trace.shown) == set(visible)
    off, may_be = frequencies_off(world, trace, visible, world.marginal(visible, "do()"))
    assert (off <= may_be).all()


@sampled
def test_an_intervention_shows_what_it_set_and_the_exact_joint_distribution_of_the_rest(
    world: cb.World, policy: cb.Policy
) -> None:
    do = next(do for do in reversed(interventions_of(world)) if "E" not in do)
    trace = sample(world, policy, [do], arm=1)
    for name, value in do.items():
        assert (trace.shown[name] == value).all()
    rest = [v.name for v in world.graph.variables if v.values and not v.hidden and v.name not in do]
    off, may_be = frequencies_off(world, trace, rest, enumerated(world, do, rest))
    assert (off <= may_be).all()


@sampled
def test_the_reward_is_the_value_shown_or_normal_about_what_its_causes_add_up_to(
    world: cb.World, policy: cb.Policy
) -> None:
    trace = sample(world, policy, [{"Coin": "1"}] if "Coin" in world.graph else interventions_of(world)[1:2], arm=1)
    if world.reward.kind == "binary":
        np.testing.assert_array_equal(trace.rewards, trace.shown[world.reward.variable] == world.reward.success)
    elif world.reward.kind == "bounded":
        np.testing.assert_array_equal(trace.rewards, trace.shown["Y"].astype(float))
    else:
        mechanism = world.mechanisms["Y"]
        added = sum(weight * trace.shown[cause].astype(float) for cause, weight in mechanism.weights.items())
        noise = (trace.rewards - mechanism.intercept - added) / mechanism.noise
        steps, exact = np.arange(ROUNDS + 1) / ROUNDS, np.array([NormalDist().cdf(value) for value in np.sort(noise)])
        # The inequality of Dvoretzky, Kiefer, Wolfowitz and Massart: with a chance of at most `alarm`
        # the largest gap exceeds sqrt(log(2 / alarm) / (2 n)).
        assert np.maximum(exact - steps[:-1], steps[1:] - exact).max() <= math.sqrt(math.log(2 / ALARM) / (2 * ROUNDS))


@pytest.mark.parametrize("p", [0.4999, 0.0001, 1 / 3])
def test_a_block_draws_a_probability_to_many_digits(p: float) -> None:
    rounds = 2_000_000
    world = cb.World([cb.node("X", {0: 0.5, 1: 0.5}), cb.node("Y", [0, 1], table=p)], reward="Y")
    found = sample(world, Fixed(count=0), [{"X": "1"}], arm=0, rounds=rounds).rewards.mean()
    quantile = NormalDist().inv_cdf(1 - ALARM / 2)  # two-sided
    # Poisson tail at 200 expected: 5 sd and 10 more is below 1e-6
    assert abs(found - p) <= quantile * math.sqrt(p * (1 - p) / rounds) + 10 / rounds


@pytest.mark.parametrize("policy", WAYS.values(), ids=WAYS.keys())
def test_the_rounds_of_a_run_are_independent(policy: cb.Policy) -> None:
    quantile = NormalDist().inv_cdf(1 - ALARM / (2 * 2 * 64))  # two-sided, Bonferroni over two variables and 64 lags
    trace = sample(cb.worlds.parallel([0.5, 0.5], 1e-9), policy, [{"X1": "1"}], arm=0)
    for name in ("X1", "X2"):
        # products of two fair signs are uncorrelated, with variance 1
        signs = np.where(trace.shown[name] == "1", 1, -1)
        for lag in range(1, 65):
            assert abs(np.mean(signs[lag:] * signs[:-lag])) <= quantile / math.sqrt(ROUNDS - lag), (name, lag)
