"""The same work as a researcher would honestly write it with NumPy: one run at a time, vectorised over rounds or over arms where that is natural."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def observe_parallel(rng: np.random.Generator, p: Floats, low: float, high: float, rounds: int) -> int:
    """OBS-ALG on the parallel world: all rounds of a run at once."""
    x = rng.random((rounds, p.size)) < p
    y = rng.random(rounds) < np.where(x[:, 0], high, low)
    ones, ones_reward = x.sum(axis=0), (x & y[:, None]).sum(axis=0)
    zeros, zeros_reward = rounds - ones, y.sum() - ones_reward
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.concatenate([[y.mean()], zeros_reward / zeros, ones_reward / ones])
    return int(np.nanargmax(means))


def crm_nb(rng: np.random.Generator, p: Floats, low: float, high: float, budget: float, gamma: float) -> NDArray[np.int64]:
    """CRM-NB-ALG on the parallel world, round by round; arms are the observation, X_i = 0, X_i = 1. Returns the pulls."""
    m = p.size
    arms = 2 * m + 1
    pulls, effective, sums = np.zeros(arms, np.int64), np.zeros(arms), np.zeros(arms)
    cost = np.full(arms, gamma)
    cost[0] = 1.0
    left, t, beta = budget, 0, 1.0

    def pull(arm: int) -> None:
        x = rng.random(m) < p
        if arm > 0:
            x[(arm - 1) % m] = arm > m
        y = rng.random() < (high if x[0] else low)
        pulls[arm] += 1
        if arm == 0:
            effective[0] += 1
            effective[1 : m + 1] += ~x
            effective[m + 1 :] += x
            if y:
                sums[0] += 1
                sums[1 : m + 1] += ~x
                sums[m + 1 :] += x
        else:
            effective[arm] += 1
            sums[arm] += y

    for arm in range(arms):
        pull(arm)
        left -= cost[arm]
        t += 1
    while left >= 1:
        t += 1
        if pulls[0] < beta**2 * math.log(t) or left < gamma:
            arm = 0
        else:
            arm = int(np.argmax((sums / effective + np.sqrt(2 * math.log(t - 1) / effective)) / cost))
        pull(arm)
        left -= cost[arm]
        means = sums / effective
        top = means[1:].max() / gamma
        if means[0] < top:
            beta = min(2 * math.sqrt(2) / (top - means[0]), math.sqrt(math.log(t)))
    return pulls


def c_ucb_2(rng: np.random.Generator, parents: Floats, w1: Floats, w2: Floats, horizon: int) -> NDArray[np.int64]:
    """C-UCB-2 on Experiment 4: four arms, four configurations of the parents, Y = (W1 + W2) / 4 + noise. Returns the pulls."""
    arms, configurations = parents.shape
    zeta = (parents / parents.min(axis=0)).sum(axis=1)
    counts, sums, pulls = np.zeros(configurations), np.zeros(configurations), np.zeros(arms, np.int64)
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
        else:
            means = np.divide(sums, counts, out=np.zeros(configurations), where=counts > 0)
            radius = math.sqrt(max(math.log(configurations * (t - 1) ** 2 / 2), 0.0) / (t - 1))
            arm = int(np.argmax(parents @ means + radius * zeta))
        x1 = arm if arm < 2 else int(rng.random() < 0.55)
        x2 = arm - 2 if arm >= 2 else int(rng.random() < (0.45, 0.55)[x1])
        a, b = int(rng.random() < w1[x1]), int(rng.random() < w2[x2])
        y = 2 * a + b
        counts[y] += 1
        sums[y] += 0.25 * a + 0.25 * b + 0.01 * rng.standard_normal()
        pulls[arm] += 1
    return pulls
