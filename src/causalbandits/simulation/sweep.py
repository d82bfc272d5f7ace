"""A sweep: a simulation for every combination of worlds, costs and budgets.

Finished cells are saved, so that an interrupted sweep can continue.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..engine.bridge.folder import engine_stamp
from ..engine.compile import code_of
from ..errors import InputError, as_list, missing_extra, shown, unknown
from ..files.json_forms import policy_to_json, problem_terms_to_json
from ..files.json_world import world_to_json
from ..files.paths import checked_path
from ..money import Money
from ..policies.checks import accept
from ..policies.contract import Policy
from ..problem import Problem
from ..regret import Estimate
from ..world import World
from .arguments import check_options, named_policies, recommended_for, whole_number
from .progress import progress_bar
from .results import DamagedError, Result
from .simulate import simulate

if TYPE_CHECKING:
    import pandas as pd

PROBLEM_OPTIONS = sorted(signature(World.problem).parameters.keys() - {"self", "budget", "horizon", "cost"})


@dataclass(frozen=True)
class Cell:
    """One combination with its result. `size` is the budget or the horizon."""

    world: str
    cost: Any
    size: Money
    result: Result


@dataclass(frozen=True)
class SkippedCell:
    """A combination that was not simulated, and why. `policy` is empty if no policy could run."""

    world: str
    cost: Any
    size: Money
    policy: str
    reason: str


@dataclass(frozen=True)
class Sweep:
    """The cells of a sweep, in the order of the worlds, then of the costs, then of the sizes.

    `skipped` lists what was refused, if `on_error="skip"`.
    """

    cells: Sequence[Cell]
    skipped: Sequence[SkippedCell] = ()

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"Sweep({len(self)} cells{skipped})"

    def to_pandas(self) -> pd.DataFrame:
        """One row per cell and policy: the mean, standard error and band of both regrets."""
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("to_pandas needs", "pandas", "pandas") from None
        rows = []
        for cell in self.cells:
            for label, row in cell.result.summary().items():
                numbers: dict[str, float] = {}
                for kind in ("simple_regret", "cumulative_regret"):
                    estimate: Estimate = getattr(row, kind)
                    numbers |= {
                        kind: estimate.mean,
                        f"{kind}_error": estimate.standard_error,
                        f"{kind}_low": estimate.low,
                        f"{kind}_high": estimate.high,
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
    on_error: Literal["raise", "skip"] = "raise",
    **options: Any,
) -> Sweep:
    """Simulate policies in every world, at every cost and every budget (or horizon).

    By default each cell runs the policy that is recommended for its problem. With a `folder` finished cells are saved
    there, and used again while the world, problem, runs, seed and source code are the same. An `executor` gets all
    cells at once; by default they run one after the other, each on all cores. Other options go to `world.problem`.

    By default nothing runs if a policy refuses a cell. With `on_error="skip"` everything else runs, and `skipped` of
    the result says what was refused and why: a policy in a cell, or a whole cell.
    """
    named = _named_worlds(worlds)
    if (budgets is None) == (horizons is None):
        raise InputError("Name either budgets or horizons to sweep over.")
    kind = "budget" if budgets is not None else "horizon"
    sizes = as_list(f"The {kind}s", budgets if budgets is not None else horizons, "[100, 200]")
    keys = list(itertools.product(named, as_list("The costs", costs, "[1, 2.5]"), sizes))
    if not keys:
        raise InputError("There is nothing to sweep over; name at least one world, cost and budget or horizon.")
    runs, seed = whole_number("number of runs", runs, 1), whole_number("seed", seed, 0)
    check_options(executor=executor, progress=progress)
    if not isinstance(on_error, str) or on_error not in ("raise", "skip"):
        raise InputError(f'on_error is "raise" or "skip", not {shown(on_error)}.')
    for option in options:
        if option not in PROBLEM_OPTIONS:
            raise unknown("option of sweep called", option, PROBLEM_OPTIONS)
    place = None if folder is None else checked_path(folder)
    listed = None if policies is None else named_policies(policies)
    skipped = _Skipped(keys, on_error == "skip")
    plans: dict[int, CellPlan] = {}
    for i, (name, cost, size) in enumerate(keys):
        with skipped.at(i):
            problem = named[name].problem(**{kind: size, "cost": cost, **options})
            willing = []
            for policy in recommended_for(problem) if listed is None else listed:
                with skipped.at(i, policy.label):
                    accept(policy, problem)
                    willing.append(policy)
            if willing:
                plans[i] = CellPlan(named[name], problem, willing, runs, seed)
    files = {i: None if place is None else place / plan.file_name() for i, plan in plans.items()}
    found: dict[int, Result] = {i: _load(file) for i, file in files.items() if file is not None and file.exists()}
    with progress_bar(progress, len(plans), "sweeping") as advance:
        advance(len(found))
        missing = {i: plan for i, plan in plans.items() if i not in found}
        for i, result in _run(missing, files, executor, skipped):
            found[i] = result
            advance(1)
    return Sweep([Cell(*keys[i], found[i]) for i in sorted(found)], tuple(skipped.cells))


def _named_worlds(worlds: Any) -> dict[str, World]:
    """The worlds by name. A single world has the empty name."""
    named = {"": worlds} if isinstance(worlds, World) else worlds
    if not isinstance(named, Mapping) or not all(isinstance(world, World) for world in named.values()):
        raise InputError(
            f'The worlds must be a world, or worlds by name such as {{"small": world}}, not {shown(worlds)}.'
        )
    return dict(named)


class _Skipped:
    """Collects what is refused, or raises it at once."""

    def __init__(self, keys: Sequence[tuple[str, Any, Any]], is_wanted: bool) -> None:
        self.keys, self.is_wanted = keys, is_wanted
        self.cells: list[SkippedCell] = []

    @contextmanager
    def at(self, cell: int, policy: str = "") -> Iterator[None]:
        """Note a refusal that is raised inside, and go on."""
        try:
            yield
        except InputError as error:
            if not self.is_wanted:
                raise
            world, cost, size = self.keys[cell]
            self.cells.append(SkippedCell(world, cost, size, policy, str(error)))


@dataclass(frozen=True)
class CellPlan:
    """The simulation of one cell."""

    world: World
    problem: Problem
    policies: Sequence[Policy]
    runs: int
    seed: int

    def result(self, threads: int | None = None) -> Result:
        """Run the simulation."""
        return simulate(
            self.world,
            self.problem,
            self.policies,
            runs=self.runs,
            seed=self.seed,
            threads=threads,
            progress=False,
        )

    def file_name(self) -> str:
        """The name of the cell's file: a hash of everything that its result depends on."""
        content = [
            world_to_json(self.world),
            problem_terms_to_json(self.problem),
            [policy_to_json(policy) for policy in self.policies],
            self.runs,
            self.seed,
            [engine_stamp(), *(code_of(type(policy)) for policy in self.policies)],
        ]
        return f"{hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]}.npz"


