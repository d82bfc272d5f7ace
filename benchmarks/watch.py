"""A policy that only watches, and also worlds with backdoor paths, which OBS-ALG refuses."""

from __future__ import annotations

import causalbandits as cb
from causalbandits.policies.observe import Observe


class Watch(Observe):
    """OBS-ALG without its refusal: what is measured is the drawing."""

    kind = "watch"

    def check(self, problem: cb.Problem) -> None:
        """Anything goes."""
