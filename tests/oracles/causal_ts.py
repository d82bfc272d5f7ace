"""Causal Thompson sampling, from its description.

Draw every mean. Watch while that saves money; otherwise play the best draw per cost.
"""

from __future__ import annotations

import numpy as np

from .causal_kl import is_due, length, observes, payable
from .common import (
    affordable,
    all_arms,
    best_of_sampled,
    effective_means,
    effective_rewards,
    interventions,
    own_rewards,
    shown_rewards,
)
from .setting import Round, Setting


def along(setting: Setting, history: list[Round]) -> list[set[int]]:
    """The arms that may be played in every round, and in the round after it.

    Any arm that can be paid may be played, for the whole of its block.
    """
    allowed: list[set[int]] = []
    while len(allowed) <= len(history):
        start = len(allowed)
        arms = set(affordable(setting, history[:start]))
        if (
            observes(setting)
            and 0 in arms
            and ((is_due(setting) and not own_rewards(history[:start], 0)) or arms == {0})
        ):
            arms = {0}  # watched once at the start, if nothing is cheaper; and when nothing else can be paid
        allowed.append(arms)
        if start < len(history) and arms:
            arm = history[start].arm
            # While little was watched, an observation may be a single round. So where a row of observations that began
            # then has its blocks is not known.
            row = start
            while row > 0 and history[row - 1].arm == 0:
                row -= 1
            is_single = arm == 0 and observes(setting) and watched_little(history[:row])
            block = 1 if is_single else length(setting, history[:start], arm)
            allowed += [{arm}] * min(block - 1, len(history) - start - 1, payable(setting, history[:start], arm) - 1)
    return allowed


def probabilities(setting: Setting, history: list[Round], draws: int, rng: np.random.Generator) -> dict[int, float]:
    """How often each arm is chosen, over many draws of all means."""
    can, means = affordable(setting, history), effective_means(setting, history)
    costs = np.array([float(cost) for cost in setting.costs])
    theta = np.array([draw(setting, history, a, draws, rng) for a in all_arms(setting)])  # (arms, draws)
    value = theta / costs[:, None]
    v = max(means[a] / costs[a] for a in means)
    saved = np.full(draws, means[0] - costs[0] * v)
    for a in interventions(setting):
        shown = len(shown_rewards(setting, history, a))
        if shown and a in can:
            saved += (value[a] > v) * shown / len(own_rewards(history, 0)) * (costs[a] * v - means[a])
    best = np.array(can)[value[can].argmax(axis=0)]
    if observes(setting) and 0 in can and watched_little(history):
        # the observation has a chance in every round of the block
        for arm in set(best.tolist()) - {0}:
            at = np.flatnonzero(best == arm)
            more = draw(setting, history, 0, (length(setting, history, arm) - 1, len(at)), rng) / costs[0]
            best[at[(more > value[arm, at]).any(axis=0)]] = 0
    chosen = np.where(saved > 1e-12, 0, best)
    return {a: float((chosen == a).mean()) for a in all_arms(setting)}


def watched_little(history: list[Round]) -> bool:
    return len(own_rewards(history, 0)) < 100


def draw(
    setting: Setting, history: list[Round], arm: int, draws: int | tuple[int, int], rng: np.random.Generator
) -> np.ndarray:
    """Draws from Beta(1 + S, 1 + n - S), scaled; for real rewards from the normal, or infinity without rewards."""
    rewards = effective_rewards(setting, history, arm)
    if not setting.is_bounded:
        return (
            rng.normal(sum(rewards) / len(rewards), 0.5 / len(rewards) ** 0.5, draws)
            if rewards
            else np.full(draws, np.inf)
        )
    successes = sum((r - setting.low) / setting.width for r in rewards)
    return setting.low + setting.width * rng.beta(1 + successes, 1 + len(rewards) - successes, draws)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean over effective samples, not per cost."""
    return best_of_sampled(setting, effective_means(setting, history))
