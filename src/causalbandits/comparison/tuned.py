"""Policies with the constants that `python -m benchmarks.tuning` found best on worlds that no claim uses."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ..policies.contract import Policy
from ..policies.registry import policy_named


@cache
def _constants() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found


def tuned(kind: str, family: str, name: str, **parameters: Any) -> Policy:
    """A policy with its best constant for a family of worlds, called "<name>, tuned"."""
    constant = "share" if kind == "gamma-nb" else "exploration"
    value = _constants()[family][kind]
    return policy_named(kind)(**{constant: value}, **parameters, name=f"{name}, tuned ({value:g})")
