"""Causal Thompson sampling, from its description.

Draw every mean. Watch while that saves money; otherwise play the best draw per cost. Arms with fewer samples have a
chance in every round of a block.
"""

from __future__ import annotations

from math import exp

import numpy as np

from .causal_kl import (
    best_known_rate,
    divergence,
    index,
    is_due,
    length,
    nothing_is_worth_its_price,
    observes,
    payable,
    rare_or_observation,
)
from .causal_kl import recommended as surest
from .common import (
    affordable,
    all_arms,
    effective_means,
    effective_rewards,
    interventions,
    own_rewards,
    shown_rewards,
)
from .setting import Round, Setting
from .thompson import draw


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round, and in the round after it.

    A choice may begin in several rounds: an arm is chosen for its block, or for a single round where it was lucky or
    too rare to wait for. Within the block of a choice that can be no single round, no other arm may be played.
    """
    begins, goes_on = [False] * (len(history) + 1), [False] * (len(history) + 1)
    allowed: list[set[int]] = [set() for _ in begins]
    begins[0] = True
    for start in range(len(history) + 1):
        before = history[:start]
        if not begins[start]:
            allowed[start] = {history[start - 1].arm}
            continue
        arms = set(affordable(setting, before))
        if arms and nothing_is_worth_its_price(setting, {a: index(setting, before, a) for a in arms}):
            arms = {history[start - 1].arm} & arms if goes_on[start] else set()
        if observes(setting) and 0 in arms and ((is_due(setting) and not own_rewards(before, 0)) or arms == {0}):
            arms = {0}  # watched once at the start, if nothing is cheaper; and when nothing else can be paid
        allowed[start] = arms
        if start < len(history) and arms:
            arm = history[start].arm
            rounds = min(length(setting, before, arm), payable(setting, before, arm))
            if may_be_single(setting, before, arm) and arms != {0}:
                begins[start + 1] = True
            if start + rounds <= len(history) and all(r.arm == arm for r in history[start : start + rounds]):
                begins[start + rounds] = True
                goes_on[start + 1 : start + rounds] = [True] * (rounds - 1)
    return allowed


def may_be_single(setting: Setting, history: list[Round], arm: int) -> bool:
    """Whether the arm may be played for one round: another one has more samples, or watching would be too slow."""
    n = {a: len(effective_rewards(setting, history, a)) for a in all_arms(setting)}
    return n[arm] < max(n.values()) or (observes(setting) and arm != 0)


def probabilities(setting: Setting, history: list[Round], draws: int, rng: np.random.Generator) -> dict[int, float]:
    """How often each arm is chosen, over many draws of all means."""
    can, means = affordable(setting, history), effective_means(setting, history)
    costs = np.array([float(cost) for cost in setting.costs])
    theta = np.array(
        [draw(setting, effective_rewards(setting, history, a), draws, rng) for a in all_arms(setting)]
    )  # (arms, draws)
    value = theta / costs[:, None]
    v = best_known_rate(setting, means)
    saved = np.full(draws, means[0] - costs[0] * v)
    for a in interventions(setting):
        shown = len(shown_rewards(setting, history, a))
        if shown and a in can:
            saved += (value[a] > v) * shown / len(own_rewards(history, 0)) * (costs[a] * v - means[a])
    best = np.array(can)[value[can].argmax(axis=0)]
    chosen = best.copy()
    for arm in set(best.tolist()):
        at = np.flatnonzero(best == arm)
        chosen[at] = lucky_or(setting, history, can, arm, len(at), rng)
    watches = saved > 1e-12
    if observes(setting) and 0 in can:
        index_of = {a: index(setting, history, a) for a in all_arms(setting)}
        evidence = {a: float(len(effective_rewards(setting, history, a))) for a in all_arms(setting)}
        rare = rare_or_observation(setting, history, can, means, index_of, evidence)
        assert len(rare) == 1, "rounding decides; take another case"
        chosen[watches | ((best == 0) & (chosen == 0))] = rare.pop()
    return {a: float((chosen == a).mean()) for a in all_arms(setting)}


def lucky_or(
    setting: Setting, history: list[Round], can: list[int], arm: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """What is played where the draw of `arm` was the best: a lucky arm with fewer samples, or the arm itself."""
    rounds = length(setting, history, arm) - 1
    n = {a: len(effective_rewards(setting, history, a)) for a in all_arms(setting)}
    chosen, found = np.full(draws, arm), np.zeros(draws, int)
    for a in can if rounds > 0 else []:
        if n[a] < n[arm]:
            lucky = rng.random(draws) < 1 - (1 - chance(setting, history, a, arm)) ** rounds
            if a == 0 and observes(setting):
                chosen[lucky], found[lucky] = 0, -(10**9)
            found += lucky
            chosen[lucky & (found > 0) & (rng.random(draws) < 1 / np.maximum(found, 1))] = a
    return chosen


def chance(setting: Setting, history: list[Round], a: int, arm: int) -> float:
    """The chance of a in a round of the arm, with m = n + 1.

    5 / ((arms - 1) m) exp(-m KL(S / m, c_a v) / (1 + 6 / (m + 2 arms)))
    The exponent of a real reward has n and its mean, as the tail of a normal has.
    """
    rewards, leader = effective_rewards(setting, history, a), effective_rewards(setting, history, arm)
    m = len(rewards) + 1
    e = setting.exploration * (1 + 6 / (m + 2 * len(setting.arms)))
    best = sum(leader) / len(leader)
    if setting.is_bounded:  # one success and one failure more
        best = (sum(leader) + 2 * setting.low + setting.width) / (len(leader) + 2)
    goal = float(setting.costs[a]) * best / float(setting.costs[arm])
    if setting.is_bounded:
        plausible = exp(-m * divergence(setting, (sum(rewards) + setting.low) / m, goal) / e)
    else:
        plausible = exp(-len(rewards) * divergence(setting, sum(rewards) / len(rewards), goal) / e) if rewards else 1.0
    few_observations = a == 0 and observes(setting) and len(rewards) < 100
    return plausible if few_observations else min(5 / ((len(setting.arms) - 1) * m), 1) * plausible


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The largest lower bound, as in causal-kl."""
    return surest(setting, history)
