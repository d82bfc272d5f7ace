"""Policies as values of compiled code: their parameters, by name."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, lower_getattr_generic, models, register_model, typeof_impl, unbox


class ParametersType(types.Type):
    """The Numba type of a policy: its parameters by name, each a number or a truth value."""

    def __init__(self, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.fields = fields
        super().__init__(name=f"Parameters({', '.join(f'{name}: {kind}' for name, kind in fields)})")


@register_model(ParametersType)
class ParametersModel(models.StructModel):
    def __init__(self, manager: Any, kind: ParametersType) -> None:
        super().__init__(manager, kind, list(kind.fields))


@infer_getattr
class ParametersAttribute(AttributeTemplate):
    key = ParametersType

    def generic_resolve(self, kind: ParametersType, name: str) -> types.Type | None:
        return dict(kind.fields).get(name)


@lower_getattr_generic(ParametersType)
def _get_parameter(context: Any, builder: Any, kind: ParametersType, value: Any, name: str) -> Any:
    return getattr(cgutils.create_struct_proxy(kind)(context, builder, value=value), name)


@unbox(ParametersType)
def _unbox_parameters(kind: ParametersType, policy: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    for name, field in kind.fields:
        attribute = c.pyapi.object_getattr_string(policy, name)
        setattr(struct, name, c.unbox(field, attribute).value)
        c.pyapi.decref(attribute)
    return NativeValue(struct._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def numba_knows(policy_class: Any) -> type:
    """Let compiled code take instances of this class and of its subclasses: their `parameters` mapping names the fields."""

    @typeof_impl.register(policy_class)
    def _(policy: Any, context: Any) -> ParametersType:
        return ParametersType(tuple((name, typeof_impl(value, context)) for name, value in policy.parameters.items()))

    return policy_class
