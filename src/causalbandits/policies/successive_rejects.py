"""Successive Rejects (Audibert, Bubeck & Munos 2010, Figure 3): simple regret without side information.

Idea: K - 1 phases. In each phase all surviving arms get equally many pulls, and then the worst arm is dropped.
The last survivor is recommended.
Symbols: phase k, targets n_k = ceil((T - K) / (logbar(K) (K + 1 - k))), the pulls of a surviving arm up to the end of
phase k, logbar(K) = 1/2 + sum of 1/i for i from 2 to K, T the rounds.
Deviation: costs per arm, which the paper does not have. T is chosen so that the budget pays for every course of events.
Pending rounds count as pulls. A phase ends when all of its pulls are told. See docs/policies/successive-rejects.md.
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
from .reference import AUDIBERT_2010
from .registry import register


@record
class State:
    phase: int  # k, from 1; K when all phases are done
    targets: np.ndarray  # (arms,) n_k
    status: np.ndarray  # (arms,) DROPPED, TIED or SURVIVES
    tied_to_keep: int  # how many of the tied arms stay in this phase
    pulls: np.ndarray  # (arms,) pulls so far
    reward: np.ndarray  # (arms,) the sum of rewards
    scratch: np.ndarray  # (arms,) working memory


@register
class SuccessiveRejects(Policy):
    """Successive Rejects: equal pulls for all surviving arms; the worst arm is dropped after each phase."""

    kind = "successive-rejects"
    reads = REWARDS
    goal = "simple regret"
    reference = AUDIBERT_2010.at("Figure 3")

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
        kept = 0  # tied arms that have one, and so stay
        waiting = 0  # tied arms that have no pull of this phase yet
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
        return 0, 0  # wait for the pending pulls

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
        )  # step (2): all phases with the same target end together

    def recommend(self, view, state, rng):
        for a in range(view.arms):
            may_be = state.status[a] != DROPPED and state.pulls[a] > 0
            state.scratch[a] = state.reward[a] / state.pulls[a] if may_be else -np.inf
        arm = best(state.scratch, rng)  # ties are broken at random
        return arm if arm >= 0 else below(rng, view.arms)
