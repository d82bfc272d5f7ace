"""`record`: a small mutable record that is a dataclass in Python and a Numba structref in compiled code.

The same source, `State(pulls=...)` and `state.rounds += 1`, works in both, and compiled code passes it by reference.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from typing import Any, TypeVar, dataclass_transform

from numba import types
from numba.core import cgutils
from numba.core.datamodel import default_manager, models
from numba.core.imputils import impl_ret_borrowed
from numba.core.runtime.nrtdynmod import _meminfo_struct_type
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.experimental import structref
from numba.experimental.jitclass.base import imp_dtor
from numba.extending import lower_builtin, lower_getattr_generic, lower_setattr_generic

T = TypeVar("T")


class RecordType(types.StructRef):
    """A structref type with a short name: Numba writes the name of a type into every symbol that mentions it."""

    def __init__(self, fields: Any) -> None:
        super().__init__(fields)
        digest = hashlib.sha256(repr(fields).encode()).hexdigest()
        self.name = f"{self.__class__.__name__}_{digest[:12]}"


@infer_getattr
class RecordAttribute(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, kind: RecordType, name: str) -> types.Type | None:
        return kind.field_dict.get(name)


@lower_getattr_generic(RecordType)
def _get_field(context: Any, builder: Any, kind: RecordType, value: Any, name: str) -> Any:
    return impl_ret_borrowed(
        context, builder, kind.field_dict[name], getattr(_payload(context, builder, kind, value), name)
    )


@lower_setattr_generic(RecordType)
def _set_field(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
    kind, given = sig.args
    wanted = kind.field_dict[name]
    payload = _payload(context, builder, kind, args[0])
    value = context.cast(builder, args[1], given, wanted)
    if (
        context.enable_nrt or context.data_model_manager[wanted].contains_nrt_meminfo()
    ):  # plain numbers need no counting of references
        context.nrt.incref(builder, wanted, value)
        context.nrt.decref(builder, wanted, getattr(payload, name))
    setattr(payload, name, value)


def _payload(context: Any, builder: Any, kind: RecordType, value: Any) -> Any:
    """The fields of a record, where they lie in memory."""
    meminfo = cgutils.create_struct_proxy(kind)(context, builder, value=value).meminfo
    data = kind.get_data_type()
    block = builder.bitcast(meminfo, _meminfo_struct_type.as_pointer())
    pointer = builder.load(cgutils.gep_inbounds(builder, block, 0, 3))  # its data; as in NRT_MemInfo_data_fast
    pointer = builder.bitcast(pointer, context.data_model_manager[data].get_value_type().as_pointer())
    return cgutils.create_struct_proxy(data)(context, builder, ref=pointer)


@dataclass_transform()
def record(cls: type[T]) -> type[T]:
    """Turn an annotated class into a record; its fields are given by position or keyword, in the order of the annotations."""
    data: Any = dataclasses.dataclass(cls)
    # The qualified names make the types findable when Numba unpickles a signature from its cache.
    inner: dict[str, Any] = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Struct"}
    data.Struct = type(cls.__name__, (RecordType,), inner)
    default_manager.register(data.Struct, models.StructRefModel)
    inner = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Handle", "__slots__": ()}
    data.Handle = type(f"{cls.__name__}Handle", (structref.StructRefProxy,), inner)
    structref.define_boxing(data.Struct, data.Handle)
    _define_constructor(data, [field.name for field in dataclasses.fields(data)])
    return data


def fields_of(value: Any) -> tuple[Any, ...]:
    """The fields of a record, to be handed to compiled code that builds it again."""
    return tuple(getattr(value, field.name) for field in dataclasses.fields(value))


def _define_constructor(data: Any, names: list[str]) -> None:
    """Let compiled code construct the record. Numba's own constructor compiles an assignment per field, a second for a large record."""
    parameters = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])

    class Constructor(AbstractTemplate):
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