def _run(
    plans: Mapping[int, CellPlan], files: Mapping[int, Path | None], executor: Executor | None, skipped: _Skipped
) -> Iterator[tuple[int, Result]]:
    """Run the cells and save them: one after the other on all cores, or all at once on an executor."""
    if executor is None:
        for i, plan in plans.items():
            result = None
            with skipped.at(i):
                result = plan.result()
            if result is not None:
                _save(result, files[i])
                yield i, result
        return
    futures: dict[Future[Result], int] = {executor.submit(plan.result, threads=1): i for i, plan in plans.items()}
    saved: set[int] = set()
    try:
        for future in as_completed(futures):
            i, result = futures[future], None
            with skipped.at(i):
                result = future.result()
            if result is not None:
                _save(result, files[i])
                saved.add(i)
                yield i, result
    except BaseException:  # also after Ctrl-C: save the cells that are finished
        for future, i in futures.items():
            if not future.cancel() and future.done() and future.exception() is None and i not in saved:
                _save(future.result(), files[i])
        raise


def _load(file: Path) -> Result:
    """Load a cell that was saved before."""
    try:
        return Result.load(file)
    except DamagedError:
        raise InputError(
            f"The cell in {str(file)!r} is damaged; delete that file, and the cell will run again."
        ) from None


def _save(result: Result, file: Path | None) -> None:
    """Save a cell. The file is written under another name first, so that it is never incomplete."""
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
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"The folder {str(file.parent)!r} cannot be written ({reason}); name another folder."
        ) from None
