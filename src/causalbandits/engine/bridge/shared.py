"""Functions for both drivers: plain Python where Python calls them, a part of compiled code where that calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])


def shared(function: F) -> F:
    """Let compiled code call a function that stays plain Python for Python."""
    marked: F = register_jitable(nogil=True, error_model="numpy")(function)
    return marked
