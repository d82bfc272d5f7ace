"""What several oracles need: money, what a round shows about an arm, m(p), and the argmax with ties.

Source: Nair, Patil & Sinha 2021, sections 2 to 5. Nothing here comes from the library.
"""

from __future__ import annotations

from fractions import Fraction

from .setting import Round, Setting

TIE = 1e-12  # values this close to the maximum are tied


def all_arms(setting: Setting) -> list[int]:
    return list(range(len(setting.arms)))


def interventions(setting: Setting) -> list[int]:
    """Every arm but the observation."""
    return [arm for arm in all_arms(setting) if setting.arms[arm] != {}]


def money_left(setting: Setting, history: list[Round]) -> Fraction:
    """B minus what the rounds so far have cost."""
    left = setting.budget
    for r in history:
        left = left - setting.costs[r.arm]
    return left


def affordable(setting: Setting, history: list[Round]) -> list[int]:
    """The arms that the money left can pay for once more."""
    left = money_left(setting, history)
    return [arm for arm in all_arms(setting) if setting.costs[arm] <= left]


def argmax(values: dict[int, float]) -> set[int]:
    """The arms whose value is the largest, up to ties; empty if there are no values."""
    if not values:
        return set()
    largest = max(values.values())
    return {arm for arm, value in values.items() if value >= largest - TIE}


def best_of_sampled(setting: Setting, means: dict[int, float]) -> set[int]:
    """The best means among the arms that have a sample; every arm while none has one."""
    if not means:
        return set(all_arms(setting))
    return argmax(means)


def shows(setting: Setting, r: Round, arm: int) -> bool:
    """Whether the round is an observation in which the intervention's assignment (X_i = x) happened by itself."""
    if setting.arms[r.arm] != {}:
        return False  # only observations show other arms
    if setting.arms[arm] == {}:
        return False  # the observation is pulled, not shown
    if not setting.teaches[arm]:
        return False  # a backdoor path: watching is not doing
    return all(r.shown.get(variable) == value for variable, value in setting.arms[arm].items())


def own_rewards(history: list[Round], arm: int) -> list[float]:
    """Rewards of the rounds with a_s = a; their number is N^a."""
    return [r.reward for r in history if r.arm == arm]


def shown_rewards(setting: Setting, history: list[Round], arm: int) -> list[float]:
    """Rewards of the rounds with a_s = a_0 and X_i = x."""
    return [r.reward for r in history if shows(setting, r, arm)]


def effective_rewards(setting: Setting, history: list[Round], arm: int) -> list[float]:
    """Rewards of the rounds with a_s = a, or a_s = a_0 and X_i = x; their number is E^a."""
    return [r.reward for r in history if r.arm == arm or shows(setting, r, arm)]


def mean(rewards: list[float]) -> float:
    return sum(rewards) / len(rewards)


def own_means(setting: Setting, history: list[Round]) -> dict[int, float]:
    """mu_hat_a from own pulls, for the arms that have one."""
    means = {}
    for arm in all_arms(setting):
        rewards = own_rewards(history, arm)
        if rewards:
            means[arm] = mean(rewards)
    return means


def effective_means(setting: Setting, history: list[Round]) -> dict[int, float]:
    """mu_hat_a from effective pulls, for the arms that have one."""
    means = {}
    for arm in all_arms(setting):
        rewards = effective_rewards(setting, history, arm)
        if rewards:
            means[arm] = mean(rewards)
    return means


def replaced_means(setting: Setting, history: list[Round]) -> dict[int, float]:
    """mu_hat_a from observations; where an arm has own pulls, their mean replaces it.

    PB-ALG; gamma-NB-ALG, lines 13 and 14.
    """
    means = {}
    for arm in all_arms(setting):
        shown = shown_rewards(setting, history, arm)
        own = own_rewards(history, arm)
        if shown:
            means[arm] = mean(shown)
        if own:
            means[arm] = mean(own)
    return means


def shares_shown(setting: Setting, observations: list[Round]) -> dict[int, Fraction]:
    """p_hat_{i,x}, by intervention: the share of the observations that show it; 0 where there are no observations."""
    shares = {}
    for arm in interventions(setting):
        count = 0
        for r in observations:
            if shows(setting, r, arm):
                count = count + 1
        shares[arm] = Fraction(count, len(observations)) if observations else Fraction(0)
    return shares


def m(shares: dict[int, Fraction]) -> int:
    """m(p) = min{tau >= 2 : #{interventions a : q_a < 1/tau} <= tau}."""
    tau = 2
    while len([arm for arm in shares if shares[arm] < Fraction(1, tau)]) > tau:
        tau = tau + 1
    return tau


def configuration_rewards(history: list[Round], y: int) -> list[float]:
    """Rewards of the rounds with Pa(Y) = y; their number is N_y."""
    return [r.reward for r in history if r.configuration == y]


def configuration_mean(history: list[Round], y: int) -> float:
    """mu_hat_y, which is 0 while y was never seen (section 5)."""
    rewards = configuration_rewards(history, y)
    if not rewards:
        return 0.0
    return mean(rewards)


def parents_given(setting: Setting, arm: int) -> list[float]:
    """P(Pa(Y) = y | do(a)), by y."""
    assert setting.parents is not None, "this algorithm is told the distribution of the reward's parents"
    return setting.parents[arm]


def means_by_parents(setting: Setting, history: list[Round]) -> dict[int, float]:
    """mu_hat_a = sum over y of mu_hat_y P(y | do(a)), for every arm (section 5)."""
    means = {}
    for arm in all_arms(setting):
        total = 0.0
        for y, probability in enumerate(parents_given(setting, arm)):
            total = total + configuration_mean(history, y) * probability
        means[arm] = total
    return means
