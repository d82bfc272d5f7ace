"""The names that a user sees: those of the library, and no others."""

from __future__ import annotations

import types
from importlib.metadata import version

import causalbandits as cb


def test_the_version_is_that_of_the_package() -> None:
    assert cb.__version__ == version("causalbandits")


def test_the_package_shows_each_of_its_names_once_and_no_others() -> None:
    names = dir(cb)
    assert len(set(names)) == len(names)
    assert {"simulate", "World", "GammaNB", "__version__", "worlds"} <= set(names)
    for name in names:
        value = getattr(cb, name)
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "causalbandits")
        assert home.startswith("causalbandits"), name


def test_modules_show_their_own_names_only() -> None:
    for module in (cb.worlds, cb.plot, cb.regret, cb.bounds, cb.papers, cb.files, cb.testing):
        for name in dir(module):
            assert str(getattr(getattr(module, name), "__module__", "causalbandits")).startswith("causalbandits"), name
    assert dir(cb.worlds) == ["confounded_chain", "marketing", "parallel", "random_world"]
