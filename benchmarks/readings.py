"""Which reading of γ-NB-ALG and of C-UCB-2 gives the curves that the paper published? `python -m benchmarks.readings`.

Plain NumPy, written from the pseudo-code and independent of the library. Every reading changes one or two details. The
misfit of a curve is the mean over its points of the squared difference, beyond the reading error, in joint standard
errors of both simulations. Values up to about 1 are chance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causalbandits.papers.nair2021.published import CURVES
from causalbandits.studies.published import PublishedCurve

Comparison = tuple[float, float]  # the misfit of a curve, and its largest difference from the published one

RUNS = 2000
VARIABLES, RARE, EPSILON = 50, 0.02, 0.3
MEANS = np.full((VARIABLES, 2), 0.5)
MEANS[0] = 0.5 - RARE * EPSILON / (1 - RARE), 0.5 + EPSILON


@dataclass(frozen=True)
class GammaNB:
    """A reading of γ-NB-ALG."""

    line_6: str = "m"  # what p_hat is multiplied with: "m" is m(p_hat), "size" is |A|, "true" is m(p) = 2
    empty: str = "watched"  # the estimate of an arm of A without a whole pull: "watched" or "zero"
    ties: str = "random"  # or "first", or "last"
    estimate: str = "own"  # of an arm of A: "own" pulls only, or "pooled" with the observations
    later: str = "all"  # after line 7: estimates from "all" observations, or from the "second" half only


@dataclass(frozen=True)
class Watched:
    """What half of the budget showed in one run: X_i = x was seen (variables, 2) times, with these sums of rewards."""

    rounds: int
    seen: np.ndarray
    rewards: np.ndarray
    reward: float


def watch(rounds: int, rng: np.random.Generator) -> Watched:
    shown = rng.random((rounds, VARIABLES)) < np.r_[RARE, RARE, np.full(VARIABLES - 2, 0.5)]
    reward = rng.random(rounds) < MEANS[0][shown[:, 0].astype(int)]
    ones, paid = shown.sum(axis=0), (shown & reward[:, None]).sum(axis=0)
    return Watched(rounds, np.c_[rounds - ones, ones], np.c_[reward.sum() - paid, paid], float(reward.sum()))


def m(shares: np.ndarray) -> int:
    return next(tau for tau in itertools.count(2) if (shares < 1 / tau).sum() <= tau)


def gamma_nb_regret(reading: GammaNB, gamma: int, first: Watched, second: Watched, rng: np.random.Generator) -> float:
    """The simple regret of one run."""
    shares = first.seen / first.rounds
    m_hat = m(shares)
    rare = shares < 1 / m_hat  # line 11
    factor = {"m": m_hat, "size": rare.sum(), "true": 2}[reading.line_6]
    if not rare.any() or shares.min() * factor >= 1 / gamma:  # lines 6 to 9
        halves = [second] if reading.later == "second" else [first, second]
        seen, rewards = sum(half.seen for half in halves), sum(half.rewards for half in halves)
        means = _means(seen, rewards)
        observation = sum(half.reward for half in halves) / sum(half.rounds for half in halves)
    else:  # lines 11 to 14
        means, observation = _means(first.seen, first.rewards), first.reward / first.rounds
        pulls = first.rounds // (gamma * int(rare.sum()))
        own = rng.binomial(pulls, MEANS)
        if pulls and reading.estimate == "own":
            means = np.where(rare, own / pulls, means)
        elif pulls:
            means = np.where(rare, _means(first.seen + pulls, first.rewards + own), means)
        elif reading.empty == "zero":
            means = np.where(rare, 0.0, means)
    flat, truth = np.r_[observation, means.ravel()], np.r_[0.5, MEANS.ravel()]  # line 16
    best = np.flatnonzero(flat >= flat.max() - 1e-12)
    chosen = {"random": rng.choice(best), "first": best[0], "last": best[-1]}[reading.ties]
    return float(truth.max() - truth[chosen])


def _means(seen: np.ndarray, rewards: np.ndarray) -> np.ndarray:
    return np.where(seen > 0, rewards / np.maximum(seen, 1), -np.inf)


@dataclass(frozen=True)
class CUCB2:
    """A reading of C-UCB-2."""

    counted: int | None = None  # how many of the last rounds of line 1 count; None for all
    delay: int = 0  # rounds after which an outcome enters the estimates
    deviation: float = 0.01  # of the noise
    observes: bool = False  # whether do() is an arm, too
    ties: str = "random"
    unseen: float = 0.0  # the mean of a configuration that was never seen


def parents_given() -> np.ndarray:
    """P(W1, W2 | do(a)) for do(X1=0), do(X1=1), do(X2=0), do(X2=1) and do(), from the paper's table."""
    x1, x2, w1, w2 = 0.55, (0.45, 0.55), (0.54, 0.46), (0.48, 0.52)
    rows = []
    for set_1, set_2 in ((0, None), (1, None), (None, 0), (None, 1), (None, None)):
        row = np.zeros((2, 2))
        for a, b, u, v in itertools.product((0, 1), repeat=4):
            p = float(a == set_1) if set_1 is not None else _coin(x1, a)
            p *= float(b == set_2) if set_2 is not None else _coin(x2[a], b)
            row[u, v] += p * _coin(w1[a], u) * _coin(w2[b], v)
        rows.append(row.ravel())
    return np.array(rows)


def _coin(p: float, side: int) -> float:
    return p if side else 1 - p


