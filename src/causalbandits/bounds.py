"""m(q), the regret bounds of Nair, Patil & Sinha (2021) with the constants of their proofs, and a lower bound.

A bound is proved for costs of at least 1, and from the budget that the function beside it gives.
Symbols: p the smallest probability that an observation shows an intervention, M the number of variables.
The formulas and their conditions are in docs/theory/bounds.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, number_of, numbers_of, shown
from .policies.maths.kl import bernoulli_kl
from .policies.maths.phases import rarity_threshold
from .policies.maths.ties import TIE

__all__ = [
    "lower_bound",
    "m",
    "theorem_1",
    "theorem_1_budget",
    "theorem_2",
    "theorem_2_budget",
    "theorem_3",
    "theorem_3_log_budget",
    "theorem_4",
    "threshold",
]


def __dir__() -> list[str]:
    return __all__


Numbers = Sequence[float] | NDArray[np.float64]
Table = Sequence[Sequence[float]] | NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")


def _checked(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments that are no numbers: a parameter is a positive number, a list of numbers, or a table."""
    axes = {"Numbers": 1, "Table": 2}
    expected = signature(function)

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        given = expected.bind(*arguments, **named)
        for name, value in given.arguments.items():
            kind = str(expected.parameters[name].annotation)
            if kind in axes:
                given.arguments[name] = numbers_of(name, value, axes[kind])
            elif number_of(name, value) <= 0:
                raise InputError(f"{name} must be above 0, not {shown(value)}.")
        return function(*given.args, **given.kwargs)

    return call


def _check_sizes(what: str, numbers: NDArray[np.float64], size: int) -> None:
    if len(numbers) != size:
        raise InputError(f"{what} must have {size} numbers, not {len(numbers)}.")


def m(q: Numbers) -> int:
    """m(q) for the probabilities q_a that an observation shows intervention a (Nair, Patil & Sinha 2021, section 3)."""
    return int(rarity_threshold(numbers_of("q", q, least=0)))


@_checked
def threshold(q: Numbers) -> float:
    """1 / (p m(p)): the cost of an intervention from which gamma-NB-ALG should observe.

    It is infinite if an observation never shows some arm.
    """
    p = float(np.min(q))
    return 1 / (p * m(q)) if p > 0 else math.inf


@_checked
def theorem_1(p: float, variables: int, budget: float) -> float:
    """A bound on the simple regret of OBS-ALG (the last equation of the proof of Theorem 1)."""
    return 1 / (16 * variables * (p * budget) ** 2) + _root(8 / (p * budget), 16 * p * variables * budget)


@_checked
def theorem_1_budget(p: float, variables: int) -> int:
    """The smallest budget L from which Theorem 1 holds: 2 sqrt(log(16 p M B) / B) <= p for all B >= L."""
    return _least(lambda budget: 4 / p**2 * math.log(max(16 * p * variables * budget, math.e)))


@_checked
def theorem_2(p: float, m: int, variables: int, cost: float, budget: float) -> float:
    """A bound on the simple regret of gamma-NB-ALG, for costs below 1 / (5 p m) (case a) or from 5 / (p m) (case b)."""
    _check_cost(p, m, cost)
    failure = 2 * variables * math.exp(-(p**2) / 16 * budget)  # P{F = 1}
    if cost >= 5 / (p * m):
        return math.sqrt(1 / (p * budget)) + _root(8 / (p * budget), 16 * p * variables * budget) + failure
    return _root(32 * cost * m / budget, variables * budget / (cost * m)) + failure


@_checked
def theorem_2_budget(p: float, m: int, variables: int, cost: float) -> int:
    """The smallest budget from which the conditions of the proof of Theorem 2 hold."""
    _check_cost(p, m, cost)

    def budget_for(k: float) -> int:
        """The smallest budget B from which B >= 16 / p^2 * log(k B)."""
        return _least(lambda budget: 16 / p**2 * math.log(max(k * budget, math.e)))

    return max(
        math.ceil(max(cost * m, p * variables) * (1 - 1e-12)),
        budget_for(2 * variables / (cost * m)),
        budget_for(2 * p * variables),
        theorem_1_budget(p, variables) if cost >= 5 / (p * m) else 0,  # case b builds on Theorem 1
    )


