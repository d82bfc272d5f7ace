"""How the engine compiles: `compiled`, which is Numba's njit with a disk cache that can neither go stale nor fail; and parts of compiled functions.

Numba alone looks only at the file of the function itself, so that editing a helper in another file would run old code; here the stamp
of every cached function is a hash of the whole engine, and the name of one that stands elsewhere has its fingerprint. A folder that
cannot be written is replaced by the next candidate, or by none.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache as memoise
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher

from ..fingerprint import fingerprint
from .parts import PartCompiler

F = TypeVar("F", bound=Callable[..., Any])
ENGINE = Path(__file__).resolve().parents[1]


@memoise
def engine_stamp() -> str:
    """A hash of every source file of the engine: what a cached function may have been built from."""
    digest = hashlib.sha256()
    for path in sorted(ENGINE.rglob("*.py")):
        digest.update(str(path.relative_to(ENGINE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def cache_candidates() -> list[Path]:
    """Where compiled code may be kept, best first: the user's choice, beside the source, the user's cache folder."""
    chosen = os.environ.get("CAUSALBANDITS_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen).expanduser()]
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [ENGINE / "__pycache__", user / "causalbandits"]


def is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@memoise
def cache_folder() -> Path | None:
    """The first candidate that can be written, or None after saying once what that costs."""
    candidates = cache_candidates()
    for folder in candidates:
        if is_writable(folder):
            if folder.parent == ENGINE:  # nobody else's: what older sources left behind can go
                for stale in set(folder.glob("*.nb?")) - set(folder.glob(f"*{engine_stamp()[:8]}*")):
                    stale.unlink(missing_ok=True)
            return folder
    warnings.warn(
        f"causalbandits cannot write its compile cache ({', '.join(map(str, candidates))}): every process compiles anew, "
        "some seconds per policy; set CAUSALBANDITS_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


class _Locator(_CacheLocator):
    """Numba's question "where, and is it current?" answered: one folder, and the engine's stamp in the file's name."""

    label = ""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._py_file = py_func.__code__.co_filename

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return engine_stamp()

    def get_disambiguator(self) -> str:
        return f"{self.label}{engine_stamp()[:8]}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func)


@memoise
def spare_scipy() -> None:
    """Load the part of Numba that imports all of scipy.linalg, a quarter of a second, only to know whether it is there; it asks again at use."""
    linalg = import_module("numba.np.linalg")
    asked = linalg.ensure_blas

    def ensure_blas() -> None:
        if find_spec("scipy") is None:
            raise ImportError("scipy is not installed")

    linalg.ensure_blas = ensure_blas  # type: ignore[attr-defined]
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = asked  # type: ignore[attr-defined]


class _Cache(FunctionCache):
    """Numba's cache, for which what cannot be loaded is merely not there: code of a module that has gone, or a damaged file."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        spare_scipy()
        try:
            return super().load_overload(signature, context)
        except Exception:
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        with suppress(OSError):  # a disk that is full: the next process compiles anew
            super().save_overload(signature, data)


def _cache_of(function: Callable[..., Any], label: str) -> FunctionCache:
    locator = type("_LabelledLocator", (_Locator,), {"label": label})
    files = type("_LabelledFiles", (CompileResultCacheImpl,), {"_locator_classes": [locator]})
    return type("_LabelledCache", (_Cache,), {"_impl_class": files})(function)


def compiled(function: F, label: str = "", allocates: bool = True) -> F:
    """Compile an engine function on first use, without the interpreter lock, and keep the result on disk.

    Functions that share code but not globals need different labels. Each label has an index file of its own: two processes that
    write one index at the same time can give both entries the same data file.
    """
    dispatcher = njit(nogil=True, error_model="numpy", _nrt=allocates)(function)
    if cache_folder() is not None:
        dispatcher._cache = _cache_of(function, label)
    return dispatcher


def unallocating(function: F) -> F:
    """`compiled` for a function that allocates nothing."""
    return compiled(function, allocates=False)


def _label_of(function: Any) -> str:
    """What keeps a part that stands outside of the engine, of which the engine's stamp says nothing, from going stale."""
    return "" if ENGINE in Path(function.__code__.co_filename).resolve().parents else f"{fingerprint(function)[:16]}-"


_FIRST_CALL = Lock()


class _Lean(CPUDispatcher):
    """A part for compiled code; for Python, which calls it only where a policy runs uncompiled, a function compiled and kept on its own."""

    def __call__(self, *arguments: Any) -> Any:
        if "callable_from_python" not in self.__dict__:
            with _FIRST_CALL:  # of several threads, one makes it
                alone = compiled(self.py_func, _label_of(self.py_func), allocates=False)
                self.__dict__.setdefault("callable_from_python", alone)
        return self.__dict__["callable_from_python"](*arguments)


PART = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def lean(function: F) -> F:
    """Compile a function that allocates nothing: references are not counted in it, which is a quarter of the time of a short round."""
    return _Lean(function, locals={}, targetoptions={"nopython": True, **PART}, pipeline_class=PartCompiler)


def helper(function: F) -> F:
    """A `lean` function that Python never calls."""
    return njit(pipeline_class=PartCompiler, **PART)(function)


def fused(function: F) -> F:
    """A `helper` in which a product and a sum may be one operation: for arithmetic whose last bit means nothing."""
    return njit(pipeline_class=PartCompiler, fastmath={"contract"}, **PART)(function)
