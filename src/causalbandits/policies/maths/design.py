"""The design of Lattimore, Lattimore & Reid (2016), section 4: with what probabilities eta to draw the arms.

It minimises m(eta) times the mean cost under eta, m(eta) = max_a sum_y P(y | a)^2 / Q(y), Q(y) = sum_b eta_b P(y | b).
In shares of money u_b, proportional to eta_b c_b, this is a convex problem: minimise max_a F_a(u) on the simplex, with
F_a(u) = sum_y P(y | a)^2 / Q_u(y) and Q_u(y) = sum_b u_b P(y | b) / c_b. A barrier method with Newton steps solves it.
A lower bound proves how close the answer is. See docs/policies/importance-sampling.md, section "The design".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
# relative gap between the answer and the lower bound; 1e-6 is accepted where rounding allows no better
RELATIVE_GAP = 1e-9
MOST_STEPS = 2000  # Newton steps; about 60 are needed
# near the end of a stage take the full Newton step: the objective is too flat for a line search in floats
FULL_STEP_BELOW = 0.01
SMALLEST_SHARE = 1e-8  # an arm with a smaller share of the money is left out of the design


@dataclass(frozen=True)
class Design:
    """The probabilities of the arms, and how good they are."""

    eta: Doubles  # (arms,) probabilities
    value: float  # max_a F_a, in units of the mean cost of all arms; with equal costs this is m(eta)
    least: float  # a lower bound for every design


def best_design(parents: Doubles, costs: Sequence[int]) -> Design:
    """The best design for P(y | do(a)), (arms, configurations), and the arms' costs."""
    return _solve(np.ascontiguousarray(parents).tobytes(), parents.shape, tuple(costs))


@lru_cache(maxsize=64)
def _solve(table: bytes, shape: tuple[int, int], costs: tuple[int, ...]) -> Design:
    parents = np.frombuffer(table).reshape(shape)
    prices = np.array(costs) / np.mean(costs)
    rows, kept = _distinct_rows(parents, prices)
    rows = rows[:, rows.max(axis=0) > 0]
    shares, least = _minimise(rows, rows / prices[kept, None])
    pruned = np.where(shares < SMALLEST_SHARE, 0.0, shares)
    pruned /= pruned.sum()
    per_money = rows / prices[kept, None]
    if _largest(rows, pruned @ per_money) <= least * (1 + 1e-6):
        shares = pruned
    value = _largest(rows, shares @ per_money)
    assert value <= least * (1 + 1e-6), f"the design is {value}, the minimum at least {least}"
    eta = np.zeros(len(costs))
    eta[kept] = shares / prices[kept]
    eta /= eta.sum()
    eta.flags.writeable = False
    return Design(eta, value, least)


def _distinct_rows(parents: Doubles, prices: Doubles) -> tuple[Doubles, NDArray[np.int64]]:
    """The different rows, and the cheapest arm with each row. Drawing another arm with the same row gains nothing."""
    cheapest: dict[bytes, int] = {}
    for a in np.argsort(prices, kind="stable"):
        cheapest.setdefault(parents[a].tobytes(), int(a))
    kept = np.array(sorted(cheapest.values()))
    return parents[kept], kept


