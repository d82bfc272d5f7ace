"""The bounds of the four theorems, literally, and the least sizes from which on their conditions hold, by search.

Source: Nair, Patil & Sinha 2021, section "Proofs of Theorems". Nothing here comes from the library.

Numbers are decimals of 28 digits, so a size is known to the last whole budget.
A condition is a margin: the size minus what the proof asks for at that size. It holds where the margin is not negative.
The proofs ask for constants and logarithms of the size, so the margin is convex.
Therefore a condition fails on one interval, and holds from the end of that interval on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal

PI = Decimal("3.141592653589793238462643383")
Number = float | int | Decimal
Margin = Callable[[Decimal], Decimal]


def exact(number: Number) -> Decimal:
    """The number as it is written: 0.1 is one tenth."""
    return Decimal(str(number))


def last_failure(margin: Margin) -> tuple[Decimal, Decimal]:
    """A size that fails, and twice that size, from which on every size holds; (0, 0) if no size fails.

    The margin is also convex in the logarithm of the size. So a search by thirds finds its lowest point.
    """
    left, right = Decimal(-30), Decimal(300)
    while right - left > Decimal("1e-12"):
        one, two = left + (right - left) / 3, right - (right - left) / 3
        low = 2 ** (one if margin(2**one) < margin(2**two) else two)
        if margin(low) < 0:
            while margin(2 * low) < 0:
                low *= 2
            return low, 2 * low
        left, right = (left, two) if margin(2**one) < margin(2**two) else (one, right)
    return Decimal(0), Decimal(0)


def least_real(margin: Margin) -> Decimal:
    """The least real size from which on the margin is not negative, to 20 digits."""
    low, high = last_failure(margin)
    while high - low > high * Decimal("1e-20"):
        middle = (low + high) / 2
        if margin(middle) >= 0:
            high = middle
        else:
            low = middle
    return high


def least_whole(margin: Margin) -> int:
    """The least whole size from which on the margin is not negative: one more than the last that fails."""
    size = math.ceil(least_real(margin))
    return 1 + max((near for near in (size - 2, size - 1, size) if near >= 1 and margin(Decimal(near)) < 0), default=0)


def least_by_scan(margin: Margin, upto: int) -> int:
    """The least whole size from which on the margin is not negative, by looking at every size.

    The search ends at `upto`, where the margin must grow.
    """
    assert margin(Decimal(upto)) < margin(Decimal(upto + 1)), "look further"
    assert margin(Decimal(upto)) >= 0, "look further"
    return 1 + max((size for size in range(1, upto) if margin(Decimal(size)) < 0), default=0)


# ---- Theorem 1


def theorem_1(p: Number, variables: int, budget: Number) -> Decimal:
    """1 / (16 M p^2 B^2) + sqrt(8 / (pB) log(16 p M B))."""
    p, b = exact(p), exact(budget)
    return 1 / (16 * variables * p**2 * b**2) + (8 / (p * b) * (16 * p * variables * b).ln()).sqrt()


def theorem_1_margin(p: Number, variables: int) -> Margin:
    """2 sqrt(log(16 p M B) / B) <= p, both sides squared."""
    p = exact(p)
    return lambda b: b - 4 / p**2 * (16 * p * variables * b).ln()


# ---- Theorem 2


def theorem_2_a(p: Number, m: int, variables: int, cost: Number, budget: Number) -> Decimal:
    """sqrt(32 gamma m / B log(MB / (gamma m))) + 2 M e^(-p^2 B / 16), for gamma < 1 / (5 p m)."""
    p, c, b = exact(p), exact(cost), exact(budget)
    return (32 * c * m / b * (variables * b / (c * m)).ln()).sqrt() + 2 * variables * (-(p**2) / 16 * b).exp()


def theorem_2_b(p: Number, m: int, variables: int, cost: Number, budget: Number) -> Decimal:
    """sqrt(1 / (pB)) + sqrt(8 / (pB) log(16 p M B)) + 2 M e^(-p^2 B / 16), for gamma >= 5 / (p m)."""
    p, b = exact(p), exact(budget)
    return (
        (1 / (p * b)).sqrt()
        + (8 / (p * b) * (16 * p * variables * b).ln()).sqrt()
        + 2 * variables * (-(p**2) / 16 * b).exp()
    )


def theorem_2_margins(p: Number, m: int, variables: int, cost: Number) -> list[Margin]:
    """a) B >= max(gamma m, p M), b) B >= max(16 / p^2 log(2MB / (gamma m)), 16 / p^2 log(2pMB)), one by one."""
    p, c = exact(p), exact(cost)
    return [
        lambda b: b - c * m,
        lambda b: b - p * variables,
        lambda b: b - 16 / p**2 * (2 * variables * b / (c * m)).ln(),
        lambda b: b - 16 / p**2 * (2 * p * variables * b).ln(),
    ]


def theorem_2_least(p: Number, m: int, variables: int, cost: Number) -> int:
    """Conditions a) and b); for gamma >= 5 / (p m) the analysis of Theorem 1 is used, and its condition with it."""
    conditions = theorem_2_margins(p, m, variables, cost)
    if exact(cost) * exact(p) * m >= 5:
        conditions.append(theorem_1_margin(p, variables))
    return max(least_whole(condition) for condition in conditions)


# ---- Theorem 3


def rates(means: Sequence[float], cost: Number) -> list[Decimal]:
    """v_0 = mu_0 and v_a = mu_a / gamma."""
    return [exact(means[0])] + [exact(mean) / exact(cost) for mean in means[1:]]


def theorem_3_a(means: Sequence[float], cost: Number) -> Decimal:
    """1 + 2 M pi^2 (gamma - 1) / 3 + sum over Delta_a > 0 of Delta_a pi^2 / 3, for a* = a_0."""
    two_m = len(means) - 1
    deltas = [exact(means[0]) - exact(mean) for mean in means]
    return 1 + two_m * PI**2 * (exact(cost) - 1) / 3 + sum(delta * PI**2 / 3 for delta in deltas if delta > 0)


def theorem_3_b(means: Sequence[float], shown: Sequence[float], cost: Number, budget: Number) -> Decimal:
    """The bound where an intervention is best. The sum is over the arms with Delta_ix > 0:

    Delta_0 (50 ln B / d_0^2 + pi^2/3)
    + sum of Delta_ix (max(0, 1 + 8 ln B (1/d_ix^2 - p_ix / (9 d_0^2))) + pi^2/3)

    The equation before bounds the pulls of an arm together with pi^2/3. So this term belongs inside the sum.
    """
    v = rates(means, cost)
    best = max(range(len(v)), key=lambda a: v[a])
    d = [v[best] - v_a for v_a in v]
    log_b = exact(budget).ln()
    regret = (exact(means[best]) - exact(means[0])) * (50 * log_b / d[0] ** 2 + PI**2 / 3)
    for a, p_a in zip(range(1, len(means)), shown, strict=True):
        delta = exact(means[best]) - exact(means[a])
        if delta > 0:
            pulls = max(Decimal(0), 1 + 8 * log_b * (1 / d[a] ** 2 - exact(p_a) / (9 * d[0] ** 2)))
            regret += delta * (pulls + PI**2 / 3)
    return regret


def theorem_3_margins_a(means: Sequence[float], shown: Sequence[float], cost: Number) -> list[Margin]:
    """The margins where the observation is best, one for every (i, x):

    B / gamma >= (1 + 8 ln B / d_ix^2) / p_ix + 2 M (1 + pi^2/3) sum_ix 8 ln B / d_ix^2
    """
    v = rates(means, cost)
    d = [v[0] - v_a for v_a in v[1:]]
    two_m, c = len(d), exact(cost)
    squares = sum(1 / gap**2 for gap in d)

    def margin(b: Decimal, q: Decimal, gap: Decimal) -> Decimal:
        eight_logs = 8 * b.ln()
        return b / c - (1 / q * (1 + eight_logs / gap**2) + two_m * (1 + PI**2 / 3) * squares * eight_logs)

    return [lambda b, q=q, gap=gap: margin(b, q, gap) for q, gap in zip(map(exact, shown), d, strict=True)]


def theorem_3_log_least_a(means: Sequence[float], shown: Sequence[float], cost: Number) -> Decimal:
    return max(least_real(condition) for condition in theorem_3_margins_a(means, shown, cost)).ln()


def theorem_3_log_margin_b(means: Sequence[float], shown: Sequence[float], cost: Number) -> Margin:
    """t^(p^2 d_0^2 / 16) / ln t >= 15 M, the logarithms of both sides, at x = ln t; for a* not a_0."""
    v = rates(means, cost)
    d_0, p, variables = max(v) - v[0], exact(min(shown)), Decimal(len(shown)) / 2
    return lambda x: x * p**2 * d_0**2 / 16 - (15 * variables * x).ln()


def theorem_3_log_least_b(means: Sequence[float], shown: Sequence[float], cost: Number) -> Decimal:
    """ln max(L, e^(50 / d_0^2))."""
    v = rates(means, cost)
    return max(least_real(theorem_3_log_margin_b(means, shown, cost)), 50 / (max(v) - v[0]) ** 2)


# ---- Theorem 3 repaired (docs/theory/bounds.md)


def theorem_3_repaired(means: Sequence[float], shown: Sequence[float], cost: Number) -> tuple[int, Decimal]:
    """t_1, and 1 + sum_a g_a (l_a(t_1) + the expected pulls that bad events cause), sums term by term.

    t_1 is one more than the last whole t at which the condition fails for some arm. It fails on one interval.
    """
    g = [exact(cost) * exact(means[0]) - exact(mean) for mean in means[1:]]
    q = [exact(share) for share in shown]

    def needed(gap: Decimal, t: int) -> Decimal:
        return 1 + 8 * Decimal(t).ln() / gap**2

    def fails(t: int) -> bool:
        observations = Decimal(t - 1) / 2 - sum(needed(gap, t) for gap in g)
        chance = (t * Decimal(t).ln()).sqrt()
        return any(q_a * observations < needed(gap, t) + chance for q_a, gap in zip(q, g, strict=True))

    high = 2
    while fails(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) else (low, middle)
    k = len(g)
    bad = sum((2 / Decimal(t) ** 3 for t in range(k + 1, 20_000)), Decimal(0))
    bad += sum((4 * (k + 1) / Decimal(t) ** 2 + 1 / Decimal(t) ** 4 for t in range(high, high + 20_000)), Decimal(0))
    return high, 1 + sum((gap * (needed(gap, high) + bad) for gap in g), Decimal(0))


# ---- Theorem 4


def theorem_4_margins(means: Sequence[float], parents: Sequence[Sequence[float]]) -> tuple[Margin, dict[int, Margin]]:
    """The margin of L_1, and the margin of L_{2,a} for every arm with Delta_a > 0:

    L_1: t >= 2 log(k^n t^2) / delta^2
    L_{2,a}: t >= 4 log(k^n t^2 / 2) zeta_a^2 / Delta_a^2
    """
    k_n = len(parents[0])
    c = [min(exact(row[y]) for row in parents) for y in range(k_n)]
    delta = min(c_y for c_y in c if c_y > 0)
    best = max(exact(mean) for mean in means)
    second = {}
    for a, row in enumerate(parents):
        gap = best - exact(means[a])
        zeta = sum((exact(row[y]) / c[y] for y in range(k_n) if c[y] > 0), Decimal(0))
        if gap > 0:
            second[a] = lambda t, gap=gap, zeta=zeta: t - 4 * (k_n * t**2 / 2).ln() / gap**2 * zeta**2
    return lambda t: t - 2 * (k_n * t**2).ln() / delta**2, second


def theorem_4(means: Sequence[float], parents: Sequence[Sequence[float]]) -> Decimal:
    """sum_a Delta_a (max(L_1, L_{2,a}) + 2 pi^2 / 3), the L from which on their conditions hold."""
    first, second = theorem_4_margins(means, parents)
    best = max(exact(mean) for mean in means)
    l_1 = least_whole(first)
    return sum(
        ((best - exact(means[a])) * (max(l_1, least_whole(second[a])) + 2 * PI**2 / 3) for a in second), Decimal(0)
    )


# ---- worlds to ask about


def parallel(rare: Sequence[float], common: int, epsilon: float) -> tuple[list[float], list[float]]:
    """Means and shares of do(X_1 = 0), do(X_1 = 1), ... in the world of the paper's experiments 1 to 3.

    The mean of the observation comes first. X_i ~ Bernoulli(p_i), where p_i = 1/2 for the last `common` variables.
    Y ~ Bernoulli(1/2 + eps) if X_1 = 1, and otherwise Bernoulli(1/2 - p_1 eps / (1 - p_1)).
    """
    p = [*rare, *itertools.repeat(0.5, common)]
    shown = [share for p_i in p for share in (1 - p_i, p_i)]
    mean_0, mean_1 = 0.5 - p[0] * epsilon / (1 - p[0]), 0.5 + epsilon
    return [0.5, mean_0, mean_1, *itertools.repeat(0.5, 2 * len(p) - 2)], shown
