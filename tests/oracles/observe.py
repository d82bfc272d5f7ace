"""OBS-ALG (Nair, Patil & Sinha 2021, section 3.1).

Watch as long as the money lasts. Then recommend the arm with the best empirical mean.
"""

from __future__ import annotations

from .common import affordable, best_of_sampled, effective_means
from .setting import Round, Setting


def next_arms(setting: Setting, history: list[Round]) -> set[int]:
    """The observation while it can be paid, then nothing."""
    if 0 in affordable(setting, history):
        return {0}
    return set()


def recommended(setting: Setting, history: list[Round]) -> set[int]:
    """The best mean over the rounds in which X_i was sampled as x; the observation itself is one of the arms."""
    return best_of_sampled(setting, effective_means(setting, history))
