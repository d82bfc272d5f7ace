"""causalbandits: find the best intervention in a causal graph, and spend as little as possible on finding it.

The public names are listed in `__init__.pyi`. Each is loaded when it is first used, so importing the package is cheap.
"""

import ast as _ast
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any

_STUB = _ast.parse(_Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOMES = {  # the module of every public name; "" for a name that is itself a module
    alias.name: statement.module or ""
    for statement in _STUB.body
    if isinstance(statement, _ast.ImportFrom) and statement.level
    for alias in statement.names
}
_EXTRAS = {"live": "Live experiments need"}  # rooms that need an extra, and the beginning of the sentence about it


def __getattr__(name: str) -> _Any:
    """Load a public name. What the stub does not list is looked for among the classes of registered policies."""
    if name == "__all__":
        return __dir__()
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    home = _HOMES.get(name)
    if home == "":
        return _import_module(f".{name}", __name__)
    if home is not None:
        found = getattr(_loaded(home), name)
    elif name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        try:
            found = getattr(_import_module(".policies", __name__), name)
        except AttributeError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = found
    return found


def _loaded(home: str) -> _Any:
    try:
        return _import_module(f".{home}", __name__)
    except ModuleNotFoundError as missing:
        if home not in _EXTRAS:
            raise
        from .errors import missing_extra as _missing_extra

        raise ImportError(str(_missing_extra(_EXTRAS[home], str(missing.name), home))) from None


def __dir__() -> list[str]:
    """The public names and the classes of registered policies."""
    known = _import_module(".policies.registry", __name__).policies_by_kind()
    return sorted({"__version__", *_HOMES, *(policy.__name__ for policy in known.values())})
