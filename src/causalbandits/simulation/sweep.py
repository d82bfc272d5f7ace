"""A sweep: a simulation for every combination of worlds, costs and budgets. Finished cells are kept, so that an interrupted sweep goes on."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine.bridge.folder import engine_stamp
from ..engine.compile import code_of
from ..errors import InputError
from ..files.json_forms import policy_to_json, problem_terms_to_json
from ..files.json_world import world_to_json
from ..money import Money
from ..policies.checks import accept
from ..policies.contract import Policy
from ..problem import Problem
from ..world import World
from .arguments import chosen_policies
from .progress import progress_bar
from .results import DamagedError, Result
from .simulate import simulate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Cell:
    """One combination, and what was found there. `size` is the budget or the horizon."""

    world: str
    cost: Any
    size: Money
    result: Result


@dataclass(frozen=True)
class Sweep:
    """The cells of a sweep, in the order in which worlds, costs and sizes were named."""

    cells: Sequence[Cell]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"Sweep({len(self)} cells)"

    def to_pandas(self) -> pd.DataFrame:
        """One row per cell and policy: mean, standard error and band of both regrets."""
        try:
            import pandas as pd
        except ImportError:
            raise InputError("to_pandas needs pandas; install causalbandits[pandas].") from None
        rows = []
        for cell in self.cells:
            for label, row in cell.result.summary().items():
                numbers: dict[str, float] = {}
                for kind, e in (("simple_regret", row.simple_regret), ("cumulative_regret", row.cumulative_regret)):
                    numbers |= {
                        kind: e.mean,
                        f"{kind}_error": e.standard_error,
                        f"{kind}_low": e.low,
                        f"{kind}_high": e.high,
                    }
                rows.append(
                    {
                        "world": cell.world,
                        "cost": cell.cost,
                        "size": cell.size,
                        "policy": label,
                        **numbers,
                        "left_over": row.left_over,
                    }
                )
        return pd.DataFrame(rows)


def sweep(
    worlds: World | Mapping[str, World],
    policies: Policy | str | Sequence[Policy | str] | None = None,
    *,
    budgets: Iterable[Money] | None = None,
    horizons: Iterable[int] | None = None,
    costs: Iterable[Any] = (None,),
    folder: str | Path | None = None,
    runs: int = 1000,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Sweep:
    """Simulate policies in every world, at every cost and every budget (or horizon); by default, in each cell, the recommended one.

    With a `folder` every finished cell is saved there and never run again, as long as world, problem, runs, seed and the source of policies and
    engine are the same. `executor` gets all cells at once; by default they run one after the other, each on all cores. Other options go to
    `world.problem`.
    """
    if (budgets is None) == (horizons is None):
        raise InputError("Name either budgets or horizons to sweep over.")
    sizes = list(budgets if budgets is not None else horizons or ())
    named = {"": worlds} if isinstance(worlds, World) else dict(worlds)
    kind = "budget" if budgets is not None else "horizon"
    keys = list(itertools.product(named, costs, sizes))
    if not keys:
        raise InputError("There is nothing to sweep over; name at least one world, cost and budget or horizon.")
    said = [{kind: size, "cost": cost, **options} for _, cost, size in keys]
    problems = [named[key[0]].problem(**arguments) for key, arguments in zip(keys, said, strict=True)]
    chosen = [chosen_policies(policies, problem) for problem in problems]
    for problem, listed in zip(problems, chosen, strict=True):
        for policy in listed:
            accept(policy, problem)  # before anything is run
    files = [_file(folder, named[key[0]], problems[i], chosen[i], runs, seed) for i, key in enumerate(keys)]
    found: dict[int, Result] = {i: _kept(file) for i, file in enumerate(files) if file is not None and file.exists()}
    with progress_bar(progress, len(keys), "sweeping") as advance:
        advance(len(found))
        tasks = {i: (named[keys[i][0]], problems[i], chosen[i], runs, seed) for i in range(len(keys)) if i not in found}
        for i, result in _run(tasks, files, executor):
            found[i] = result
            advance(1)
    return Sweep([Cell(*key, found[i]) for i, key in enumerate(keys)])


Task = tuple[World, Problem, Sequence[Policy], int, int]


def _run(
    tasks: Mapping[int, Task], files: Sequence[Path | None], executor: Executor | None
) -> Iterator[tuple[int, Result]]:
    """Carry out the cells and keep them: one after the other on all cores, or all at once on an executor."""
    if executor is None:
        for i, task in tasks.items():
            result = _simulated(*task)
            _keep(result, files[i])
            yield i, result
        return
    futures: dict[Future[Result], int] = {executor.submit(_simulated, *task, threads=1): i for i, task in tasks.items()}
    kept: set[int] = set()
    try:
        for future in as_completed(futures):
            i, result = futures[future], future.result()
            _keep(result, files[i])
            kept.add(i)
            yield i, result
    except BaseException:  # Ctrl-C too; what is done by now is kept
        for future, i in futures.items():
            if not future.cancel() and future.done() and future.exception() is None and i not in kept:
                _keep(future.result(), files[i])
        raise


def _simulated(
    world: World, problem: Problem, policies: Sequence[Policy], runs: int, seed: int, threads: int | None = None
) -> Result:
    return simulate(world, problem, policies, runs=runs, seed=seed, threads=threads, progress=False)


def _file(
    folder: str | Path | None, world: World, problem: Problem, policies: Sequence[Policy], runs: int, seed: int
) -> Path | None:
    """Where a cell is kept: named by all that its result depends on."""
    if folder is None:
        return None
    sources = [engine_stamp(), *(code_of(type(policy)) for policy in policies)]
    about = [
        world_to_json(world),
        problem_terms_to_json(problem),
        [policy_to_json(policy) for policy in policies],
        runs,
        seed,
        sources,
    ]
    return Path(folder) / f"{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:24]}.npz"


def _kept(file: Path) -> Result:
    """A cell that was saved before."""
    try:
        return Result.load(file)
    except DamagedError:
        raise InputError(
            f"The cell kept in {str(file)!r} is damaged; delete that file, and the cell is run anew."
        ) from None


def _keep(result: Result, file: Path | None) -> None:
    """Save a cell; half a file is never left under its name."""
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=file.parent, suffix=".part")
        os.close(handle)
        try:
            result.save(part)
            os.replace(part, file)
        finally:
            Path(part).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The folder {str(file.parent)!r} cannot be written ({error.strerror}); name another folder."
        ) from None
