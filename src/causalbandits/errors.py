"""What can be wrong with what a user says, and how it is said."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A mistake in the input, told in one sentence that names it and the remedy."""


def unknown(what: str, name: object, known: Iterable[object]) -> InputError:
    """The error for a name that does not exist, with the nearest one that does, or with all of them."""
    options = [str(option) for option in known]
    near = difflib.get_close_matches(str(name), options, n=1)
    if near:
        return InputError(f"There is no {what} {str(name)!r}; did you mean {near[0]!r}?")
    shown = ", ".join(options[:12]) + (", ..." if len(options) > 12 else "")
    return InputError(f"There is no {what} {str(name)!r}; choose from: {shown or 'none are defined'}.")
