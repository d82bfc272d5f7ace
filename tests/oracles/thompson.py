"""Thompson sampling per cost: a draw of every mean from its posterior, and the best draw per cost."""

from __future__ import annotations

import numpy as np

from .common import affordable, all_arms, best_of_sampled, mean
from .kl_ucb import samples
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Any affordable arm can have the best draw; `probabilities` says how often. A real arm without samples has it."""
    can = affordable(setting, history)
    unknown = {a for a in can if not samples(setting, history, a)}
    return unknown if unknown and not setting.is_bounded else set(can)


def probabilities(setting: Setting, history: list[Round], draws: int, rng: np.random.Generator) -> dict[int, float]:
    """How often each arm has the best draw per cost."""
    can = affordable(setting, history)
    values = np.stack([draw(setting, samples(setting, history, a), draws, rng) / float(setting.costs[a]) for a in can])
    often = np.bincount(values.argmax(axis=0), minlength=len(can)) / draws
    return {a: float(often[can.index(a)]) if a in can else 0.0 for a in all_arms(setting)}


def draw(setting: Setting, rewards: list[float], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draws from Beta(1 + S / e, 1 + (n - S) / e), or from a normal with the deviation width / 2 per sample.

    Without rewards a real mean may be anything: infinity.
    """
    n, e = len(rewards), setting.exploration
    if not setting.is_bounded:
        deviation = setting.width / 2 * (e / n) ** 0.5 if n else 0.0
        return rng.normal(mean(rewards), deviation, draws) if n else np.full(draws, np.inf)
    share = sum((reward - setting.low) / setting.width for reward in rewards)
    return setting.low + setting.width * rng.beta(1 + share / e, 1 + (n - share) / e, draws)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean."""
    means = {a: samples(setting, history, a) for a in all_arms(setting)}
    return best_of_sampled(setting, {a: mean(rewards) for a, rewards in means.items() if rewards})
