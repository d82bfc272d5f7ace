"""PB-ALG with a budget (Lattimore, Lattimore & Reid 2016, Algorithm 1).

The budget is split as in Nair, Patil & Sinha 2021, section 3: watch for B/(1+gamma) rounds,
then play the arms that watching rarely showed for B/(1+gamma) rounds.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from .common import affordable, best_of_sampled, interventions, m, own_rewards, replaced_means, shares_shown
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """First the observation, then each arm of A in turn, then nothing."""
    budget = setting.budget
    c0 = setting.costs[0]
    gamma = sum((setting.costs[a] for a in interventions(setting)), Fraction(0)) / len(interventions(setting))

    # play a_0 for the first B/(1+gamma) rounds
    n = floor(budget / (c0 + gamma))
    if len(history) < n:
        return {0}

    # p_hat, m(p_hat) and A = {a : p_hat_a < 1/m(p_hat)}, from those rounds alone
    p_hat = shares_shown(setting, history[:n])
    m_hat = m(p_hat)
    infrequent = [a for a in interventions(setting) if p_hat[a] < Fraction(1, m_hat)]

    # if A is empty, the rest of the money is used for watching
    if not infrequent:
        return {0} if 0 in affordable(setting, history) else set()

    # play each arm of A equally often with the rest of the money
    money = budget * gamma / (c0 + gamma)
    pulls = floor(money / sum((setting.costs[a] for a in infrequent), Fraction(0)))
    for a in infrequent:
        if len(own_rewards(history, a)) < pulls:
            return {a}
    return set()


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean, where own pulls of an arm of A replace what watching showed of it."""
    return best_of_sampled(setting, replaced_means(setting, history))
