"""A compiled function by its address: all callers share it, instead of each compiling a copy."""

from __future__ import annotations

from typing import Any

from numba import cfunc, types

from . import internals
from .cache import OPTIONS

_ADDRESSES: dict[tuple[Any, Any], int] = {}  # by function and signature
UNUSED = 1  # Numba wants a positive number for the address of a function


class Address(types.WrapperAddressProtocol):
    """A function that compiled code calls through a pointer. It is compiled only if it is needed."""

    def __init__(self, function: Any, signature: Any, is_needed: bool) -> None:
        self._function = function
        self._signature = signature
        self._is_needed = is_needed

    def __wrapper_address__(self) -> int:
        if not self._is_needed:
            return UNUSED
        key = self._function, self._signature
        if key not in _ADDRESSES:
            _ADDRESSES[key] = _address(*key)
        return _ADDRESSES[key]

    def signature(self) -> Any:
        return self._signature


def _address(function: Any, signature: Any) -> int:
    # The address of a function from the disk cache: the callback of the public way is compiled anew in every process.
    if not internals.USED:
        _CALLBACKS.append(cfunc(signature, **OPTIONS)(function.py_func))
        return _CALLBACKS[-1].address
    function.compile(signature)
    result = function.overloads[signature.args]
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


_CALLBACKS: list[Any] = []  # Numba frees the code of a callback that nobody holds


def has_address(function: Any) -> bool:
    """Whether this process has compiled the function, or loaded it from disk, to call it by its address."""
    return any(known is function for known, _ in _ADDRESSES)
