"""What a policy answers, checked; and its mistakes in one sentence, with the file and line."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

import numba
import numpy as np

from ..errors import InputError
from .contract import Policy

LARGEST = 2**63 - 1  # of compiled code
LIBRARIES = tuple(str(Path(file).parent) for file in (str(np.__file__), str(numba.__file__), Path(__file__).parent))


def checked_answer(policy: Policy, answer: Any, arms: int, is_pending: bool = False) -> tuple[int, int]:
    """The arm and the count that `ask` answered. A negative count stands for 0 while rounds are pending."""
    try:
        arm, count = answer
    except (TypeError, ValueError):
        raise InputError(
            f"{policy.kind} answered {_short(answer)}, but ask answers an arm and a count, "
            f"as in `return arm, 1`; {_correct(policy, 'ask')}."
        ) from None
    arm = _checked_arm(policy, arm, arms, "ask")
    whole = _whole(count)
    if whole is None or (whole < 0 and not is_pending):
        raise InputError(
            f"{policy.kind} chose a count of {_short(count)}, but a count is a whole number of rounds, at least 0; "
            f"{_correct(policy, 'ask')}."
        )
    return arm, whole


def checked_recommendation(policy: Policy, answer: Any, arms: int) -> int:
    """The arm that `recommend` answered."""
    return _checked_arm(policy, answer, arms, "recommend")


def checked_functions(
    policy: Policy, functions: Mapping[str, Callable[..., Any]], arms: int, *, words_errors: bool
) -> dict[str, Callable[..., Any]]:
    """The four functions with checked answers. With `words_errors` an error in one of them becomes a sentence."""

    def checked(name: str) -> Callable[..., Any]:
        function = functions[name]

        def call(*arguments: Any) -> Any:
            try:
                answer = function(*arguments)
            except InputError:
                raise
            except Exception as error:
                if not words_errors:
                    raise
                raise mistake(policy, name, error) from error
            if name == "ask":
                return checked_answer(policy, answer, arms)
            return checked_recommendation(policy, answer, arms) if name == "recommend" else answer

        return call

    return {name: checked(name) for name in functions}


def mistake(policy: Policy, name: str, error: Exception) -> InputError:
    """The error of one of a policy's functions as one sentence that names the line."""
    reason = " ".join(str(error).split()) or "no reason given"
    return InputError(
        f"{policy.kind} failed in {name} at {_place_of_error(policy, name, error)} "
        f"({type(error).__name__}: {reason.rstrip('.')}); correct that line, or use compiled=False and a debugger."
    )


def _checked_arm(policy: Policy, answer: Any, arms: int, name: str) -> int:
    arm = _whole(answer)
    if arm is None:
        raise InputError(
            f"{policy.kind} chose arm {_short(answer)}, but an arm is a whole number from 0 to {arms - 1}; "
            f"{_correct(policy, name)}."
        )
    if not 0 <= arm < arms:
        raise InputError(
            f"{policy.kind} chose arm {arm}, but the problem has arms 0 to {arms - 1}; {_correct(policy, name)}."
        )
    return arm


def _whole(answer: Any) -> int | None:
    """The answer as an int, or None if it is not a whole number that compiled code can hold."""
    if isinstance(answer, np.ndarray) and answer.shape == ():
        answer = answer[()]
    if not isinstance(answer, bool | int | float | np.number | np.bool_) or isinstance(answer, np.complexfloating):
        return None
    if not math.isfinite(answer) or answer != int(answer) or not -LARGEST <= answer <= LARGEST:
        return None
    return int(answer)


def _correct(policy: Policy, name: str) -> str:
    return f"correct its {name}, {_place_of_function(policy, name)}"


def _place_of_function(policy: Policy, name: str) -> str:
    code: CodeType = getattr(type(policy), name).__code__
    return f"{code.co_filename}, line {code.co_firstlineno}"


def _place_of_error(policy: Policy, name: str, error: Exception) -> str:
    """The innermost line that belongs neither to this library nor to NumPy or Numba."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(LIBRARIES)]
    if not frames:
        return _place_of_function(policy, name)
    return f"{frames[-1].filename}, line {frames[-1].lineno}"


def _short(answer: Any) -> str:
    """What was answered, as people write it, in a few words."""
    if isinstance(answer, float | np.floating):
        return f"{answer:g}"
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
