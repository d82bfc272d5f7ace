"""The reward: the variable that the learner wants to be high, and how its values count."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .errors import InputError, as_list, check_kind, shown
from .graph import Graph


@dataclass(frozen=True)
class Reward:
    """The reward variable and its kind: binary (`success` counts as 1), bounded (`low` to `high`) or real."""

    variable: str
    kind: Literal["binary", "bounded", "real"]
    success: str | None = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        check_kind("The variable of a reward", self.variable, str, "the name of a variable")
        if not isinstance(self.kind, str) or self.kind not in ("binary", "bounded", "real"):
            raise InputError(f'The kind of a reward is "binary", "bounded" or "real", not {shown(self.kind)}.')
        if self.success is not None:
            check_kind(f"The value of {self.variable} that counts as 1", self.success, str, "a text")
        for bound in (self.low, self.high):
            if isinstance(bound, bool) or not isinstance(bound, int | float | np.number):
                raise InputError(f"The bounds of the reward {self.variable} must be two numbers, not {shown(bound)}.")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(
                f"The bounds of the reward {self.variable} must be two numbers, the lower first, "
                f"not {self.low:g} and {self.high:g}."
            )

    @property
    def counts(self) -> str:
        """How its values count, in words."""
        if self.kind == "binary":
            return f"{self.success} counts as 1"
        return f"{self.low:g} to {self.high:g}" if self.kind == "bounded" else "a real number"

    @classmethod
    def of(cls, graph: Graph, name: str, *, success: Any = None, bounds: tuple[float, float] | None = None) -> Reward:
        """The reward of the kind that `success`, `bounds` or the values of the variable suggest (see `World`)."""
        check_kind("The graph of a reward", graph, Graph, "a cb.Graph such as world.graph")
        variable = graph[name]
        if variable.hidden:
            raise InputError(f"The reward {name} is hidden; a learner must see it.")
        if success is not None:
            if bounds is not None:
                raise InputError(
                    f"The reward {name} cannot be both binary (success=) and bounded (bounds=); give one of the two."
                )
            variable.index(success)
            return cls(name, "binary", str(success))
        if bounds is not None:
            ends = as_list(f"The bounds of the reward {name}", bounds, "(0, 1)")
            if len(ends) != 2:
                raise InputError(f"The bounds of the reward {name} must be two numbers, not {shown(bounds)}.")
            reward = cls(name, "bounded", None, *ends)
            for value in variable.values:
                if not reward.low <= _number(name, value) <= reward.high:
                    raise InputError(
                        f"The reward {name} can be {value}, outside its bounds {reward.low:g} to {reward.high:g}; "
                        "widen them."
                    )
            return reward
        if not variable.values:
            return cls(name, "real")
        if set(variable.values) == {"0", "1"}:
            return cls(name, "binary", "1")
        try:
            numbers = [float(value) for value in variable.values]
        except ValueError:
            raise InputError(
                f"Say which value of the reward {name} counts as 1, with success={variable.values[-1]!r} for example."
            ) from None
        return cls(name, "bounded", None, min(numbers), max(numbers))


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"The reward {name} has bounds, so its values must be numbers, not {value!r}.") from None
