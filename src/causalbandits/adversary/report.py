"""Show what the adversary found: text, JSON values, and a folder with problem files and pictures."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..regret import Estimate
from .confirm import RUNS, Case
from .judge import FACTOR, LIMITS
from .recipe import LEAST_TIMES, Recipe
from .worlds import world_of

if TYPE_CHECKING:
    from .stress import Stress

VERDICTS = {
    "finding": "FINDING",
    "small budget": f"reported only: the budget is below {LEAST_TIMES:g} times the price of all arms once",
    "no finding": "no finding",
}


def text_of(stress: Stress) -> str:
    """The worst worlds, a paragraph for each, after a line that says how many findings there are."""
    number = len(stress.findings)
    head = (
        f"{stress.policy.label}, objective {stress.objective}: "
        f"{'no finding' if number == 0 else f'{number} finding' + 's' * (number > 1)} "
        f"in {stress.evaluations} worlds (seed {stress.seed})."
    )
    if not stress.cases:
        return f"{head}\nIt lost more than half of the limit nowhere."
    return "\n\n".join([head, *(_paragraph(number, case) for number, case in enumerate(stress.cases, 1))])


def _paragraph(number: int, case: Case) -> str:
    what = "of G_B" if case.objective == "earn" else "of simple regret, in units of the reward"
    ratio = case.loss.mean / case.rival_loss.mean if case.rival_loss.mean > 0 else math.inf
    return "\n".join(
        [
            f"{number}. {VERDICTS[case.verdict]}",
            f"   {case.policy} loses {_text(case.loss)}, {case.rival} {_text(case.rival_loss)} {what}: "
            f"{ratio:.3g} times as much.",
            f"   In the mirror image: {_text(case.mirror_loss)} against {_text(case.rival_mirror_loss)}.",
            f"   Exponent of regret in the budget: {case.growth:.2f} against {case.rival_growth:.2f}.",
            f"   {world_text(case.recipe)}",
        ]
    )


def _text(estimate: Estimate) -> str:
    return f"{estimate.mean:.4f} ± {estimate.standard_error:.2g}"


def world_text(recipe: Recipe) -> str:
    """What kind of world it is, in one line."""
    parts = [
        f"{len(recipe.prices)} arms",
        f"budget {recipe.times:.4g} times the price of all arms once",
        f"prices {min(recipe.prices):g} to {max(recipe.prices):g}",
        f"P(X1 = last) = {recipe.rare:g}",
        f"{recipe.reward} reward",
        *(["nothing watched"] if not recipe.observe else []),
        *(["backdoor path" + (", hidden" if recipe.hidden else "")] if recipe.confounded else []),
        *(["parents revealed"] if recipe.reveal else []),
    ]
    return "; ".join(parts) + "."


def values_of(stress: Stress) -> dict[str, Any]:
    """The same as JSON values. What is not a number is null."""
    return {
        "policy": stress.policy.label,
        "objective": stress.objective,
        "seed": stress.seed,
        "evaluations": stress.evaluations,
        "runs": RUNS,
        "limits": {"loss": LIMITS[stress.objective], "factor": FACTOR, "times": LEAST_TIMES},
        "findings": len(stress.findings),
        "cases": [
            {
                "verdict": case.verdict,
                "rival": case.rival,
                "loss": asdict(case.loss),
                "rival_loss": asdict(case.rival_loss),
                "mirror_loss": asdict(case.mirror_loss),
                "rival_mirror_loss": asdict(case.rival_mirror_loss),
                "growth": _number(case.growth),
                "rival_growth": _number(case.rival_growth),
                "recipe": asdict(case.recipe),
            }
            for case in stress.cases
        ],
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def problem_text(case: Case, seed: int) -> str:
    """The problem file of a case: its first shuffled copy, with the figures as comments."""
    from ..files.toml.text import dumps
    from .confirm import FRESH

    world, problem = world_of(case.recipe, case.objective, np.random.default_rng([seed + FRESH, 0]))
    comments = [
        f"# {VERDICTS[case.verdict]}",
        f"# {case.policy} loses {_text(case.loss)}, {case.rival} {_text(case.rival_loss)} "
        + ("of G_B" if case.objective == "earn" else "of simple regret, in units of the reward")
        + f" ({RUNS} runs)",
        f"# In the mirror image, with all effects reversed: {_text(case.mirror_loss)} against "
        f"{_text(case.rival_mirror_loss)}",
        f"# causalbandits simulate FILE --policy {case.policy} --policy {case.rival}",
        "",
    ]
    return "\n".join(comments) + "\n" + dumps(problem, world=world)


def write(stress: Stress, folder: Path) -> list[Path]:
    """Write a problem file for each case, and a picture of how regret grows there if matplotlib is installed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{str(folder)!r} cannot be made a folder: {(error.strerror or str(error)).lower()}."
        ) from None
    written = []
    for number, case in enumerate(stress.cases, 1):
        path = folder / f"{stress.policy.kind}-{stress.objective}-{number}.toml"
        path.write_text(problem_text(case, stress.seed))
        written.append(path)
        picture = _picture(case)
        if picture is not None:
            written.append(path.with_suffix(".svg"))
            written[-1].write_bytes(picture)
    return written


def _picture(case: Case) -> bytes | None:
    """Loss against budget for the policy and its rival, as SVG. None without matplotlib."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        return None
    from ..plot import growth, saved

    points = {
        case.policy: [(point.times, point.loss) for point in case.points],
        case.rival: [(point.times, point.rival_loss) for point in case.points],
    }
    earns = case.objective == "earn"
    curves = {
        label: [(times, _times(loss, times if earns else 1.0)) for times, loss in row] for label, row in points.items()
    }
    name = "regret (1 = G of all arms once)" if earns else "simple regret"
    return saved(growth(curves, "budget in prices of all arms once", name), "svg")


def _times(estimate: Estimate, factor: float) -> Estimate:
    return Estimate.from_moments(factor * estimate.mean, factor * estimate.standard_error)
