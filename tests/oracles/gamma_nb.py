"""gamma-NB-ALG (Nair, Patil & Sinha 2021, Algorithm 1).

Watch with half of the budget. Then compare gamma with the threshold 1/(p m(p)):
go on watching, or play the arms that watching rarely showed.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from .common import affordable, best_of_sampled, interventions, m, own_rewards, replaced_means, shares_shown
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """First the observation; then the observation again, or each arm of A in turn; then nothing."""
    # line 1: play a_0 for the first B/2 rounds
    n = floor(setting.budget * Fraction(setting.share) / setting.costs[0])
    if len(history) < n:
        return {0}

    # lines 4 and 5: p_hat_{i,x} from those rounds alone, and m(p_hat) as line 6 needs it
    p_hat = shares_shown(setting, history[:n])
    m_hat = m(p_hat)

    # line 11, ahead of line 6, which needs the mean cost over A
    infrequent = [a for a in interventions(setting) if p_hat[a] < Fraction(1, m_hat)]

    # lines 6 and 7: play a_0 for the remaining rounds
    if not infrequent:
        return {0} if 0 in affordable(setting, history) else set()
    cost_of_all = sum((setting.costs[a] for a in infrequent), Fraction(0))
    gamma = cost_of_all / len(infrequent) / setting.costs[0]  # in units of the observation's cost
    p = min(p_hat.values())
    if p * m_hat >= 1 / gamma:
        return {0} if 0 in affordable(setting, history) else set()

    # line 12: play each arm of A for B/(2 gamma |A|) rounds
    pulls = floor(setting.budget * (1 - Fraction(setting.share)) / cost_of_all)
    for a in infrequent:
        if len(own_rewards(history, a)) < pulls:
            return {a}
    return set()


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """Line 16, with the estimates of lines 2 and 3, 8 and 9, or 13 and 14."""
    return best_of_sampled(setting, replaced_means(setting, history))
