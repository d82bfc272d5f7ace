"""The same work in plain code, as a researcher would write it.

It uses NumPy, one run at a time. It is vectorised over rounds or over arms where that is natural.
"""

from __future__ import annotations

import math
import random

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


def crm_nb(
    rng: np.random.Generator, p: Floats, low: float, high: float, budget: float, gamma: float
) -> NDArray[np.int64]:
    """CRM-NB-ALG on the parallel world, round by round. Returns the pulls by arm: the observation, X_i = 0, X_i = 1."""
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
    """C-UCB-2 on Experiment 4. Returns the pulls.

    There are four arms, four configurations of the parents, and Y = (W1 + W2) / 4 + noise.
    """
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


def observe_network(
    rng: np.random.Generator, nodes: list[tuple[list[int], Floats]], reward: int, rounds: int
) -> list[Floats]:
    """Watching a network by ancestral sampling, all rounds of a run at once.

    A node has its parents and an array P(value <= k | configuration), (configurations, values). Returns the mean
    reward by value for every node.
    """
    values: list[NDArray[np.int64]] = []
    for parents, cumulative in nodes:
        row = np.zeros(rounds, np.int64)
        for parent in parents:
            row = row * nodes[parent][1].shape[1] + values[parent]
        values.append((rng.random(rounds)[:, None] >= cumulative[row, :-1]).sum(axis=1))
    y = values[reward].astype(float)
    with np.errstate(invalid="ignore"):
        return [
            np.bincount(v, weights=y, minlength=c.shape[1]) / np.bincount(v, minlength=c.shape[1])
            for v, (_, c) in zip(values, nodes, strict=True)
        ]


def crm_nb_over_runs(
    rng: np.random.Generator, p: Floats, low: float, high: float, budget: float, gamma: float, runs: int
) -> NDArray[np.int64]:
    """CRM-NB-ALG on the parallel world, one round of all runs at a time. Returns the pulls, (runs, arms)."""
    m = p.size
    arms = 2 * m + 1
    pulls, effective, sums = np.zeros((runs, arms), np.int64), np.zeros((runs, arms)), np.zeros((runs, arms))
    cost = np.full(arms, gamma)
    cost[0] = 1.0
    left, beta, every = np.full(runs, float(budget)), np.ones(runs), np.arange(runs)

    def pull(which: NDArray[np.int64], arm: NDArray[np.int64]) -> None:
        x = rng.random((which.size, m)) < p
        set_by = arm > 0
        x[set_by, (arm[set_by] - 1) % m] = arm[set_by] > m
        y = rng.random(which.size) < np.where(x[:, 0], high, low)
        pulls[which, arm] += 1
        effective[which, arm] += 1
        sums[which, arm] += y
        watched = which[~set_by]
        shown = np.concatenate([~x[~set_by], x[~set_by]], axis=1)
        effective[watched, 1:] += shown
        sums[watched, 1:] += shown * y[~set_by, None]
        left[which] -= cost[arm]

    for arm in range(arms):
        pull(every, np.full(runs, arm))
    t = arms
    active = every
    while active.size:
        t += 1
        index = (sums[active] / effective[active] + np.sqrt(2 * math.log(t - 1) / effective[active])) / cost
        watch = (pulls[active, 0] < beta[active] ** 2 * math.log(t)) | (left[active] < gamma)
        pull(active, np.where(watch, 0, index.argmax(axis=1)))
        means = sums[active] / effective[active]
        lead = means[:, 1:].max(axis=1) / gamma - means[:, 0]
        better = lead > 0
        beta[active[better]] = np.minimum(2 * math.sqrt(2) / lead[better], math.sqrt(math.log(t)))
        active = active[left[active] >= 1]
    return pulls


# A variable with two values: its number, its causes, and P(first value) by configuration of the causes.
Step = tuple[int, list[int], list[float]]


def epsilon_greedy(
    steps: list[list[Step]], fixed: list[list[int]], reward: int, costs: list[float], budget: float, epsilon: float
) -> list[int]:
    """The epsilon-greedy policy of CONTRIBUTING.md in plain Python. Returns the pulls.

    The world is drawn variable by variable: by arm, `steps` are the variables to draw and `fixed` the values to start
    from. Lists and `random` are many times as fast as NumPy with a handful of arms.
    """
    draw, arms = random.random, len(costs)
    pulls, sums, left, cheapest = [0] * arms, [0] * arms, budget, min(costs)
    while left >= cheapest:
        if draw() < epsilon or left == budget:
            arm = int(draw() * arms)
        else:
            top, tied = -1.0, [0]
            for a in range(arms):
                if pulls[a]:
                    mean = sums[a] / pulls[a]
                    if mean > top:
                        top, tied = mean, [a]
                    elif mean == top:
                        tied.append(a)
            arm = tied[0] if len(tied) == 1 else tied[int(draw() * len(tied))]
        if costs[arm] > left:
            break
        values = fixed[arm].copy()
        for variable, causes, first in steps[arm]:
            row = 0
            for cause in causes:
                row = 2 * row + values[cause]
            values[variable] = 1 if draw() >= first[row] else 0
        left -= costs[arm]
        pulls[arm] += 1
        sums[arm] += values[reward]
    return pulls
