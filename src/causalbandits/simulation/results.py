"""The result of a simulation: arrays per policy, their summary, and one file with everything to repeat it."""

from __future__ import annotations

import json
import platform
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import regret
from ..display.numbers import plus_minus, short, span
from ..display.sheets import Sheet, block
from ..errors import InputError, missing_extra, unknown
from ..files.json_forms import policy_from_json, policy_to_json, problem_from_terms, problem_terms_to_json
from ..files.json_world import world_from_json, world_to_json
from ..files.paths import checked_path
from ..money import UNIT
from ..problem import Problem
from ..world import World

if TYPE_CHECKING:
    import pandas as pd

    from ..policies.contract import Policy

V = TypeVar("V")
SUMMARY_NOTE = "Mean ± standard error over the runs; cumulative regret at the last checkpoint."
FORMAT = 1  # the version of the file format


class DamagedError(InputError):
    """A file that should hold a result and does not."""


class PerPolicy(dict[str, V]):
    """Values by the label of the policy. The kind is enough if only one policy has that kind."""

    def __init__(self, values: Mapping[str, V], kinds: Mapping[str, str]) -> None:
        super().__init__(values)
        self.kinds = kinds  # by label

    def __missing__(self, name: str) -> V:
        of_kind = [label for label in self if self.kinds[label] == name]
        if len(of_kind) == 1:
            return self[of_kind[0]]
        raise KeyError(str(unknown("policy in this result called", name, self)))


@dataclass(frozen=True)
class PolicySummary:
    """The summary of one policy. Cumulative regret is that at the last checkpoint."""

    simple_regret: regret.Estimate
    cumulative_regret: regret.Estimate
    left_over: float  # the mean of the unspent money


class Summary(PerPolicy[PolicySummary]):
    """One row per policy. It prints as a table."""

    @property
    def sheet(self) -> Sheet:
        """The rows as text."""
        rows = []
        for label, row in self.items():
            simple, cumulative = row.simple_regret, row.cumulative_regret
            cells = [[plus_minus(e.mean, e.standard_error), span(e.low, e.high)] for e in (simple, cumulative)]
            rows.append((label, *cells[0], *cells[1], short(row.left_over)))
        return Sheet(("policy", "simple regret", "95 % band", "cumulative regret", "95 % band", "left over"), rows)

    def __str__(self) -> str:
        return f"{self.sheet.text()}\n{SUMMARY_NOTE}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return block(self.sheet, SUMMARY_NOTE)


