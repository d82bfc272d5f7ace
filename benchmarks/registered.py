"""The registered policies that can play a problem."""

from __future__ import annotations

from collections.abc import Iterable

import causalbandits as cb
from causalbandits.policies.checks import accept


def playable(problem: cb.Problem, kinds: Iterable[str] = ()) -> list[str]:
    """The kinds among the given ones, by default among all, whose policies accept the problem."""
    return [kind for kind in kinds or cb.policies.REGISTRY if _is_accepted(kind, problem)]


def _is_accepted(kind: str, problem: cb.Problem) -> bool:
    try:
        accept(cb.policies.policy_named(kind)(), problem)
    except cb.InputError:
        return False
    return True