def _check_cost(p: float, m: int, cost: float) -> None:
    low, high = 1 / (5 * p * m), 5 / (p * m)
    if low <= cost < high:
        raise InputError(f"The proof of Theorem 2 covers costs below {low:g} and from {high:g} on, not {cost:g}.")


@_checked
def theorem_3(means: Numbers, shown: Numbers, cost: float, budget: float) -> float:
    """A bound on the cumulative regret of CRM-NB-ALG with the radius constant 2.

    `means` has all arms, the observation first. `shown` has the probabilities that an observation shows the others.
    The constants are those at the end of the proof, which differ from the statement.
    """
    mu, rates, d = _gaps(means, cost)
    _check_sizes("shown", np.asarray(shown), len(mu) - 1)
    best = int(np.argmax(rates))
    delta = mu[best] - mu
    if best == 0:
        return 1 + len(mu[1:]) * math.pi**2 * (cost - 1) / 3 + float(delta[delta > 0].sum()) * math.pi**2 / 3
    worse = delta[1:] > 0
    pulls = (
        np.maximum(0, 1 + 8 * math.log(budget) * (1 / d[1:][worse] ** 2 - np.asarray(shown)[worse] / (9 * d[0] ** 2)))
        + math.pi**2 / 3
    )
    return float(delta[0] * (50 * math.log(budget) / d[0] ** 2 + math.pi**2 / 3) + delta[1:][worse] @ pulls)


@_checked
def theorem_3_log_budget(means: Numbers, shown: Numbers, cost: float) -> float:
    """The logarithm of the smallest budget from which Theorem 3 holds. The budget itself can be beyond any float."""
    _, rates, d = _gaps(means, cost)
    q = np.asarray(shown, dtype=float)
    _check_sizes("shown", q, len(rates) - 1)
    variables = len(q) / 2
    is_tie = rates[0] == rates.max() and not d[1:].all()  # an intervention is as good as the observation
    if is_tie or not q.all():
        return math.inf
    if np.argmax(rates) == 0:
        squares = 1 / d[1:] ** 2
        rest = 2 * variables * (1 + math.pi**2 / 3) * squares.sum()
        return math.log(
            _from_on(
                lambda budget: (
                    cost * float(np.max((1 + 8 * math.log(budget) * squares) / q) + rest * 8 * math.log(budget))
                )
            )
        )
    exponent = (float(q.min()) * float(d[0])) ** 2 / 16
    least = _from_on(lambda log: (math.log(15 * variables) + math.log(log)) / exponent)  # L of the lemma about beta
    return max(least, 50 / float(d[0]) ** 2)


def theorem_3_repaired(means: Numbers, shown: Numbers, cost: float) -> float:
    """A bound on the cumulative regret of CRM-NB-ALG with the radius constant 2 and any budget, if watching is best.

    It is this library's own, because the proof of Theorem 3 is wrong. It is infinite where watching is not the only
    best arm, or where an observation never shows some arm. docs/theory/bounds.md has the proof.
    """
    mu, q = np.asarray(means, dtype=float), np.asarray(shown, dtype=float)
    gaps = cost * mu[0] - mu[1:]  # g_a, what a pull loses
    if not ((gaps > TIE).all() and q.all()):
        return math.inf
    arms = len(q)
    squares = 8 / gaps**2
    t_1 = _least(
        lambda t: (
            1
            + 2 * float(arms + squares.sum() * math.log(t))
            + 2 * float(np.max((1 + squares * math.log(t) + math.sqrt(t * math.log(t))) / q))
        )
    )
    first = arms + 1  # rounds before the first choice by index
    bad = 2 / first**3 + 1 / first**2 + 4 * (arms + 1) / (t_1 - 1) + 1 / (3 * (t_1 - 1) ** 3)
    return 1 + float(gaps @ (1 + squares * math.log(t_1) + bad))