@dataclass(frozen=True, repr=False)
class Result:
    """The runs of some policies in a world. `checkpoints` are money or rounds, `pulls` is (runs, checkpoints, arms)."""

    world: World
    problem: Problem
    policies: Sequence[Policy]
    runs: int
    seed: int
    exact_checkpoints: NDArray[np.int64]  # millionths
    pulls: PerPolicy[NDArray[np.int64]]
    recommended: PerPolicy[NDArray[np.int64]]  # (runs,) arms
    left_over: PerPolicy[NDArray[np.float64]]  # (runs,) money
    versions: dict[str, str]

    def __repr__(self) -> str:
        return f"Result({', '.join(self.pulls)}; {self.runs} runs of {self.problem}, seed {self.seed})"

    def _repr_html_(self) -> str:
        return block(f"{self.runs} runs of {self.problem}, seed {self.seed}.", self.summary().sheet, SUMMARY_NOTE)

    @property
    def checkpoints(self) -> NDArray[np.float64]:
        """The checkpoints as money (or rounds, with a horizon)."""
        return self.exact_checkpoints / UNIT

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The exact mean of every arm."""
        return self.world.means(self.problem)

    @cached_property
    def simple_regret(self) -> PerPolicy[NDArray[np.float64]]:
        """The simple regret of each run, (runs,) per policy."""
        return self._per_policy(
            {label: regret.simple_regret(self.means, arms) for label, arms in self.recommended.items()}
        )

    @cached_property
    def cumulative_regret(self) -> PerPolicy[NDArray[np.float64]]:
        """The cumulative regret of each run at every checkpoint, (runs, checkpoints) per policy."""
        best = np.array(
            [regret.best_exact_reward(self.problem, self.means, int(money)) for money in self.exact_checkpoints]
        )
        return self._per_policy({label: best - pulls @ self.means for label, pulls in self.pulls.items()})

    def summary(self) -> Summary:
        """The mean, standard error and band of both regrets, per policy."""
        return Summary(
            {
                label: PolicySummary(
                    regret.Estimate.of(self.simple_regret[label]).not_negative,
                    regret.Estimate.of(self.cumulative_regret[label][:, -1]).not_negative,
                    float(self.left_over[label].mean()),
                )
                for label in self.pulls
            },
            self.pulls.kinds,
        )

    def _per_policy(self, values: dict[str, V]) -> PerPolicy[V]:
        return PerPolicy(values, self.pulls.kinds)

    def to_pandas(self) -> pd.DataFrame:
        """One row per policy, run and checkpoint."""
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("to_pandas needs", "pandas", "pandas") from None
        frames = []
        for label in self.pulls:
            runs, checkpoints = np.meshgrid(np.arange(self.runs), self.checkpoints, indexing="ij")
            frames.append(
                pd.DataFrame(
                    {
                        "policy": label,
                        "run": runs.ravel(),
                        "checkpoint": checkpoints.ravel(),
                        "cumulative_regret": self.cumulative_regret[label].ravel(),
                        "simple_regret": np.repeat(self.simple_regret[label], len(self.checkpoints)),
                        "recommended": np.repeat(
                            [str(self.problem.arms[a]) for a in self.recommended[label]], len(self.checkpoints)
                        ),
                        "left_over": np.repeat(self.left_over[label], len(self.checkpoints)),
                    }
                )
            )
        return pd.concat(frames, ignore_index=True)

    def save(self, path: str | Path) -> None:
        """Write one file: the arrays, and the world, problem, policies, seed and versions as JSON."""
        about = {
            "format": FORMAT,
            "world": world_to_json(self.world),
            "problem": problem_terms_to_json(self.problem),
            "policies": [policy_to_json(policy) for policy in self.policies],
            "labels": list(self.pulls),
            "runs": self.runs,
            "seed": self.seed,
            "versions": self.versions,
        }
        arrays: dict[str, Any] = {
            "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
            "checkpoints": self.exact_checkpoints,
        }
        for i, label in enumerate(self.pulls):
            arrays |= {
                f"pulls-{i}": self.pulls[label],
                f"recommended-{i}": self.recommended[label],
                f"left_over-{i}": self.left_over[label],
            }
        place = checked_path(path)
        try:
            with open(place, "wb") as file:
                np.savez_compressed(file, **arrays)
        except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"{str(place)!r} cannot be written: {reason.lower()}; name another place.") from None

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a file that `save` wrote. Register your own policies first."""
        path = checked_path(path)
        try:
            with open(path, "rb") as file, np.load(file) as saved_arrays:
                arrays = {name: saved_arrays[name] for name in saved_arrays.files}
            about = json.loads(arrays["about"].tobytes())
            labels, file_format = about["labels"], about["format"]
        except FileNotFoundError:
            raise InputError(f"There is no file {str(path)!r}.") from None
        except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError, zipfile.BadZipFile, zlib.error):
            raise DamagedError(f"{str(path)!r} is not a result saved by causalbandits.") from None
        if file_format != FORMAT:
            raise InputError(
                f"{str(path)!r} has format {file_format}, but this version of causalbandits reads {FORMAT}; "
                "use the version that wrote it."
            )
        policies = [policy_from_json(saved) for saved in about["policies"]]
        kinds = {policy.label: policy.kind for policy in policies}
        world = world_from_json(about["world"])
        return cls(
            world=world,
            problem=problem_from_terms(about["problem"], world.graph, world.reward),
            policies=policies,
            runs=about["runs"],
            seed=about["seed"],
            exact_checkpoints=arrays["checkpoints"],
            pulls=PerPolicy({label: arrays[f"pulls-{i}"] for i, label in enumerate(labels)}, kinds),
            recommended=PerPolicy({label: arrays[f"recommended-{i}"] for i, label in enumerate(labels)}, kinds),
            left_over=PerPolicy({label: arrays[f"left_over-{i}"] for i, label in enumerate(labels)}, kinds),
            versions=about["versions"],
        )


@cache
def versions_here() -> dict[str, str]:
    """The versions of Python and of the packages that a result depends on."""
    packages = ("causalbandits", "numpy", "numba", "networkx", "opt_einsum")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


load = Result.load
