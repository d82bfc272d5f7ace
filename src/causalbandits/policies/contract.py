"""The policy contract.

A policy is a class with parameters as fields and four functions over a small state:

    init(view)                           -> state
    ask(view, state, pending, left, rng) -> arm, count   play `arm` for `count` rounds
    tell(view, state, arm, tally)                        learn from 1 to `count` rounds of that arm
    recommend(view, state, rng)          -> arm          the answer when the money is used up

`view` is the numeric view of the problem (policies/view.py) and `tally` what the rounds showed (policies/columns/).
`left` is the money that is neither spent nor reserved, in millionths. `pending[a]` counts the rounds of arm a that were
handed out and not told yet. They count in phases and radii, never in means.

A policy that reads factors may also be told logged rounds of an intervention that is no arm. `arm` is then NO_ARM, and
only the columns of the tally count.

Only `tell` changes the state. The other functions only read it, except for fields whose names begin with `scratch`.
These are working memory: what they hold means nothing between two calls.

Count 0 means "wait until a pending round is told", and so does a negative count while rounds are pending. If nothing is
pending, 0 means "done": the money left stays unused.
"""

from __future__ import annotations

import dataclasses
import math
from contextlib import suppress
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from ..engine.bridge.parameters import numba_knows
from ..engine.streams import key_of
from ..errors import InputError, check_kind, shown, unknown
from ..problem import Problem
from .columns import Columns, columns_named
from .earlier import with_earlier_fields
from .reference import Reference
from .view import View, view_of

FUNCTIONS = ("init", "ask", "tell", "recommend")
ADDED_LATER = "added later"  # marks a field: see `added_later`


def added_later(*, default: Any) -> Any:
    """A parameter that a policy got after its first release.

    At its default it changes no random stream, so that results and running experiments stay as they were.
    """
    return dataclasses.field(default=default, metadata={ADDED_LATER: True})


@numba_knows
@dataclasses.dataclass(frozen=True, kw_only=True)
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(added_later,))
class Policy:
    """Base of all policies. Subclasses become frozen dataclasses whose fields are numbers."""

    kind: ClassVar[str]  # the name in tables and on the command line
    reads: ClassVar[Columns | str]  # what it reads of a tally: an object of policies/columns, or its name
    goal: ClassVar[str] = ""  # what it is good for, in tables: "simple regret", "cumulative regret" and so on
    reference: ClassVar[Reference | None] = None  # where it comes from
    paper: ClassVar[str] = ""  # the same in one line; a class with a reference need not state it

    name: str | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        with suppress(InputError):  # an unknown name is refused when the policy is used
            cls.reads = columns_named(cls.__dict__.get("reads"))
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        if "paper" in vars(cls):
            cls.reference = vars(cls).get("reference")  # not that of the class it is derived from
        elif cls.reference is not None:
            cls.paper = cls.reference.text

    def __post_init__(self) -> None:
        if not isinstance(getattr(self, "kind", None), str):
            raise InputError(
                f'{type(self).__name__} has no kind; give the class a name for tables, such as kind = "mine".'
            )
        if self.name is not None:
            check_kind("The name of a policy", self.name, str, "a text")
        for field in dataclasses.fields(self):
            if field.name == "name":
                continue
            value, default = getattr(self, field.name), field.default
            wanted = type(default) if isinstance(default, bool | int | float) else float
            is_number = isinstance(value, bool | int | float | np.number) and math.isfinite(value)
            if isinstance(value, bool) != (wanted is bool) or not is_number or (wanted is int and value != int(value)):
                expected = "True or False" if wanted is bool else f"a finite {wanted.__name__}"
                raise InputError(f"The parameter {field.name} of {self.kind} must be {expected}, not {shown(value)}.")
            object.__setattr__(self, field.name, wanted(value))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "name"}

    @property
    def label(self) -> str:
        """Its name in results: its `name`, or its kind with the parameters that differ from their defaults."""
        if self.name is not None:
            return self.name
        changed = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name != "name" and not self._is_default(f)
        }
        inside = ", ".join(f"{name}={_short(value)}" for name, value in changed.items())
        return f"{self.kind}({inside})" if inside else self.kind

    @property
    def key(self) -> Any:
        """A key of its kind and parameters. It gives the policy random streams of its own."""
        unnamed = {f.name for f in dataclasses.fields(self) if ADDED_LATER in f.metadata and self._is_default(f)}
        named = [item for item in sorted(self.parameters.items()) if item[0] not in unnamed]
        return key_of(f"{self.kind} {named}")

    def _is_default(self, field: dataclasses.Field[Any]) -> bool:
        return bool(getattr(self, field.name) == field.default)

    def refuse_negative(self, name: str) -> None:
        """Refuse a parameter below 0."""
        if not isinstance(name, str) or name not in self.parameters:
            raise unknown(f"parameter of {self.kind} called", name, self.parameters)
        if getattr(self, name) < 0:
            raise InputError(f"The parameter {name} of {self.kind} must be at least 0, not {getattr(self, name):g}.")

    def check(self, problem: Problem) -> None:
        """Refuse a problem that this policy cannot play, before anything is spent.

        The columns check what the policy reads of a tally.
        """

    def view(self, problem: Problem) -> View:
        """The numbers of a problem that the four functions work with.

        This function is not compiled. So a policy may extend the view by numbers that are hard to compute.
        """
        return with_earlier_fields(type(self), view_of(problem))

    def init(self, view: Any) -> Any:
        raise NotImplementedError

    def ask(self, view: Any, state: Any, pending: Any, left: Any, rng: Any) -> Any:
        raise NotImplementedError

    def tell(self, view: Any, state: Any, arm: Any, tally: Any) -> None:
        raise NotImplementedError

    def recommend(self, view: Any, state: Any, rng: Any) -> Any:
        raise NotImplementedError

    def refuse_zero(self, name: str) -> None:
        """Refuse a parameter of 0 or below."""
        self.refuse_negative(name)
        if getattr(self, name) == 0:
            raise InputError(f"The parameter {name} of {self.kind} must be above 0, not 0.")


class InBlocks(Policy):
    """Base of policies that choose an arm for several rounds at once: 1 + `block` times the samples of the arm."""

    block: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_negative("block")


def _short(value: float) -> str:
    """A number as people write it: 8 for 8.0, if it is the same number; a truth value by its name."""
    if isinstance(value, bool):
        return str(value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)