def _gaps(means: Numbers, cost: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """mu_a, v_a = mu_a / c_a and d_a = v* - v_a."""
    mu = np.asarray(means, dtype=float)
    rates = mu / np.r_[1.0, np.full(len(mu) - 1, cost)]
    return mu, rates, rates.max() - rates


@_checked
def theorem_4(means: Numbers, parents: Table) -> float:
    """A bound on the cumulative regret of C-UCB-2 after any number of rounds.

    `parents` (arms, configurations) is P(Pa(Y) = y | do(a)). L_1 and L_2a are the smallest t from which on their
    conditions hold, as the proof needs. The statement has the first t at which they hold.
    """
    mu, parents = np.asarray(means, dtype=float), np.asarray(parents, dtype=float)
    _check_sizes("parents, a row for each arm,", parents, len(mu))
    delta = mu.max() - mu
    least = parents.min(axis=0)  # c_y
    seen = least > 0
    zeta = (parents[:, seen] / least[seen]).sum(axis=1)
    size = parents.shape[1]  # k^n
    l_1 = _least(lambda t: 2 * math.log(size * t * t) / float(least[seen].min()) ** 2)
    total = 0.0
    for gap, z in zip(delta, zeta, strict=True):
        if gap > 0:
            l_2 = _least(lambda t, k=4 * (z / gap) ** 2: k * math.log(size * t * t / 2))  # type: ignore[misc]
            total += gap * (max(l_1, l_2) + 2 * math.pi**2 / 3)
    return float(total)


@_checked
def lower_bound(means: Numbers, costs: Numbers, shown: Numbers) -> float:
    """The factor C such that a good policy for binary arms has a cumulative regret of at least about C log T.

    Arm 0 is the observation, and shows arm a with probability `shown[a]`. The bound is asymptotic.
    It holds for policies that learn about an arm only from samples of that arm. See docs/policies/causal-kl.md.
    """
    mu, c, p = (np.asarray(numbers, dtype=float) for numbers in (means, costs, shown))
    _check_sizes("costs", c, len(mu))
    _check_sizes("shown", p, len(mu))
    if (c <= 0).any():
        raise InputError(f"costs must be above 0, not {c.min():g}.")
    best = float(np.max(mu / c))
    losses = np.where(c * best - mu > TIE, c * best - mu, 0.0)  # per pull; 0 for the best arm
    samples = np.array(  # the samples of each arm that are needed, divided by log T
        [
            1 / bernoulli_kl(m, m + loss) if loss > 0 and m + loss < 1 else 0.0
            for m, loss in zip(mu, losses, strict=True)
        ]
    )
    seen = np.r_[1.0, p[1:]]  # an observation is also a sample of its own arm
    # The total loss is piecewise linear in the number of observations. These are the places where its slope changes.
    observations = [0.0, *(need / q for need, q in zip(samples, seen, strict=True) if q > 0)]
    pulled = [np.maximum(samples - seen * x, 0.0) for x in observations]
    return float(min(x * losses[0] + pulls @ losses for x, pulls in zip(observations, pulled, strict=True)))


def _from_on(need: Callable[[float], float]) -> float:
    """The smallest t such that t >= need(t) from there on, for a need that grows like a logarithm.

    It is the largest fixed point of need. The iteration approaches it from above.
    """
    t = math.e
    while need(t) > t or need(2 * t) > 2 * t:
        t *= 2
    while (lower := max(need(t), 1.0)) < t * (1 - 1e-13):
        t = lower
    return t


def _least(need: Callable[[float], float]) -> int:
    """The same for whole numbers t."""
    size = math.ceil(_from_on(need) * (1 - 1e-12))  # the fixed point is known to 1e-13
    while need(size) > size * (1 + 1e-15):
        size += 1
    return size


def _root(factor: float, argument: float) -> float:
    """sqrt(factor log(argument)), infinite where the logarithm is not positive: such a bound says nothing."""
    return math.sqrt(factor * math.log(argument)) if argument > 1 else math.inf
