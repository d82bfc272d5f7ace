"""Parts: compiled functions that exist only inside other compiled functions.

Numba optimises every function that it compiles and emits its machine code. It then links the function into its callers,
which are optimised again as a whole. A part goes into its callers without any of this work.

What it buys: 6.5 s instead of 8.4 s to the first result of a policy.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numba import NumbaError
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from ...errors import InputError, shown

STREAM = 3  # words of a policy's own stream, as in engine/streams.py


class _Unemitted:
    """A code generator that sets no environment. Parts need none: they raise nothing and hold no Python objects."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


class PartLibrary(JITCodeLibrary):
    """LLVM code that is neither optimised nor emitted on its own."""

    @property
    def codegen(self) -> Any:
        return _Unemitted(self._codegen)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class PartCompiler(Compiler):
    """Numba's compiler with a PartLibrary to compile into."""

    def compile_extra(self, function: Any) -> Any:
        self.state.library = PartLibrary(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


_FIRST_CALL = Lock()


class PlainPart(CPUDispatcher):
    """A part that stays plain Python for Python: for short functions, and for records whose numbers change."""

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


class Part(CPUDispatcher):
    """A part that Python can call too, where a policy runs uncompiled. Python calls a copy, compiled on its own."""

    def __call__(self, *arguments: Any) -> Any:
        if "callable_from_python" not in self.__dict__:
            from .cache import compiled_alone

            with _FIRST_CALL:  # one of several threads makes it
                self.__dict__.setdefault("rng_at", self._names.index("rng") if "rng" in self._names else None)
                self.__dict__.setdefault("callable_from_python", compiled_alone(self.py_func))
        try:
            if self.__dict__["rng_at"] is not None:
                _check_stream(arguments[self.__dict__["rng_at"]])
            return self.__dict__["callable_from_python"](*arguments)
        except (NumbaError, AttributeError, IndexError, TypeError, ValueError) as error:  # a part raises nothing itself
            raise InputError(
                f"{self.py_func.__name__}({', '.join(self._names)}) cannot take {', '.join(map(shown, arguments))}; "
                "an rng is the stream that ask or recommend was given, the others are arrays or numbers."
            ) from error

    @property
    def _names(self) -> tuple[str, ...]:
        code = self.py_func.__code__
        return tuple(code.co_varnames[: code.co_argcount])


def _check_stream(rng: Any) -> None:
    """Refuse an rng that is no stream: compiled code would write beyond its end."""
    if rng.dtype != np.uint64 or rng.size < STREAM:
        raise TypeError("not a stream")
