"""Python objects as values of compiled code, by their fields: policies by their parameters, records by all fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, make_attribute_wrapper, models, register_model, typeof_impl, unbox


class ParametersType(types.Type):
    """The Numba type of an object that compiled code only reads: its fields by name, numbers or arrays."""

    def __init__(self, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.fields = fields
        super().__init__(name=f"Parameters({', '.join(f'{name}: {kind}' for name, kind in fields)})")


@register_model(ParametersType)
class ParametersModel(models.StructModel):
    """Such objects are passed to compiled code as a struct of their fields."""

    def __init__(self, manager: Any, kind: ParametersType) -> None:
        super().__init__(manager, kind, list(kind.fields))

    def get_member_fe_type(self, name: str) -> types.Type | None:
        """The type of a field. None, for a name of another object's field, makes Numba name the mistake."""
        return dict(self._fe_type.fields).get(name)


@unbox(ParametersType)
def _unbox_parameters(kind: ParametersType, policy: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    for name, field in kind.fields:
        attribute = c.pyapi.object_getattr_string(policy, name)
        setattr(struct, name, c.unbox(field, attribute).value)
        c.pyapi.decref(attribute)
    return NativeValue(struct._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


_READABLE: set[str] = set()  # the names that compiled code can read


def numba_knows(policy_class: Any) -> type:
    """Let compiled code take instances of this class and its subclasses. Their `parameters` are the fields."""
    readable_by_fields(policy_class, lambda policy: policy.parameters)
    return policy_class


def readable_by_fields(cls: Any, fields: Callable[[Any], dict[str, Any]]) -> None:
    """Let compiled code read instances of this class and its subclasses, by these fields."""

    @typeof_impl.register(cls)
    def _(value: Any, context: Any) -> ParametersType:
        found = fields(value)
        for name in found.keys() - _READABLE:
            make_attribute_wrapper(ParametersType, name, name)
            _READABLE.add(name)
        return ParametersType(tuple((name, typeof_impl(item, context)) for name, item in found.items()))
