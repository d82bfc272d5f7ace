"""Stress a policy: search, confirm, and what came out as an immutable record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..advice.recommend import recommend_policy
from ..errors import InputError, check_truth, number_of, shown
from ..policies.contract import Policy
from ..policies.registry import policy_named
from ..problem import Objective, checked_objective
from ..simulation.arguments import whole_number
from .confirm import Case, confirmed, worst_ones
from .recipe import Recipe, random_recipe
from .search import Limit, search
from .worlds import world_of

SECONDS = 60.0
CASES = 5  # worlds that are confirmed and shown
OFFERED = 400  # random problems that are shown to `recommend_policy`
SELDOM_OFFERED = Recipe(causes=12, parents=12, observe=False)  # and one that is hardly ever among them

Advance = Callable[[float, str], None]


@dataclass(frozen=True)
class Stress:
    """What the adversary found. `cases` are the worst worlds, measured anew; `findings` those in which it fails."""

    policy: Policy
    objective: Objective
    seed: int
    evaluations: int
    cases: tuple[Case, ...]

    @property
    def findings(self) -> tuple[Case, ...]:
        """The worlds in which the policy fails."""
        return tuple(case for case in self.cases if case.verdict == "finding")

    def __str__(self) -> str:
        from .report import text_of

        return text_of(self)


def stress(
    policy: Policy | str,
    *,
    objective: str | None = None,
    seconds: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    cases: int = CASES,
    anywhere: bool = False,
    advance: Advance = lambda share, title: None,
) -> Stress:
    """Search for worlds in which a policy loses much more than the best other policy of the library.

    The search ends after `seconds` (by default 60) or `evaluations` of worlds. With evaluations alone, the same seed
    gives the same findings. By default a policy whose goal is simple regret is stressed to "find", any other to
    "earn". A policy that `recommend_policy` may return is stressed on problems for which it does so, or `anywhere`.
    The worst worlds are then measured again, which takes some more seconds.
    """
    chosen = policy_named(policy)() if isinstance(policy, str) else policy
    if not isinstance(chosen, Policy):
        raise InputError(f"Stress a policy, an instance such as cb.UCB() or a name, not {shown(policy)}.")
    if seconds is not None and number_of("The number of seconds", seconds) <= 0:
        raise InputError(f"The number of seconds must be above 0, not {seconds}.")
    if evaluations is not None:
        evaluations = whole_number("number of evaluations", evaluations, 1)
    seed, cases = whole_number("seed", seed, 0), whole_number("number of cases", cases, 0)
    if not callable(advance):
        raise InputError(f"advance is called with a share and a title, so it must be a function, not {shown(advance)}.")
    check_truth("anywhere", anywhere)
    wanted = usual_objective(chosen) if objective is None else checked_objective(objective)
    advised = next((each for each, goal in recommendable() if (each.kind, goal) == (chosen.kind, wanted)), None)
    if isinstance(policy, str) and advised is not None:
        chosen = advised  # with the parameters that are recommended

    def is_wanted(recipe: Recipe) -> bool:
        return anywhere or chosen != advised or recommend_policy(world_of(recipe, wanted)[1]).policy == chosen

    limit = Limit(evaluations, SECONDS if seconds is None and evaluations is None else seconds)
    tried = search(chosen, wanted, limit, seed, advance, is_wanted)
    found = []
    for recipe, score in worst_ones(tried, cases):
        advance(1.0, "confirming")
        found.append(confirmed(chosen, recipe, score.rival, wanted, seed))
    return Stress(chosen, wanted, seed, len(tried), tuple(found))


def usual_objective(policy: Policy) -> Objective:
    """What the policy is good for, by its goal."""
    return "find" if policy.goal.startswith("simple regret") else "earn"


@cache
def recommendable() -> tuple[tuple[Policy, Objective], ...]:
    """Every policy that `recommend_policy` may return, with the objective for which it does."""
    rng = np.random.default_rng(0)
    objectives: tuple[Objective, ...] = ("earn", "find")
    found = {
        (recommend_policy(world_of(recipe, objective)[1]).policy, objective)
        for recipe in (SELDOM_OFFERED, *(random_recipe(rng) for _ in range(OFFERED)))
        for objective in objectives
    }
    return tuple(sorted(found, key=lambda each: (each[0].label, each[1])))
