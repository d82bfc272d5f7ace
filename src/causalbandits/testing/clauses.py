"""The clauses of the policy contract that can be checked in this process, one function each."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..errors import InputError
from ..simulation.results import Result
from ..simulation.simulate import simulate
from ..simulation.trace import Trace, trace
from .cases import Case, Driver

MOST_BLOCKS = 60  # of a run in which every ask is repeated


class Skipped(Exception):  # noqa: N818
    """A clause that cannot be checked here; the text says why."""


class Broken(Exception):  # noqa: N818
    """What a policy did against a clause."""


CLAUSES: dict[str, Callable[[Case], None]] = {}  # by their promise


def clause(check: Callable[[Case], None]) -> Callable[[Case], None]:
    """Make a function a clause of the contract. Its docstring is the promise; it raises where the policy breaks it."""
    promise = (check.__doc__ or "").strip().rstrip(".")

    @wraps(check)
    def checked(case: Case) -> None:
        where = f"the contract, {promise!r}, in the case of seed {case.seed}"
        try:
            check(case)
        except (Broken, InputError) as found:
            raise AssertionError(f"{case.policy.label} breaks {where}: {found}") from None
        except Skipped:
            raise
        except Exception as error:
            error.add_note(f"This happened while {case.policy.label} was checked for {where}.")
            raise

    CLAUSES[promise] = checked
    return checked


def play(case: Case, **options: Any) -> Result:
    """A short simulation of a case."""
    chosen: dict[str, Any] = {"runs": 7, "seed": case.seed, "threads": 1, "compiled": case.compiled, **options}
    result: Result = simulate(case.world, case.problem, case.policy, progress=False, **chosen)
    return result


def rounds_of(case: Case, run: int = 0) -> Trace:
    """One run of a case, round by round."""
    return trace(case.world, case.problem, case.policy, case.seed, run, compiled=case.compiled)


def demand(is_kept: bool | np.bool_, finding: str) -> None:
    """Say what was found, unless the clause is kept."""
    if not is_kept:
        raise Broken(finding)


def demand_same(one: Result, other: Result, finding: str) -> None:
    """Say what was found, unless two results are equal in every run."""
    (label,) = one.pulls
    for part in ("pulls", "recommended", "left_over"):
        demand(np.array_equal(getattr(one, part)[label], getattr(other, part)[label]), finding)


@clause
def check_arms(case: Case) -> None:
    """Every arm that is asked for or recommended is an arm of the problem."""
    result, arms = play(case), len(case.problem.arms)
    (label,) = result.pulls
    recommended = result.recommended[label]
    demand(((recommended >= 0) & (recommended < arms)).all(), f"an arm beyond 0 to {arms - 1} was recommended.")


@clause
def check_budget(case: Case) -> None:
    """The budget is never exceeded, and what is left over is reported."""
    demand_budget(case, play(case))


def demand_budget(case: Case, result: Result) -> None:
    """Compare the money of a result with its pulls, counted here once more."""
    (label,) = result.pulls
    budget, spent = case.problem.exact_budget, result.pulls[label][:, -1] @ np.array(case.problem.exact_costs)
    demand((spent <= budget).all(), f"a run spent {spent.max() / 10**6:g} of {budget / 10**6:g}.")
    left = np.rint(np.asarray(result.left_over[label]) * 10**6)
    demand((left == budget - spent).all(), "the money left over is not the budget minus what was spent.")


@clause
def check_seed(case: Case) -> None:
    """The same seed gives the same arms."""
    demand_same(play(case), play(case), "two simulations with one seed differ.")


@clause
def check_sharing(case: Case) -> None:
    """Neither threads nor chunks change a result."""
    alone = play(case, runs=23)
    for options in ({"threads": 5}, {"chunk": 1}, {"chunk": 10}):
        named = ", ".join(f"{name}={value}" for name, value in options.items())
        demand_same(alone, play(case, runs=23, **options), f"{named} gives other runs than one thread alone.")


@clause
def check_trace(case: Case) -> None:
    """A trace is the run of the simulation."""
    result = play(case, runs=3)
    (label,) = result.pulls
    for run in range(3):
        rounds = rounds_of(case, run)
        pulls = np.bincount(rounds.arms, minlength=len(case.problem.arms))
        demand(np.array_equal(pulls, result.pulls[label][run, -1]), f"run {run} and its trace pull other arms.")
        demand(rounds.recommended == result.recommended[label][run], f"run {run} and its trace recommend other arms.")
        demand(rounds.left_over == result.left_over[label][run], f"run {run} and its trace leave other money over.")
        for a, intervention in enumerate(case.problem.arms):
            for name, value in intervention.items():
                demand((rounds.shown[name][rounds.arms == a] == value).all(), f"{intervention} did not set {name}.")


@clause
def check_plain(case: Case) -> None:
    """Plain Python chooses what compiled code chooses."""
    if case.compiled is False:
        raise Skipped("compiled=False was asked for")
    try:
        compiled = play(case, runs=3, compiled=True)
    except InputError as error:
        if "cannot be compiled" in str(error):
            raise Skipped("Numba cannot compile this policy") from None
        raise
    demand_same(compiled, play(case, runs=3, compiled=False), "compiled code and plain Python choose differently.")


@clause
def check_splits(case: Case) -> None:
    """However the rounds of a block are told, later choices are the same."""
    rounds, split = rounds_of(case, 1), np.random.default_rng(case.seed)
    driver, start = Driver(case, case.seed, 1), 0
    way = ("told as a whole", "told in parts", "told one by one")[case.seed % 3]
    for arm, count in rounds.blocks.tolist():
        answer = driver.ask()
        demand(answer == (arm, count), f"blocks are {way}, and round {start + 1} is {answer}, not {(arm, count)}.")
        driver.hand_out(arm, count)
        ends = {"told as a whole": [count], "told one by one": list(range(1, count + 1))}.get(way)
        ends = ends or sorted({*split.integers(1, count + 1, 3).tolist(), count})
        for first, last in zip([0, *ends], ends, strict=False):
            driver.tell(rounds, start + first, start + last)
        start += count
    demand(driver.ask()[1] <= 0, f"blocks are {way}, and the policy goes on after the run's last round.")
    demand(driver.recommend() == rounds.recommended, f"blocks are {way}, and another arm is recommended.")


@clause
def check_reading(case: Case) -> None:
    """Asking and recommending change nothing but the scratch memory of the state."""
    rounds, driver, start = rounds_of(case), Driver(case, case.seed, 0), 0
    for arm, count in rounds.blocks.tolist()[:MOST_BLOCKS]:
        before = driver.snapshot()
        first, second = driver.ask(), driver.ask()
        demand(first == second, f"the same question at round {start + 1} was answered with {first} and {second}.")
        driver.spoil_scratch()
        second = driver.ask()
        demand(first == second, f"what is left in scratch memory changed {first} to {second} at round {start + 1}.")
        demand(driver.snapshot() == before, f"ask changed the state, the view or what is pending at round {start + 1}.")
        recommended = driver.recommend()
        driver.spoil_scratch()
        demand(driver.recommend() == recommended, f"two recommendations after round {start} differ.")
        demand(driver.snapshot() == before, f"recommend changed the state or the view at round {start + 1}.")
        driver.hand_out(arm, count)
        driver.tell(rounds, start, start + count)
        start += count


@clause
def check_pickle(case: Case) -> None:
    """A policy can be pickled, and comes back as it was."""
    try:
        again = pickle.loads(pickle.dumps(case.policy))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Broken(f"it cannot be pickled ({error}); define its class at the top level of a module.") from None
    demand(again == case.policy and again.key == case.policy.key, f"it came back as {again!r}.")
