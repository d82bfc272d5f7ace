"""`record`: a small mutable record that is a dataclass in Python and a Numba structref in compiled code.

The same source, `State(pulls=...)` and `state.rounds += 1`, works in both, and compiled code passes it by reference.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from typing import Any, TypeVar, dataclass_transform

from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.experimental import structref
from numba.experimental.jitclass.base import imp_dtor
from numba.extending import lower_builtin

T = TypeVar("T")


class RecordType(types.StructRef):  # type: ignore[misc]
    """A structref type with a short name: Numba writes the name of a type into every symbol that mentions it."""

    def __init__(self, fields: Any) -> None:
        super().__init__(fields)
        self.name = f"{self.__class__.__name__}_{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"


@dataclass_transform()
def record(cls: type[T]) -> type[T]:
    """Turn an annotated class into a record; its fields are given by position or keyword, in the order of the annotations."""
    data: Any = dataclasses.dataclass(cls)
    # The qualified names make the types findable when Numba unpickles a signature from its cache.
    inner = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Struct"}
    data.Struct = structref.register(type(cls.__name__, (RecordType,), inner))
    inner = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Handle", "__slots__": ()}
    data.Handle = type(f"{cls.__name__}Handle", (structref.StructRefProxy,), inner)
    structref.define_boxing(data.Struct, data.Handle)
    _define_constructor(data, [field.name for field in dataclasses.fields(data)])
    return data  # type: ignore[no-any-return]


def fields_of(value: Any) -> tuple[Any, ...]:
    """The fields of a record, to be handed to compiled code that builds it again."""
    return tuple(getattr(value, field.name) for field in dataclasses.fields(value))


def _define_constructor(data: Any, names: list[str]) -> None:
    """Let compiled code construct the record. Numba's own constructor compiles an assignment per field, a second for a large record."""
    parameters = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])

    class Constructor(AbstractTemplate):  # type: ignore[misc]
        key = data

        def generic(self, args: Any, kws: Any) -> Any:
            given = {**dict(zip(names, args, strict=False)), **kws}
            if set(given) != set(names):
                return None
            kinds = [types.unliteral(given[name]) for name in names]
            return signature(data.Struct(list(zip(names, kinds, strict=True))), *kinds).replace(pysig=parameters)

    infer_global(data, types.Function(Constructor))

    @lower_builtin(data, types.VarArg(types.Any))
    def construct(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        record_type = sig.return_type
        payload = record_type.get_data_type()
        size = context.get_abi_sizeof(context.data_model_manager[payload].get_value_type())
        meminfo = context.nrt.meminfo_alloc_dtor(
            builder, context.get_constant(types.uintp, size), imp_dtor(context, builder.module, record_type)
        )
        pointer = context.nrt.meminfo_data(builder, meminfo)
        pointer = builder.bitcast(pointer, context.data_model_manager[payload].get_value_type().as_pointer())
        fields = cgutils.create_struct_proxy(payload)(context, builder, ref=pointer)
        for name, kind, value in zip(names, sig.args, args, strict=True):
            context.nrt.incref(builder, kind, value)
            setattr(fields, name, value)
        handle = context.make_helper(builder, record_type)
        handle.meminfo = meminfo
        return handle._getvalue()
