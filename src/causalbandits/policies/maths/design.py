"""The design of Lattimore, Lattimore & Reid (2016), section 4: with what probabilities to draw arms, so that every arm's estimate varies little.

m(eta) = max_a sum_y P(y | a)^2 / Q(y), Q = sum_b eta_b P(y | b), is to be as small as possible; with costs, m(eta) times the mean cost under eta.
In shares of money u_b, proportional to eta_b c_b, both are one convex problem on the simplex: minimise max_a F_a(u), where F_a(u) =
sum_y P(y | a)^2 / Q_u(y) and Q_u(y) = sum_b u_b P(y | b) / c_b. It is solved by a barrier method with Newton steps (Boyd & Vandenberghe 2004,
section 11.3), and the answer comes with a proof: for any weights w on the arms, with v_y = sum_a w_a P(y | a)^2,

    sum_y v_y / Q_u(y) >= (sum_y v_y / Q(y))^2 / max_b (1/c_b) sum_y P(y | b) v_y / Q(y)^2     for every u, whatever Q > 0 on the right

(Cauchy & Schwarz), so that the right-hand side bounds the minimum from below. The barrier's multipliers are such weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
RELATIVE_GAP = 1e-9  # by which share of it the answer may exceed the minimum; 1e-6 is still accepted where rounding forbids more
MOST_STEPS = 2000  # Newton steps at most; some 60 are taken
FULL_STEP_BELOW = 0.01  # of the end of a stage, where a whole step is right and the objective too coarse in floats to tell
SMALLEST_SHARE = 1e-8  # a share of the money that is not worth an arm in the design


@dataclass(frozen=True)
class Design:
    """What to draw, and how good that is."""

    eta: Doubles  # (arms,) probabilities
    value: float  # max_a F_a, in units of the mean cost of all arms: with equal costs m(eta)
    least: float  # no design has less


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
    """The different rows, and for each the cheapest arm that has it: nothing is gained by drawing another."""
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
    weight = 1 / moments.max()  # of t against the barrier
    last_decrease = np.inf  # what the last step expected_decrease
    for _ in range(MOST_STEPS):
        mixture = u @ per_money
        slack = t - squares @ (1 / mixture)
        slopes = -(squares / mixture**2) @ per_money.T  # (a, b) of F_a by u_b
        inverse_slack = 1 / slack
        curvature = per_money * ((inverse_slack @ squares) * 2 / mixture**3)
        # t is eliminated: its step follows from that of u, and what is left of the terms inverse_slack^2 is their spread about the mean slope
        by_t = weight - inverse_slack.sum()
        mean_slope = inverse_slack**2 @ slopes / (inverse_slack**2).sum()
        spread = (slopes - mean_slope) * inverse_slack[:, None]
        gradient = inverse_slack @ slopes - 1 / u + by_t * mean_slope
        try:
            step = _newton_step(curvature @ per_money.T + spread.T @ spread, gradient, u)
        except np.linalg.LinAlgError:  # weights this large leave nothing but rounding; `least` says how near it is
            break
        step_of_t = mean_slope @ step - by_t / (inverse_slack**2).sum()
        expected_decrease = -(gradient @ step) + by_t**2 / (inverse_slack**2).sum()
        is_moved, u, t = _line_search(u, t, step, step_of_t, expected_decrease < FULL_STEP_BELOW, weight, squares, per_money)
        mixture = u @ per_money
        moments = squares @ (1 / mixture)
        least = max(least, _lower_bound(squares, per_money, mixture, 1 / (t - moments)))
        if moments.max() < value:
            best, value = u, moments.max()
        if value - least <= RELATIVE_GAP * value or weight * value > 1e13:
            break
        if (
            expected_decrease < 1e-12 or not is_moved or (expected_decrease < FULL_STEP_BELOW and expected_decrease > last_decrease / 2)
        ):  # candidate, or as near as floats come
            weight, expected_decrease = weight * 8, np.inf
        last_decrease = expected_decrease
    return best, least


def _newton_step(hessian: Doubles, gradient: Doubles, u: Doubles) -> Doubles:
    """The Newton step of shares that goes on summing to 1; 1 / u^2 of the barrier is added here, where scaling by u makes it 1."""
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
    """As much of a step as lowers the barrier's objective, by halving, if any; the shares stay positive and sum to 1."""

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
    """A lower bound of the minimum of max_a F_a, from any positive weights of the arms: see the top of this file."""
    v = (weights / weights.sum()) @ squares
    return float((v / mixture).sum() ** 2 / (per_money @ (v / mixture**2)).max())
