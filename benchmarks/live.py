"""Live experiments: trials per second against Optuna on the same disk, and the cost of a long journal.

Run: python -m benchmarks.live [FOLDER]
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import optuna

import causalbandits as cb
from causalbandits.live.book import Book
from causalbandits.live.outcomes import hash_of, to_json

REPEATS = 9
SHORT, LONG = 100, 100_000  # trials in a journal


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock time, because the disk is part of it."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def experiment(url: str) -> cb.Experiment:
    """CRM-NB-ALG on nine arms, with enough money."""
    return cb.Experiment.create(
        url, "bench", cb.worlds.marketing().problem(budget=10 * LONG, cost=2), policy=cb.CRMNB(), seed=1
    )


def values(live: cb.Experiment, intervention: cb.Intervention, rng: random.Random) -> dict[str, str]:
    """Random values of the variables that a round shows."""
    visible = [
        variable for variable in live.problem.graph.variables if not variable.hidden and variable.name != "Purchase"
    ]
    return {variable.name: rng.choice(variable.values) for variable in visible} | dict(intervention)


def our_pairs(live: cb.Experiment, pairs: int, rng: random.Random) -> None:
    for _ in range(pairs):
        trial = live.ask()
        live.tell(trial.number, rng.randrange(2), values(live, trial.intervention, rng))


def their_pairs(study: optuna.Study, arms: list[str], pairs: int, rng: random.Random) -> None:
    for _ in range(pairs):
        trial = study.ask()
        trial.suggest_categorical("arm", arms)
        study.tell(trial, rng.randrange(2))


def against_optuna(folder: Path) -> tuple[float, float, float]:
    """Pairs of ask and tell per second by one worker: Optuna's, ours, and the median ratio.

    The repeats alternate between the two. Both write to disk before a call returns.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng = random.Random(1)
    live = experiment(f"sqlite:///{folder / 'ours.db'}")
    arms = [str(arm) for arm in live.problem.arms]
    study = optuna.create_study(
        storage=f"sqlite:///{folder / 'theirs.db'}", sampler=optuna.samplers.RandomSampler(seed=1)
    )
    our_pairs(live, 20, rng)
    their_pairs(study, arms, 5, rng)
    rates = [
        (20 / seconds(lambda: their_pairs(study, arms, 20, rng)), 100 / seconds(lambda: our_pairs(live, 100, rng)))
        for _ in range(REPEATS)
    ]
    return (
        statistics.median(a for a, _ in rates),
        statistics.median(b for _, b in rates),
        statistics.median(b / a for a, b in rates),
    )


def lengthen(live: cb.Experiment, trials: int) -> None:
    """Add trials to a journal with the same events as ask and tell, but in one transaction."""
    learner, rng = live._learner, random.Random(1)
    live.status()
    with live.storage.transaction() as connection:
        book = Book(connection, live._id)
        for _ in range(trials):
            choice = learner.choose(1)
            assert choice is not None
            trial = book.hand_out(choice, live.problem.exact_costs[choice.arm], round(live.lease * 1000), None, None)
            learner.fold(book.added[-1:])
            outcomes = to_json(
                [learner.reader.outcome(choice.arm, rng.randrange(2), values(live, live.problem.arms[choice.arm], rng))]
            )
            book.tell(trial, outcomes, hash_of(outcomes))
            learner.fold(book.added[-1:])
        book.write()


def long_journal(folder: Path) -> tuple[float, float, float]:
    """Seconds of an ask with a short and with a long journal, and seconds to open the long one."""
    short, long = experiment(f"sqlite:///{folder / 'short.db'}"), experiment(f"sqlite:///{folder / 'long.db'}")
    lengthen(short, SHORT)
    lengthen(long, LONG)
    opening = [seconds(lambda: cb.Experiment.open(str(long.storage.url), "bench")) for _ in range(3)]
    asking: list[tuple[float, float]] = []
    for _ in range(10 * REPEATS):
        asking.append((seconds(short.ask), seconds(long.ask)))
        _abandon_last(short, long)
    return statistics.median(a for a, _ in asking), statistics.median(b for _, b in asking), statistics.median(opening)


def _abandon_last(*experiments: cb.Experiment) -> None:
    """Abandon the last trial, so that nothing is pending before the next ask."""
    for live in experiments:
        live.abandon(live.status().trials)


def row(name: str, measured: Any, target: str) -> None:
    print(f"{name:<64} {measured:>12} {target:>10}", flush=True)


def main() -> None:
    with TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        row("live (SQLite, synchronous FULL, one worker)", "measured", "target")
        theirs, ours, gain = against_optuna(Path(folder))
        row("ask and tell per second, Optuna (RDBStorage, RandomSampler)", f"{theirs:.0f}", "")
        row("the same, causalbandits (CRM-NB-ALG, nine arms)", f"{ours:.0f}", "")
        row("ratio", f"{gain:.1f}x", "5x")
        short, long, opening = long_journal(Path(folder))
        row(f"an ask with {SHORT} trials in the journal", f"{short * 1e3:.2f} ms", "")
        row(f"an ask with {LONG:,} trials", f"{long * 1e3:.2f} ms", "")
        row("ratio", f"{long / short:.2f}x", "at most 2x")
        row(f"opening an experiment of {LONG:,} trials", f"{opening:.2f} s", "3 s")


if __name__ == "__main__":
    main()
