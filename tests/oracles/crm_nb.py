"""CRM-NB-ALG (Nair, Patil & Sinha 2021, Algorithm 2).

F-KUBE on effective pulls, where the observation is pulled at least beta^2 log t times.
"""

from __future__ import annotations

from math import log, sqrt

from .common import (
    affordable,
    all_arms,
    argmax,
    best_of_sampled,
    effective_means,
    effective_rewards,
    interventions,
    own_rewards,
)
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """Each arm once, then the observation if it is due, else the arm with the highest weighted UCB estimate."""
    if sum(setting.costs) > setting.budget:
        return set()  # line 1 cannot be paid: it refuses

    # line 1: pull each arm once
    if len(history) < len(setting.arms):
        return {len(history)}

    t = len(history) + 1
    payable = affordable(setting, history)

    # line 3: while there is money for any arm
    if not payable:
        return set()

    # lines 4 and 5, second condition (B_t < gamma): only the observation can be paid
    if not any(a in payable for a in interventions(setting)):
        return {0}

    # lines 4 and 5, first condition
    pulls_of_observation = len(own_rewards(history, 0))  # N^0_{t-1}
    if pulls_of_observation < beta_after(setting, history) ** 2 * log(t) and 0 in payable:
        return {0}

    # lines 6 and 7: the weighted UCB estimates after t-1 rounds
    mu_hat = effective_means(setting, history)
    weighted = {}
    for a in payable:
        effective_pulls = len(effective_rewards(setting, history, a))  # E^a_{t-1}
        radius = setting.width * sqrt(setting.exploration * log(t - 1) / effective_pulls)
        weighted[a] = (mu_hat[a] + radius) / float(setting.costs[a])
    return argmax(weighted)


def beta_after(setting: Setting, history: list[Round]) -> float:
    """beta after these rounds: 1 through the first phase, then updated after every round t of the loop."""
    beta = 1.0  # line 2
    for t in range(len(all_arms(setting)) + 1, len(history) + 1):
        # line 10: the estimates after t rounds
        mu_hat = effective_means(setting, history[:t])
        # line 11: mu*/gamma, with gamma in units of the observation's cost
        unit = setting.costs[0]
        best_per_cost = max(mu_hat[a] / float(setting.costs[a] / unit) for a in interventions(setting))
        # lines 12 to 14; means that differ by rounding alone count as equal
        gap = best_per_cost - mu_hat[0]
        if gap > 1e-12:
            beta = 2 * sqrt(2) / (gap / setting.width)
            if setting.cap:
                beta = min(beta, sqrt(log(t)))
    return beta


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean over effective pulls, not per cost."""
    return best_of_sampled(setting, effective_means(setting, history))
