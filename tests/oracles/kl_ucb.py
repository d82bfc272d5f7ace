"""KL-UCB per cost (Garivier & Cappé 2011) with the level of Kaufmann 2018 (KL-UCB-H+): the index by bisection."""

from __future__ import annotations

from math import inf, log

from .causal_kl import upper
from .common import affordable, argmax, best_of_sampled, effective_rewards, mean, own_rewards
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """The affordable arms with the largest U_a / c_a."""
    return argmax({a: index(setting, history, a) / float(setting.costs[a]) for a in affordable(setting, history)})


def samples(setting: Setting, history: list[Round], arm: int) -> list[float]:
    """The rewards of the arm's own rounds, and of the observations that showed it."""
    return effective_rewards(setting, history, arm) if setting.side_information else own_rewards(history, arm)


def index(setting: Setting, history: list[Round], arm: int) -> float:
    """U_a = max{q : n KL(mu, q) <= exploration log(T / n)}; without samples the highest reward."""
    rewards = samples(setting, history, arm)
    if not rewards:
        return setting.low + setting.width if setting.is_bounded else inf
    most = int(setting.budget / min(setting.costs))  # T
    level = setting.exploration * max(log(most / len(rewards)), 0.0)
    return upper(setting, mean(rewards), level / len(rewards))


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean."""
    means = {a: samples(setting, history, a) for a in range(len(setting.arms))}
    return best_of_sampled(setting, {a: mean(rewards) for a, rewards in means.items() if rewards})
