"""What a policy answers as a whole number, in compiled code too."""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import overload

NOT_WHOLE = -(1 << 61)  # neither an arm nor a count
EXACT = 2.0**53  # up to here every whole number is a float


def whole(answer):
    """The answer as an int64, or NOT_WHOLE for a float such as 1.5, nan or inf."""
    if isinstance(answer, float) and not (abs(answer) <= EXACT and answer == math.floor(answer)):
        return np.int64(NOT_WHOLE)
    return np.int64(answer)


@overload(whole)
def _whole(answer):  # Numba wants the same signature, annotations included
    if isinstance(answer, types.Integer | types.Boolean):
        return lambda answer: np.int64(answer)
    if isinstance(answer, types.Float):
        # Without the comparison, LLVM may do anything with an infinity that it knows when it compiles.
        return lambda answer: (
            np.int64(answer) if abs(answer) <= EXACT and answer == math.floor(answer) else np.int64(NOT_WHOLE)
        )
    return None
