"""Repeat one run of a simulation round by round, and draw samples from a world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.numbers import short
from ..display.sheets import block, excerpt
from ..engine.cpu.tables import node_names, tables_of
from ..errors import InputError, check_kind
from ..intervention import Intervention
from ..money import UNIT
from ..policies.checks import accept
from ..policies.columns import REWARDS
from ..policies.contract import Policy
from ..problem import Problem
from ..world import World
from .arguments import check_options, check_world, chosen_policies, whole_number
from .jobs import Ints, job_of, play, ready, rounds_of

SHOWN_VARIABLES = 8  # in a notebook; all of them are in `Trace.shown`


@dataclass(frozen=True, repr=False)
class Trace:
    """One run, round by round. `shown` has the visible variables, `blocks` the arm and rounds of each block."""

    arms: Ints  # (rounds,)
    rewards: NDArray[np.float64]  # (rounds,)
    shown: dict[str, NDArray[np.str_]]  # by variable, (rounds,)
    blocks: Ints  # (blocks, 2)
    recommended: int
    left_over: float
    interventions: tuple[Intervention, ...]  # what the numbers of arms stand for

    def __len__(self) -> int:
        return len(self.arms)

    def __repr__(self) -> str:
        answer = self.interventions[self.recommended]
        return f"Trace({len(self)} rounds in {len(self.blocks)} blocks, recommends {answer})"

    def _repr_html_(self) -> str:
        shown = dict(list(self.shown.items())[:SHOWN_VARIABLES])
        more = len(self.shown) - len(shown)

        def row(i: int) -> list[str]:
            arm = self.interventions[self.arms[i]]
            return [str(i + 1), str(arm), short(self.rewards[i]), *(str(values[i]) for values in shown.values())]

        sheet = excerpt(("round", "arm", "reward", *shown), len(self), row)
        note = [f"{more} more variables are in trace.shown."] if more else []
        return block(f"{self!r}. Left over: {short(self.left_over)}.", sheet, *note)


def trace(
    world: World,
    problem: Problem,
    policy: Policy | str | None = None,
    seed: int = 0,
    run: int = 0,
    *,
    compiled: bool | None = None,
) -> Trace:
    """Repeat one run of a simulation and show every round. The random streams and the result are the same."""
    check_world(world, problem)
    check_options(compiled=compiled)
    listed = chosen_policies(policy, problem)
    if len(listed) != 1:
        raise InputError(f"A trace shows one policy, not {len(listed)}; name one.")
    (chosen,) = listed
    seed, run = whole_number("seed", seed, 0), whole_number("run", run, 0)
    accept(chosen, problem)
    no_checkpoints = np.zeros(0, np.int64)
    job = ready(job_of(world, problem, chosen, seed, (run, run + 1), no_checkpoints), compiled)
    rows = 1024
    while True:  # the number of blocks is known only after the run
        found = play(replace(job, log_rows=rows))
        if found.log[-1, 1] == 0 or rows >= job.view.rounds:
            break
        rows = min(rows * 8, job.view.rounds)
    blocks = found.log[found.log[:, 1] > 0]
    values, rewards = rounds_of(job.tables, seed, run, blocks)
    shown = _shown(world, values)
    arms = np.repeat(blocks[:, 0], blocks[:, 1])
    return Trace(
        arms, rewards, shown, blocks, int(found.recommended[0]), float(found.left_over[0]) / UNIT, problem.arms
    )


def sample(
    world: World, rounds: int, intervention: str | Mapping[str, Any] = "do()", seed: int = 0
) -> dict[str, NDArray[Any]]:
    """Draw rounds of a world under an intervention: the values of every visible variable, (rounds,) each."""
    check_kind("The world", world, World, "a cb.World such as cb.worlds.marketing()")
    rounds, seed = whole_number("number of rounds", rounds, 1), whole_number("seed", seed, 0)
    arm = Intervention.of(intervention)
    problem = world.problem(horizon=rounds, arms=[arm] if arm else None)
    blocks = np.array([[problem.arm(arm), rounds]])
    values, rewards = rounds_of(tables_of(world, problem, REWARDS), seed, 0, blocks)
    real = {} if world.graph[world.reward.variable].values else {world.reward.variable: rewards}
    return {**_shown(world, values), **real}


def _shown(world: World, values: Ints) -> dict[str, NDArray[np.str_]]:
    """The named values of the visible variables, by variable."""
    names = enumerate(node_names(world))
    return {name: np.array(world.graph[name].values)[values[:, i]] for i, name in names if not world.graph[name].hidden}
