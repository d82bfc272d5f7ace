"""Processes that run an experiment together.

Each writes down every confirmed call before it does anything else.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np

import causalbandits as cb
from causalbandits.live import Trial
from causalbandits.live.status import json_values as plain
from causalbandits.policies import REGISTRY

NAME = "checkout"
LEASE = 1.0  # seconds: a trial of a killed worker is soon overdue
# Workers are forked from a process with one thread, all imports and no connection, so they start in milliseconds.
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.live.warm"])


@cb.record
class State:
    counts: np.ndarray
    sums: np.ndarray


class Blocks(cb.Policy):
    """Epsilon-greedy in blocks of 1 to 4 rounds, so that a trial can have several rounds.

    After `short` money is spent, the rest of the money is one long block.
    """

    kind = "blocks"
    reads = "arms"

    short: float = 1e9

    def init(self, problem: Any) -> State:
        return State(np.zeros(problem.arms, np.int64), np.zeros(problem.arms))

    def ask(self, problem: Any, state: Any, pending: Any, left: Any, rng: Any) -> tuple[int, int]:
        greedy = cb.uniform(rng) < 0.7 and state.counts.sum() > 0
        arm = cb.best_mean(state.sums, state.counts, rng) if greedy else cb.below(rng, problem.arms)
        if left < problem.highest_cost:
            return 0, left // problem.costs[0]
        return arm, (1 + cb.below(rng, 4) if problem.budget - left < self.short * 1e6 else left // problem.costs[arm])

    def tell(self, problem: Any, state: Any, arm: Any, tally: Any) -> None:
        if arm == 0:
            state.counts += tally.shown
            state.sums += tally.shown_reward
        else:
            state.counts[arm] += tally.rounds
            state.sums[arm] += tally.reward

    def recommend(self, problem: Any, state: Any, rng: Any) -> int:
        return cb.best_mean(state.sums, state.counts, rng)


def create(url: str, budget: float, cost: float = 2, lease: float = 3600, short: float = 1e9) -> cb.Experiment:
    """The experiment that the workers open."""
    problem = cb.worlds.marketing().problem(budget=budget, cost=cost)
    return cb.Experiment.create(url, NAME, problem, policy=Blocks(short=short), seed=7, lease=lease)


def shown(experiment: cb.Experiment, trial: Trial, rng: random.Random) -> list[dict[str, Any]]:
    """A random outcome that the trial could have."""
    free = [
        variable
        for variable in experiment.problem.graph.variables
        if not variable.hidden and variable.name != "Purchase"
    ]
    return [
        {
            "reward": rng.randrange(2),
            "values": {variable.name: rng.choice(variable.values) for variable in free} | dict(trial.intervention),
        }
        for _ in range(trial.rounds)
    ]


class Diary:
    """The calls that were confirmed to one process, line by line. Each line is on disk before the next call."""

    def __init__(self, folder: Path, number: int) -> None:
        self._file = os.open(folder / f"{number}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, **line: Any) -> None:
        os.write(self._file, f"{json.dumps(line)}\n".encode())
        os.fsync(self._file)


def diaries(folder: Path) -> dict[int, list[dict[str, Any]]]:
    """The complete lines of all processes, by their numbers."""
    lines = {int(path.stem): path.read_text().split("\n")[:-1] for path in folder.glob("*.jsonl")}
    return {number: [json.loads(line) for line in lines[number]] for number in sorted(lines)}


def start(job: Callable[..., None], url: str, number: int, folder: Path, *more: Any) -> Any:
    """A process that does a job on the experiment."""
    process = FORKS.Process(target=_run, args=(job, url, number, folder, *more), daemon=True)
    process.start()
    return process


def _run(job: Callable[..., None], url: str, number: int, folder: Path, *more: Any) -> None:
    REGISTRY["blocks"] = Blocks
    diary = Diary(folder, number)
    try:
        job(cb.Experiment.open(url, NAME), number, diary, *more)
    except BaseException:
        diary.write(what="failed", why=traceback.format_exc())
        raise


def work(experiment: cb.Experiment, number: int, diary: Diary) -> None:
    """Ask and tell until the money is used up."""
    rng = random.Random(number)
    try:
        for step in range(1_000_000):
            request_id = f"{number}-{step}" if rng.random() < 0.5 else None
            trial = experiment.ask(worker=str(number), request_id=request_id, count=rng.choice((1, 1, 1, 3, 10)))
            diary.write(
                what="asked",
                trial=trial.number,
                rounds=trial.rounds,
                arm=str(trial.intervention),
                request_id=request_id,
            )
            if request_id and rng.random() < 0.2:
                assert experiment.ask(request_id=request_id).number == trial.number
            _end(experiment, trial, diary, rng)
    except cb.BudgetExhausted:
        diary.write(what="exhausted")


def _end(experiment: cb.Experiment, trial: Trial, diary: Diary, rng: random.Random) -> None:
    """Mostly tell; sometimes twice, sometimes abandon, sometimes forget."""
    fate = rng.random()
    if fate < 0.03:
        return
    if fate < 0.15:
        spent = rng.random() < 0.5
        experiment.abandon(trial.number, spent=spent)
        diary.write(what="abandoned", trial=trial.number, spent=spent)
        return
    rows = shown(experiment, trial, rng)
    for _ in range(2 if fate < 0.3 else 1):
        experiment.tell(trial.number, rows=rows)
        diary.write(what="told", trial=trial.number, rows=rows)


def ask_only(experiment: cb.Experiment, number: int, diary: Diary, together: Barrier) -> None:
    """Ask as fast as possible, until the money is used up."""
    together.wait()
    try:
        while True:
            diary.write(what="asked", trial=experiment.ask().number)
    except cb.BudgetExhausted as end:
        diary.write(what="exhausted", answer=str(end.recommendation.intervention))


def ask_the_same(experiment: cb.Experiment, number: int, diary: Diary, together: Barrier, times: int) -> None:
    """Ask with the request_id that the others use at the same moment."""
    for turn in range(times):
        together.wait()
        diary.write(turn=turn, trial=experiment.ask(request_id=f"request-{turn}").number)


def tell_at_once(
    experiment: cb.Experiment, number: int, diary: Diary, together: Barrier, trials: list[Trial], seeds: list[int]
) -> None:
    """Tell at the same moment as the others: the same outcome, or another one if the seed differs."""
    for trial in trials:
        rows = shown(experiment, trial, random.Random(seeds[number]))
        together.wait()
        try:
            experiment.tell(trial.number, rows=rows)
            outcome = "told"
        except cb.Conflict:
            outcome = "conflict"
        diary.write(what=outcome, trial=trial.number, rows=rows)


def follow(experiment: cb.Experiment, number: int, diary: Diary, line: Connection) -> None:
    """Read the status all the time. On request, send a picture of the experiment."""
    while not line.poll(0.02):
        experiment.status()
    line.send(picture(experiment))


def look_once(experiment: cb.Experiment, number: int, diary: Diary, line: Connection) -> None:
    """Send a picture of the experiment, from a process that opens it late."""
    line.send(picture(experiment))


def picture(experiment: cb.Experiment) -> dict[str, Any]:
    """Everything that an experiment reports, and its next choice."""
    status, answer, history = plain(experiment.status()), plain(experiment.recommend()), experiment.history()
    learner = experiment._learner
    state = {
        name: value.tolist()
        for name, value in (
            ("counts", learner.state.counts),
            ("sums", learner.state.sums),
            ("pending", learner.pending),
        )
    }
    digest = hashlib.sha256(json.dumps(history).encode()).hexdigest()
    return {
        "status": repr(status),
        "answer": repr(answer),
        "events": len(history),
        "history": digest,
        "next": str(learner.choose(9)),
        **state,
    }


def of_kind(lines: Iterator[Mapping[str, Any]] | list[dict[str, Any]], what: str) -> list[Mapping[str, Any]]:
    """The lines of a diary of this kind."""
    return [line for line in lines if line["what"] == what]
