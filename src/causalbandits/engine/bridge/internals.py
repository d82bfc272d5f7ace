"""Whether this process uses Numba's internals: names that Numba may change without notice.

They make policies compile and run faster. Results are the same without them.
The modules disk.py, parts.py and fields.py use them, and are imported only where `USED` is true.

Each piece says what it buys: for CRM-NB with 21 arms and Numba 0.68.1, by switching off that piece alone.
With all of them a first result takes 6.5 s of processor time, and 11.2 million rounds take a second.
With none of them it takes 11.4 s, in every process, and 3.7 million rounds take a second.
"""

from __future__ import annotations

import os
import re
import warnings
from importlib import import_module
from operator import attrgetter

import numba

# The newest Numba that all tests passed with. To move it: raise it, then run `make test` and `make test-slow`.
NEWEST_TESTED = "0.68.1"
PUBLIC_ONLY = "CAUSALBANDITS_PUBLIC_NUMBA"  # an environment variable; 1 means that no internals are used

# Every internal name that this folder uses, by module.
PIECES = {
    "numba.core.caching": ("CompileResultCacheImpl", "FunctionCache.load_overload", "_CacheLocator"),
    "numba.core.codegen": (
        "JITCodeLibrary._optimize_functions",
        "JITCodeLibrary._optimize_final_module",
        "JITCodeLibrary._finalize_final_module",
        "JITCodeLibrary._finalize_dynamic_globals",
        "JITCodeLibrary.get_pointer_to_function",
    ),
    "numba.core.compiler": ("Compiler.compile_extra",),
    "numba.core.dispatcher": ("_FunctionCompiler",),
    "numba.core.options": (
        "DefaultOptions._nrt",
        "DefaultOptions.forceinline",
        "DefaultOptions.no_cpython_wrapper",
        "DefaultOptions.no_cfunc_wrapper",
    ),
    "numba.core.registry": ("CPUDispatcher",),
    "numba.core.runtime.nrtdynmod": ("_meminfo_struct_type",),
    "numba.core.typing.templates": ("AbstractTemplate", "AttributeTemplate", "infer_global", "signature"),
    "numba.experimental.jitclass.base": ("imp_dtor",),
}


def obstacle() -> str | None:
    """Why the internals cannot be used, and the remedy, or None where they can."""
    if os.environ.get(PUBLIC_ONLY) == "1":
        return f"{PUBLIC_ONLY} is set; unset it"
    if _numbers(numba.__version__) > _numbers(NEWEST_TESTED):
        return f"Numba {numba.__version__} is newer than the newest tested one; install numba<={NEWEST_TESTED}"
    for module, names in PIECES.items():
        for name in names:
            try:
                attrgetter(name)(import_module(module))
            except (ImportError, AttributeError):
                return f"Numba {numba.__version__} has no {module}.{name}; install numba=={NEWEST_TESTED}"
    return None


def _numbers(version: str) -> list[int]:
    """The release of a version as numbers: 0.69.0rc1 is [0, 69, 0]."""
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


_OBSTACLE = obstacle()
USED = _OBSTACLE is None
if _OBSTACLE is not None:
    reason, remedy = _OBSTACLE.split("; ")
    warnings.warn(
        f"Policies compile anew in every process and run slower, with the same results, because {reason}; "
        f"{remedy} to avoid that.",
        RuntimeWarning,
        stacklevel=2,
    )
