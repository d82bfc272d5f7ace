"""`record`: a small mutable record that is a dataclass in Python and a Numba structref in compiled code.

The same source works in both, such as `State(pulls=...)` and `state.rounds += 1`.
Compiled code passes records by reference.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, TypeVar, dataclass_transform

from numba import types
from numba.experimental import structref
from numba.extending import models, register_model

from ...errors import InputError, shown
from . import internals
from .parameters import readable_by_fields

if internals.USED:
    from . import fields as definitions
else:
    definitions = structref

T = TypeVar("T")


class RecordType(types.StructRef):
    """A structref type with a short name: Numba writes the name of a type into every symbol that mentions it."""

    def __init__(self, fields: Any) -> None:
        super().__init__(fields)
        code = hashlib.sha256(repr(tuple(self.field_dict.items())).encode()).hexdigest()
        self.name = f"{self.__class__.__name__}_{code[:12]}"

    def preprocess_fields(self, fields: Any) -> Any:
        """The fields with types that do not depend on the values: a record made with `State(0)` can hold any number."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


definitions.define_attributes(RecordType)


@dataclass_transform()
def record(cls: type[T]) -> type[T]:
    """Turn an annotated class into a record. Fields are given by position or keyword, in their order in the class."""
    if not isinstance(cls, type) or not getattr(cls, "__annotations__", None):
        raise InputError(
            f"record takes a class with annotated fields, as in `class State: pulls: np.ndarray`, not {shown(cls)}."
        )
    data: Any = dataclasses.dataclass(cls)
    # The qualified names make the types findable when Numba unpickles a signature from its cache.
    inner: dict[str, Any] = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Struct"}
    data.Struct = type(cls.__name__, (RecordType,), inner)
    register_model(data.Struct)(models.StructRefModel)
    inner = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Handle", "__slots__": ()}
    data.Handle = type(f"{cls.__name__}Handle", (structref.StructRefProxy,), inner)
    definitions.define_constructor(data, data.Struct, [field.name for field in dataclasses.fields(data)])
    structref.define_boxing(data.Struct, data.Handle)
    readable_by_fields(data, vars)  # a part that Python calls reads the fields, and writes into their arrays
    return data


def fields_of(value: Any) -> tuple[Any, ...]:
    """The fields of a record, to be given to compiled code that builds it again."""
    return tuple(getattr(value, field.name) for field in dataclasses.fields(value))
