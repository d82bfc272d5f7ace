"""The simple regret algorithm with costs per arm of Jamshidi, Etesami & Kiyavash 2024, without hidden confounders.
Watch with half of the budget, then play the arms that watching showed too rarely for their cost."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from .common import best_of_sampled, interventions, own_rewards, replaced_means, shares_shown
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """First the observation, then each arm of A' in turn, then nothing."""
    # play a_0 for B/2, or for another share of B
    observations = floor(setting.budget * Fraction(setting.share) / setting.costs[0])
    if len(history) < observations:
        return {0}

    # q_hat, n(q_hat) and A' = {a : q_hat_a <= 1/n(q_hat)}
    q_hat = shares_shown(setting, history[:observations])
    n = rarity(setting, q_hat)
    infrequent = [a for a in interventions(setting) if q_hat[a] <= 1 / n]

    # play each arm of A' B / (2 sum of their costs) times
    pulls = floor(setting.budget * (1 - Fraction(setting.share)) / sum(setting.costs[a] for a in infrequent))
    for a in infrequent:
        if len(own_rewards(history, a)) < pulls:
            return {a}
    return set()


def rarity(setting: Setting, q: dict[int, Fraction]) -> Fraction:
    """n(q) = min{tau > 0 : sum of c_a over the arms with q_a < 1/tau <= tau}, costs in units of the observation's.

    The sum changes only where tau = 1/q_a. So the least tau is one of these, or one of the sums.
    """

    def cost_of_rare(tau: Fraction) -> Fraction:
        return sum((setting.costs[a] / setting.costs[0] for a in q if q[a] * tau < 1), Fraction(0))

    steps = [Fraction(0), *(1 / share for share in q.values() if share > 0)]
    candidates = [tau for tau in [*steps, *map(cost_of_rare, steps)] if tau > 0]
    return min(tau for tau in candidates if cost_of_rare(tau) <= tau)


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean, where own pulls of an arm of A' replace what watching showed of it."""
    return best_of_sampled(setting, replaced_means(setting, history))