def _largest(rows: Doubles, mixture: Doubles) -> float:
    """max_a sum_y P(y | a)^2 / Q(y)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.where(rows > 0, rows**2 / mixture, 0.0).sum(axis=1).max())


def _minimise(rows: Doubles, per_money: Doubles) -> tuple[Doubles, float]:
    """The shares of money that minimise max_a F_a(u), and a lower bound of the minimum that proves it."""
    squares = rows**2
    arms = len(rows)
    u = np.full(arms, 1 / arms)
    moments = squares @ (1 / (u @ per_money))
    t = 1.5 * moments.max()
    best, value, least = u, moments.max(), 0.0
    weight = 1 / moments.max()  # of t relative to the barrier
    last_decrease = np.inf  # expected decrease of the step before
    for _ in range(MOST_STEPS):
        mixture = u @ per_money
        slack = t - squares @ (1 / mixture)
        slopes = -(squares / mixture**2) @ per_money.T  # (a, b) of F_a by u_b
        inverse_slack = 1 / slack
        curvature = per_money * ((inverse_slack @ squares) * 2 / mixture**3)
        # t is eliminated: its step follows from the step of u.
        # What remains of the terms inverse_slack^2 is their spread about the mean slope.
        by_t = weight - inverse_slack.sum()
        mean_slope = inverse_slack**2 @ slopes / (inverse_slack**2).sum()
        spread = (slopes - mean_slope) * inverse_slack[:, None]
        gradient = inverse_slack @ slopes - 1 / u + by_t * mean_slope
        try:
            step = _newton_step(curvature @ per_money.T + spread.T @ spread, gradient, u)
        except np.linalg.LinAlgError:  # only rounding errors are left; `least` tells how close it is
            break
        step_of_t = mean_slope @ step - by_t / (inverse_slack**2).sum()
        expected_decrease = -(gradient @ step) + by_t**2 / (inverse_slack**2).sum()
        is_moved, u, t = _line_search(
            u, t, step, step_of_t, expected_decrease < FULL_STEP_BELOW, weight, squares, per_money
        )
        mixture = u @ per_money
        moments = squares @ (1 / mixture)
        least = max(least, _lower_bound(squares, per_money, mixture, 1 / (t - moments)))
        if moments.max() < value:
            best, value = u, moments.max()
        if value - least <= RELATIVE_GAP * value or weight * value > 1e13:
            break
        is_stalled = expected_decrease < FULL_STEP_BELOW and expected_decrease > last_decrease / 2
        if expected_decrease < 1e-12 or not is_moved or is_stalled:  # the stage is solved as well as floats allow
            weight, expected_decrease = weight * 8, np.inf
        last_decrease = expected_decrease
    return best, least


def _newton_step(hessian: Doubles, gradient: Doubles, u: Doubles) -> Doubles:
    """The Newton step under which the shares still sum to 1.

    The barrier's term 1 / u^2 is added here, because scaling by u turns it into 1.
    """
    size = len(u)
    system = np.zeros((size + 1, size + 1))
    system[:size, :size] = hessian * np.outer(u, u) + np.eye(size)
    system[:size, size] = system[size, :size] = u
    step: Doubles = np.linalg.solve(system, np.append(-gradient * u, 0.0))[:size] * u
    return step


def _line_search(
    u: Doubles,
    t: float,
    step: Doubles,
    step_of_t: float,
    takes_full_step: bool,
    weight: float,
    squares: Doubles,
    per_money: Doubles,
) -> tuple[bool, Doubles, float]:
    """Halve the step until it lowers the barrier's objective. The shares stay positive and sum to 1.

    Returns whether a step was found, the shares and t.
    """

    def objective(u: Doubles, t: float) -> float:
        if u.min() <= 0:
            return np.inf
        slack = t - squares @ (1 / (u @ per_money))
        return np.inf if slack.min() <= 0 else float(weight * t - np.log(slack).sum() - np.log(u).sum())

    now, size = objective(u, t), 1.0
    while size > 1e-10:
        candidate = u + size * step
        candidate /= candidate.sum()
        if objective(candidate, t + size * step_of_t) < (np.inf if takes_full_step else now):
            return True, candidate, t + size * step_of_t
        size /= 2
    return False, u, t


def _lower_bound(squares: Doubles, per_money: Doubles, mixture: Doubles, weights: Doubles) -> float:
    """A lower bound of the minimum of max_a F_a, from any positive weights of the arms (by Cauchy and Schwarz)."""
    v = (weights / weights.sum()) @ squares
    return float((v / mixture).sum() ** 2 / (per_money @ (v / mixture**2)).max())
