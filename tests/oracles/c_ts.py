"""C-TS (Lu et al. 2020, Algorithm 2).

Draw a mean for every configuration of the reward's parents from its posterior. Play the arm that is best for the draws.
"""

from __future__ import annotations

import numpy as np

from .common import affordable, all_arms, argmax, configuration_rewards, parents_given
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Any affordable arm can be the best for some draw; `probabilities` says how often."""
    return set(affordable(setting, history))


def posterior(setting: Setting, history: list[Round], y: int) -> tuple[str, float, float]:
    """The posterior of mu_y, as its kind and two numbers.

    Bounded rewards: Beta(1 + successes, 1 + failures), scaled to the range of the rewards.
    Real rewards: a normal distribution with this mean and this standard deviation.
    """
    rewards = configuration_rewards(history, y)
    if not setting.is_bounded:  # prior N(0, 1), noise N(0, 1), in units of the width
        return "normal", sum(rewards) / (len(rewards) + 1), setting.width * (len(rewards) + 1) ** -0.5
    successes = sum((r - setting.low) / setting.width for r in rewards)
    failures = sum(1 - (r - setting.low) / setting.width for r in rewards)
    return "beta", 1 + successes, 1 + failures


def probabilities(setting: Setting, history: list[Round], draws: int, rng: np.random.Generator) -> dict[int, float]:
    """How often each arm is the best, over many draws from the posteriors."""
    payable = affordable(setting, history)
    value = np.zeros((len(payable), draws))
    for y in range(len(parents_given(setting, 0))):
        kind, first, second = posterior(setting, history, y)
        theta = (
            rng.normal(first, second, draws)
            if kind == "normal"
            else setting.low + setting.width * rng.beta(first, second, draws)
        )
        for i, a in enumerate(payable):
            value[i] += theta * parents_given(setting, a)[y]
    best = np.bincount(value.argmax(axis=0), minlength=len(payable)) / draws
    return {a: float(best[payable.index(a)]) if a in payable else 0.0 for a in all_arms(setting)}


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best posterior mean."""
    means = {}
    for a in all_arms(setting):
        total = 0.0
        for y, probability in enumerate(parents_given(setting, a)):
            kind, first, second = posterior(setting, history, y)
            mean = first if kind == "normal" else setting.low + setting.width * first / (first + second)
            total = total + mean * probability
        means[a] = total
    return argmax(means)
