"""The error for mistakes in the input, and helpers that word it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A mistake in the input. Its message is one sentence that names the mistake and the remedy."""


def missing_extra(subject: str, module: str, extra: str) -> InputError:
    """The error for a package that is not installed. `subject` ends with its verb, such as "Figures need"."""
    return InputError(f'{subject} {module}; pip install "causalbandits[{extra}]".')


def unknown(what: str, name: object, known: Iterable[object]) -> InputError:
    """The error for a name that does not exist. It suggests the most similar name, or lists the known ones."""
    options = [str(option) for option in known]
    near = difflib.get_close_matches(str(name), options, n=1)
    if near:
        return InputError(f"There is no {what} {str(name)!r}; did you mean {near[0]!r}?")
    shown = ", ".join(options[:12]) + (", ..." if len(options) > 12 else "")
    return InputError(f"There is no {what} {str(name)!r}; choose from: {shown or 'none are defined'}.")
