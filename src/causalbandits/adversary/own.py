"""The policy that a user names: a kind of the registry, or a class in a file, as in "mine.py:MyPolicy"."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from ..errors import InputError, unknown
from ..policies.contract import Policy
from ..policies.registry import policy_named


def policy_of(text: str) -> Policy:
    """The policy with its default parameters."""
    file, colon, name = text.rpartition(":")
    if not colon:
        return policy_named(text)()
    path = Path(file)
    if not path.is_file():
        raise InputError(f"There is no file {file!r}; name the file of your policy as in mine.py:MyPolicy.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{file!r} is no Python file; name one that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # compiled code is found again by the name of its module
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not (isinstance(found, type) and issubclass(found, Policy)):
        classes = [key for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Policy)]
        raise unknown(f"policy in {file} called", name, classes)
    return found()
