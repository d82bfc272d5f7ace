"""The clauses of the policy contract that need more than this process: a live experiment, and a new process."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..engine.compile import code_of
from ..policies.contract import Policy
from ..policies.registry import policies_by_kind
from ..simulation.trace import Trace
from .cases import Case
from .clauses import Broken, Skipped, clause, demand, rounds_of


@clause
def check_live(case: Case) -> None:
    """A live experiment that is told the rounds of a simulated run makes its choices."""
    with _registered(case.policy):
        replay(case, f"memory:{uuid.uuid4().hex}", most=1)
        replay(case, f"memory:{uuid.uuid4().hex}", most=7, open_again_every=3)


def replay(case: Case, storage: str, *, most: int, open_again_every: int = 0) -> Any:
    """Tell a live experiment the rounds of run 0, up to `most` at a time, and compare its choices; the experiment."""
    try:
        from ..live import BudgetExhausted, Experiment, NothingYet
    except ModuleNotFoundError as missing:
        raise Skipped(f"live experiments need {missing.name}, of the extra [live]") from None
    rounds, rng = rounds_of(case), np.random.default_rng(case.seed)
    experiment = Experiment.create(storage, "replay", case.problem, policy=case.policy, seed=case.seed)
    played = calls = 0
    while played < len(rounds):
        try:
            trial = experiment.ask(count=int(rng.integers(1, most + 1)))
        except (BudgetExhausted, NothingYet):
            raise Broken(
                f"at round {played + 1} the experiment asks for nothing, and the simulation goes on."
            ) from None
        arm, wanted = case.problem.arm(trial.intervention), rounds.arms[played : played + trial.rounds]
        demand(
            len(wanted) == trial.rounds and (wanted == arm).all(),
            f"at round {played + 1} the experiment asks for {trial.intervention} and the simulation did not.",
        )
        experiment.tell(trial.number, rows=[_row(rounds, r) for r in range(played, played + trial.rounds)])
        played, calls = played + trial.rounds, calls + 1
        if open_again_every and calls % open_again_every == 0:
            experiment = Experiment.open(storage, "replay")
    answer = case.problem.arm(experiment.recommend().intervention)
    demand(answer == rounds.recommended, f"it recommends arm {answer}, and the simulation arm {rounds.recommended}.")
    status = experiment.status()
    left, pulls = status.left, np.array([arm.pulls for arm in status.arms])
    demand(abs(left - rounds.left_over) < 1e-9, f"{left} is left over, and {rounds.left_over} in the simulation.")
    counted = np.bincount(rounds.arms, minlength=len(pulls))
    demand(np.array_equal(pulls, counted), "its status counts other pulls than the simulation.")
    try:
        trial = experiment.ask()
    except BudgetExhausted as done:
        last = case.problem.arm(done.recommendation.intervention)
        demand(last == answer, f"it recommends arm {answer}, and arm {last} when the money is gone.")
        return experiment
    raise Broken(f"it goes on with {trial.intervention} after the last round of the simulation.")


def _row(rounds: Trace, r: int) -> dict[str, Any]:
    """A round as it is told to an experiment."""
    return {"reward": float(rounds.rewards[r]), "values": {name: str(seen[r]) for name, seen in rounds.shown.items()}}


@contextmanager
def _registered(policy: Policy) -> Iterator[None]:
    """Register the class of a policy for a while: an experiment finds policies by their kind."""
    known = policies_by_kind()
    is_new = policy.kind not in known
    if known.setdefault(policy.kind, type(policy)) is not type(policy):
        raise Skipped(f"another class is registered as {policy.kind!r}")
    try:
        yield
    finally:
        if is_new:
            del known[policy.kind]


@clause
def check_process(case: Case) -> None:
    """A new process gives the same arms and the same fingerprint."""
    check_processes([case])


def check_processes(cases: Sequence[Case]) -> None:
    """Compare what cases give here and in one new process."""
    if any(type(case.policy).__module__ == "__main__" for case in cases):
        raise Skipped("the class is defined in __main__, where a new process does not find it")
    here = [_answer(case) for case in cases]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": "random"}
    command = [sys.executable, "-c", f"import {__name__} as elsewhere; elsewhere.print_answers()"]
    done = subprocess.run(command, input=pickle.dumps(list(cases)), env=environment, capture_output=True, check=False)
    demand(done.returncode == 0, f"the new process failed with {done.stderr.decode().strip()[-300:]!r}.")
    for case, mine, other in zip(cases, here, json.loads(done.stdout), strict=True):
        for what in mine:
            demand(mine[what] == other[what], f"a new process gives {case.policy.kind} {what}.")


def print_answers() -> None:
    """Print the answers for the cases that are pickled in the standard input."""
    print(json.dumps([_answer(case) for case in pickle.load(sys.stdin.buffer)]))


def _answer(case: Case) -> dict[str, str]:
    rounds, kind = rounds_of(case), type(case.policy)
    choices = rounds.arms.tobytes() + rounds.rewards.tobytes() + str(rounds.recommended).encode()
    return {
        "another fingerprint": code_of(kind) + code_of(kind, by_source=True),
        "other random streams": str(case.policy.key),
        "other arms": hashlib.sha256(choices).hexdigest(),
    }
