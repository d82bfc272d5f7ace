"""The records of an experiment as sentences and sheets, for the shell and for notebooks alike."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..display.numbers import short, span
from ..display.sheets import Sheet
from ..intervention import Intervention
from ..money import UNIT, decimal_text

if TYPE_CHECKING:
    from .status import ArmEstimate, Recommendation, Status, Trial

STATUS_NOTE = "The means pool the whole journal; the recommendation is the policy's own, and may differ."
LEGEND = (
    "Rounds: how often the arm itself was played (its pulls). What watching added: rounds of watching that also tell "
    "about the arm, and imported observations. Together they are its effective pulls."
)
SECOND_ROW = "The second row is the best other arm by the pooled data."


def estimate_sheet(arms: Sequence[ArmEstimate]) -> Sheet:
    """What the data say of each arm."""
    rows = [
        (
            arm_name(arm.intervention),
            str(arm.pulls),
            str(arm.effective_pulls - arm.pulls),
            "" if arm.mean is None else short(arm.mean),
            span(*arm.interval),
        )
        for arm in arms
    ]
    return Sheet(("arm", "rounds", "what watching added", "mean", "interval"), rows)


def pending_sheet(trials: Sequence[Trial]) -> Sheet:
    """The trials that were asked for and not told yet."""
    rows = [
        (
            str(trial.number),
            arm_name(trial.intervention),
            str(trial.rounds),
            money_text(trial.cost),
            time_text(trial.lease_until),
            trial.worker or "",
        )
        for trial in trials
    ]
    return Sheet(("pending trial", "arm", "rounds", "cost", "until", "worker"), rows)


def status_parts(status: Status) -> list[str | Sheet]:
    """A status as sentences and sheets, in the order in which they are shown."""
    budget, spent, reserved, left = map(money_text, (status.budget, status.spent, status.reserved, status.left))
    pending = [pending_sheet(status.pending)] if status.pending else []
    return [
        f"{status.name}: {status.policy}, {_counted(status.trials, 'trial')}, "
        f"{_counted(status.observations_imported, 'observation')} imported.",
        f"Budget {budget}: {spent} spent, {reserved} reserved, {left} left.",
        estimate_sheet(status.arms),
        *pending,
        LEGEND,
        f"Intervals: {status.method}.",
        status.note,
    ]


def recommendation_parts(answer: Recommendation) -> list[str | Sheet]:
    """A recommendation as sentences and a sheet."""
    arms = [answer.best] if answer.runner_up is None else [answer.best, answer.runner_up]
    title = f"{answer.policy} recommends {arm_name(answer.best.intervention)}."
    return [
        title if answer.runner_up is None else f"{title} {SECOND_ROW}",
        estimate_sheet(arms),
        LEGEND,
        f"Intervals: {answer.method}.",
        answer.note or STATUS_NOTE,
    ]


def arm_name(intervention: Intervention) -> str:
    """An intervention. The empty one says that it only watches."""
    return str(intervention) if intervention else "do() (watch)"


def money_text(amount: float) -> str:
    """An amount with all its decimals, which are at most six."""
    return decimal_text(round(amount * UNIT))


def time_text(at: datetime) -> str:
    """A moment to the second."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