def c_ucb_2_regrets(reading: CUCB2, horizons: Iterable[float], rng: np.random.Generator) -> np.ndarray:
    """The regret of every run at some horizons, (horizons, runs). All runs are played at once."""
    arms = 5 if reading.observes else 4
    given, values, runs = parents_given()[:arms], np.array([0, 0.25, 0.25, 0.5]), np.arange(RUNS)
    gaps, zeta = (given @ values).max() - given @ values, (given / given.min(axis=0)).sum(axis=1)
    counts, sums, regret = np.zeros((RUNS, 4)), np.zeros((RUNS, 4)), np.zeros(RUNS)
    waiting: list[tuple[np.ndarray, np.ndarray]] = []
    along = []
    first_counted = 0 if reading.counted is None else arms - reading.counted
    for t in range(int(max(horizons))):
        if t < arms:
            arm = np.full(RUNS, t)  # line 1
        else:
            means = np.where(counts > 0, sums / np.maximum(counts, 1), reading.unseen)
            index = means @ given.T + math.sqrt(max(math.log(4 * t**2 / 2), 0) / t) * zeta
            index += {"random": 1e-13 * rng.random((RUNS, arms)), "first": 0.0, "last": 1e-13 * np.arange(arms)}[
                reading.ties
            ]
            arm = index.argmax(axis=1)  # line 4
        seen = np.minimum((rng.random(RUNS)[:, None] > given.cumsum(axis=1)[arm]).sum(axis=1), 3)
        waiting.append((seen, values[seen] + reading.deviation * rng.standard_normal(RUNS)))
        if t < first_counted:
            waiting.pop()
        while len(waiting) > reading.delay:
            y, reward = waiting.pop(0)
            counts[runs, y] += 1
            sums[runs, y] += reward
        regret = regret + gaps[arm]
        along.append(regret)
    return np.array([along[int(horizon) - 1] for horizon in horizons])


def misfit(samples: np.ndarray, curve: PublishedCurve) -> float:
    """The mean squared difference beyond the reading error, in joint standard errors. `samples` is (points, runs)."""
    found = []
    for point, sample in zip(curve.points, samples, strict=True):
        error = sample.std(ddof=1) * math.sqrt(1 / len(sample) + 1 / curve.runs)
        beyond = max(0.0, abs(sample.mean() - point.y) - point.error)
        found.append((beyond / error) ** 2 if beyond > 0 else 0.0)
    return float(np.mean(found))


def gamma_nb_misfits(readings: Mapping[str, GammaNB], figure: str) -> dict[str, Comparison]:
    """All readings against the published curve of a figure. They meet the same observations."""
    curve = CURVES[figure, "γ-NB-ALG"]
    samples: dict[str, list[list[float]]] = {name: [] for name in readings}
    for point in curve.points:
        budget, gamma = (int(point.x), 60) if figure == "2a" else (1000, int(point.x))
        rng = np.random.default_rng([budget, gamma])
        runs = [(watch(budget // 2, rng), watch(budget // 2, rng)) for _ in range(RUNS)]
        for name, reading in readings.items():
            samples[name].append([gamma_nb_regret(reading, gamma, *halves, rng) for halves in runs])
    return {name: compared(np.array(found), curve) for name, found in samples.items()}


def compared(samples: np.ndarray, curve: PublishedCurve) -> Comparison:
    differences = [sample.mean() - point.y for sample, point in zip(samples, curve.points, strict=True)]
    return misfit(samples, curve), float(max(differences, key=abs))


def print_table(title: str, rows: Mapping[str, Sequence[Comparison]]) -> None:
    print(f"\n{title}: misfit and largest difference")
    for name, columns in rows.items():
        print(f"{name:58s}" + "".join(f"{fit:10.1f} {most:+8.4f}" for fit, most in columns))


def main() -> None:
    readings = {
        "as printed": GammaNB(),
        "the first of tied arms": GammaNB(ties="first"),
        "the last of tied arms": GammaNB(ties="last"),
        "own pulls and observations pooled": GammaNB(estimate="pooled"),
        "after line 7 the second half only": GammaNB(later="second"),
        "0 for an arm of A without a pull": GammaNB(empty="zero"),
        "|A| in line 6": GammaNB(line_6="size"),
        "m(p) = 2 in line 6": GammaNB(line_6="true"),
        "m(p) = 2 in line 6, 0 for an arm without a pull": GammaNB(line_6="true", empty="zero"),
        "|A| in line 6, 0 for an arm without a pull": GammaNB(line_6="size", empty="zero"),
    }
    by_figure = [gamma_nb_misfits(readings, figure) for figure in ("2a", "2b")]
    print_table("γ-NB-ALG, Experiments 2a and 2b", {name: [found[name] for found in by_figure] for name in readings})
    curve = CURVES["4", "C-UCB-2"]
    horizons = [point.x for point in curve.points]
    others = {
        "as printed": CUCB2(),
        "the first of tied arms": CUCB2(ties="first"),
        "the last of tied arms": CUCB2(ties="last"),
        "1/4 for an unseen configuration": CUCB2(unseen=0.25),
        "noise of variance 0.01": CUCB2(deviation=0.1),
        "do() is an arm": CUCB2(observes=True),
        "do() is an arm, noise of variance 0.01": CUCB2(observes=True, deviation=0.1),
        "estimates one round late": CUCB2(delay=1),
        "do() is an arm, estimates one round late": CUCB2(observes=True, delay=1),
        "line 1 counts none of its rounds": CUCB2(counted=0),
        "line 1 counts the last two of its rounds": CUCB2(counted=2),
        "line 1 counts the last of its rounds": CUCB2(counted=1),
    }
    print_table(
        "C-UCB-2, Experiment 4",
        {
            name: [compared(c_ucb_2_regrets(reading, horizons, np.random.default_rng(1)), curve)]
            for name, reading in others.items()
        },
    )


if __name__ == "__main__":
    main()
