"""Successive Rejects (Audibert, Bubeck & Munos 2010, Figure 3): simple regret without side information.

Idea: K - 1 phases; in each, all surviving arms are pulled equally often, and after it the worst is dropped. The survivor is recommended.
Symbols: targets n_k = ceil((T - K) / (logbar(K) (K + 1 - k))), the pulls of a surviving arm up to the end of phase k; logbar(K) = 1/2 + sum of
1/i for i from 2 to K; T the rounds. The observation is one arm among the others and teaches about no other.
Costs per arm (a deviation: the paper has none): all survivors of a phase still get equal pulls, so that means of equal precision are compared.
T is floor(B / mean cost), or as many rounds less as it takes that the dearest course of events, the cheapest arms dropped first, is paid. With
equal costs that is the paper's T. Many values or several variables per arm and the reward's range change nothing.
Pending rounds count as pulls, and a phase ends when all of its pulls are told. Phases that end with the same n_k (short budgets have many)
drop one arm each, at once. Ties are broken at random: of arms tied at the border, those kept are drawn as they are handed out again.
"""

from __future__ import annotations

import numpy as np

from ..engine.bridge.record import record
from ..engine.streams import below
from ..problem import Problem
from .checks import needs_budget, once_each
from .columns import REWARDS
from .contract import Policy
from .maths.rejects import DROPPED, SURVIVES, TIED, drop_worst, plan_phases
from .maths.ties import best
from .registry import register


@record
class State:
    phase: int  # k, from 1; K when all is done
    targets: np.ndarray  # n_k
    status: np.ndarray  # of each arm: dropped, tied or survives
    tied_to_keep: int  # how many of the tied arms this phase goes on with
    pulls: np.ndarray
    reward: np.ndarray
    scratch: np.ndarray  # (arms,) working memory


@register
class SuccessiveRejects(Policy):
    """Successive Rejects: equal pulls for all that survive, phase by phase the worst dropped."""

    kind = "successive-rejects"
    reads = REWARDS
    paper = "Audibert, Bubeck & Munos 2010, Figure 3"

    def check(self, problem: Problem) -> None:
        arms = len(problem.arms)
        needs_budget(
            self, problem, -(-once_each(problem) * (arms + 1) // arms), "to pull every arm once, with one pull to spare"
        )

    def init(self, view):
        arms = view.arms
        targets = np.zeros(arms, np.int64)
        plan_phases(np.sort(view.costs), view.budget, targets)
        return State(
            phase=1,
            targets=targets,
            status=np.full(arms, SURVIVES),
            tied_to_keep=0,
            pulls=np.zeros(arms, np.int64),
            reward=np.zeros(arms),
            scratch=np.zeros(arms),
        )

    def ask(self, view, state, pending, left, rng):
        if state.phase >= view.arms:
            return 0, 0
        before, target = state.targets[state.phase - 1], state.targets[state.phase]
        kept = 0
        waiting = 0  # tied arms that were not handed out again
        for a in range(view.arms):
            given = state.pulls[a] + pending[a]
            if state.status[a] == TIED and given <= before:
                waiting += 1
            elif state.status[a] != DROPPED:
                kept += state.status[a] == TIED
                if given < target:
                    return a, target - given  # step (1): n_k - n_(k-1) more pulls
        if kept < state.tied_to_keep:
            skip = below(rng, waiting)
            for a in range(view.arms):
                if state.status[a] == TIED and state.pulls[a] + pending[a] <= before:
                    if skip == 0:
                        return a, target - before
                    skip -= 1
        return 0, 0  # until the pending pulls are told

    def tell(self, view, state, arm, tally):
        state.pulls[arm] += tally.rounds
        state.reward[arm] += tally.reward
        if state.phase >= view.arms:
            return
        target = state.targets[state.phase]
        done = 0
        for a in range(view.arms):
            if state.status[a] == SURVIVES and state.pulls[a] < target:
                return
            done += state.status[a] != DROPPED and state.pulls[a] >= target
        if done < view.arms + 1 - state.phase:
            return
        for a in range(view.arms):
            state.status[a] = SURVIVES if state.status[a] != DROPPED and state.pulls[a] >= target else DROPPED
        while state.phase < view.arms and state.targets[state.phase] == target:
            state.phase += 1
        state.tied_to_keep = drop_worst(
            done - (view.arms + 1 - state.phase), state.status, state.pulls, state.reward, state.scratch
        )  # step (2)

    def recommend(self, view, state, rng):
        for a in range(view.arms):
            may_be = state.status[a] != DROPPED and state.pulls[a] > 0
            state.scratch[a] = state.reward[a] / state.pulls[a] if may_be else -np.inf
        arm = best(state.scratch, rng)  # of the last ones tied, one at random
        return arm if arm >= 0 else below(rng, view.arms)
