"""Parts: functions that exist only inside other compiled functions.

Numba optimises every function it compiles, and emits its machine code, also where it is only going to be linked into a caller, which is then
optimised as a whole again. A part goes into its callers as it is, which takes a fifth to a third off the time to the first result of a policy.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Unemitted:
    """A code generator that sets no environment, for there is no code to use it: parts raise nothing and hold no Python objects."""

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
