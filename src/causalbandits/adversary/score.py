"""How badly a policy does in the world of a recipe, and in its mirror image, beside the best other policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..policies.checks import accept
from ..policies.contract import Policy
from ..policies.registry import home_of, policies_by_kind
from ..problem import Objective, Problem
from ..regret import best_reward
from ..simulation.simulate import simulate
from .judge import LIMITS, Losses, severity
from .recipe import Recipe
from .worlds import world_of

COPIES = 4  # shuffled copies of a world, among which the runs are divided
MOST_RUNS, FEWEST_RUNS, ROUNDS = 64, 8, 600_000  # runs of an evaluation; fewer if there are more rounds than this
MIRRORED = 3  # so many rivals at a time play the mirror image, those first that lose least in the world
STEP = 4.0  # growth compares a budget with one that is smaller by this factor


@dataclass(frozen=True)
class Score:
    """The mean losses of a policy and of the best rival. `growth` is the exponent of regret in the budget, or NaN."""

    loss: float
    rival: str = ""
    rival_loss: float = math.nan
    mirror_loss: float = math.nan  # in the mirror image
    rival_mirror_loss: float = math.nan
    growth: float = math.nan
    rival_growth: float = math.nan
    limit: float = LIMITS["earn"]

    @property
    def severity(self) -> float:
        """More than 1 exactly if the policy fails. Without a rival it is 0."""
        if not self.rival:
            return 0.0
        rival = Losses(self.rival_loss, self.rival_mirror_loss)
        return severity(Losses(self.loss, self.mirror_loss), rival, self.limit)

    @property
    def excess_growth(self) -> float:
        """By how much the exponent of the policy is above that of the rival, as far as its loss matters at all."""
        excess = self.growth - self.rival_growth
        return 0.0 if math.isnan(excess) else excess * min(1.0, self.loss / self.limit)


def accepts(policy: Policy, problem: Problem) -> bool:
    """Whether the policy can play the problem."""
    try:
        accept(policy, problem)
    except InputError:
        return False
    return True


def rivals_of(policy: Policy, problem: Problem, objective: Objective) -> list[Policy]:
    """The other policies of the library that accept the problem. To watch only, as obs does, is no way to earn."""
    others = (kind for name, kind in policies_by_kind().items() if name != policy.kind and home_of(kind) is not None)
    return [rival() for rival in others if accepts(rival(), problem) and (objective, rival.kind) != ("earn", "obs")]


@dataclass(frozen=True)
class Measured:
    """The loss of every run, by policy, and the policies that only watched."""

    losses: dict[str, NDArray[np.float64]]
    watchers: frozenset[str]


def measured(
    recipe: Recipe, policies: Sequence[Policy], objective: Objective, *, runs: int, seed: int, copies: int = COPIES
) -> Measured:
    """Simulate the policies. All meet the same shuffled copies and the same random events.

    To earn, the loss is cumulative regret per unit of G_B. To find, it is simple regret in the unit of the reward.
    """
    found: dict[str, list[NDArray[np.float64]]] = {policy.label: [] for policy in policies}
    watchers = set(found) if recipe.observe else set()
    for copy in range(copies):
        world, problem = world_of(recipe, objective, np.random.default_rng([seed, copy]))
        part = runs * (copy + 1) // copies - runs * copy // copies
        result = simulate(world, problem, policies, runs=part, seed=seed * copies + copy, progress=False)
        unit = recipe.scale if recipe.reward != "binary" else 1.0
        if objective == "earn":
            unit = best_reward(problem, result.means, problem.budget)
        for label, parts in found.items():
            regret = result.cumulative_regret[label][:, -1] if objective == "earn" else result.simple_regret[label]
            parts.append(regret / unit if unit > 0 else np.zeros(part))
            if result.pulls[label][:, -1, 1:].any():
                watchers.discard(label)
    return Measured({label: np.concatenate(parts) for label, parts in found.items()}, frozenset(watchers))


def losses(
    recipe: Recipe, policies: Sequence[Policy], objective: Objective, *, runs: int, seed: int, copies: int = COPIES
) -> dict[str, NDArray[np.float64]]:
    """The loss of every run, by policy."""
    return measured(recipe, policies, objective, runs=runs, seed=seed, copies=copies).losses


def scored(policy: Policy, recipe: Recipe, objective: Objective, seed: int) -> Score | None:
    """The score of a recipe from a few runs. None if the policy or all rivals refuse the problem.

    Rivals play only where the policy loses at least half of the limit: elsewhere there is no failure.
    """
    problem = world_of(recipe, objective)[1]
    if not accepts(policy, problem):
        return None
    limit, runs = LIMITS[objective], runs_of(recipe)
    loss = _mean(losses(recipe, [policy], objective, runs=runs, seed=seed))[policy.label]
    rivals = rivals_of(policy, problem, objective) if loss > limit / 2 else []
    if not rivals:
        return Score(loss, limit=limit)
    played = measured(recipe, rivals, objective, runs=runs, seed=seed)
    others = _mean(played.losses)
    if objective == "earn":  # watching only is no way to earn, whatever the policy is called
        rivals = [rival for rival in rivals if rival.label not in played.watchers]
    if not rivals:
        return Score(loss, limit=limit)
    known = sorted(((rival, others[rival.label]) for rival in rivals), key=lambda each: each[1])
    score = _beside_the_best(policy, loss, known, recipe, objective, runs=runs, seed=seed)
    if loss < score.rival_loss or recipe.times < STEP:
        return score
    smaller = replace(recipe, times=recipe.times / STEP)
    pair = [policy, next(rival for rival in rivals if rival.label == score.rival)]
    if not all(accepts(each, world_of(smaller, objective)[1]) for each in pair):
        return score
    before = _mean(losses(smaller, pair, objective, runs=runs, seed=seed))
    growths = [
        exponent([recipe.times / STEP, recipe.times], [before[each.label], after], objective)
        for each, after in zip(pair, (loss, score.rival_loss), strict=True)
    ]
    return replace(score, growth=growths[0], rival_growth=growths[1])


def _beside_the_best(
    policy: Policy,
    loss: float,
    rivals: Sequence[tuple[Policy, float]],
    recipe: Recipe,
    objective: Objective,
    *,
    runs: int,
    seed: int,
) -> Score:
    """The score beside the rival that makes it worst. The rivals come with their losses in the world, the least first.

    First the three best rivals play the mirror image. If the policy fails beside none of them, the next three play, as
    long as it could fail beside one: the first three may have won by luck.
    """
    limit = LIMITS[objective]
    mirror = replace(recipe, mirrored=not recipe.mirrored)
    mirror_loss = _mean(losses(mirror, [policy], objective, runs=runs, seed=seed))[policy.label]
    scores: list[Score] = []
    for i in range(0, len(rivals), MIRRORED):
        group = rivals[i : i + MIRRORED]
        most = severity(Losses(loss, mirror_loss), Losses(group[0][1], 0.0), limit)  # if it lost nothing there
        if scores and (most <= 1 or max(score.severity for score in scores) > 1):
            break
        found = _mean(losses(mirror, [rival for rival, _ in group], objective, runs=runs, seed=seed))
        scores += [
            Score(loss, rival.label, rival_loss, mirror_loss, found[rival.label], limit=limit)
            for rival, rival_loss in group
        ]
    return max(scores, key=lambda score: (score.severity, -max(score.rival_loss, score.rival_mirror_loss)))


def exponent(times: Sequence[float], means: Sequence[float], objective: Objective) -> float:
    """The slope of log regret against log budget. To earn, regret is the loss times a budget."""
    if min(means) <= 0:
        return math.nan
    slope = np.polyfit(np.log(times), np.log(means), 1)[0]
    return float(slope) + (1.0 if objective == "earn" else 0.0)


def runs_of(recipe: Recipe) -> int:
    """The number of runs of an evaluation: fewer where they take long."""
    return int(min(MOST_RUNS, max(FEWEST_RUNS, ROUNDS // recipe.rounds)))


def _mean(samples: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    return {label: float(sample.mean()) for label, sample in samples.items()}
