"""The example problem files that come with the package, and how a user gets a copy of one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from ..errors import InputError, unknown

ENDING = ".toml"


def examples() -> dict[str, str]:
    """The text of every example, by name."""
    folder = files("causalbandits") / "examples"
    texts = {file.name.removesuffix(ENDING): file.read_text(encoding="utf-8") for file in folder.iterdir()}
    return dict(sorted(texts.items()))


def titles(texts: Mapping[str, str]) -> dict[str, str]:
    """The first line of every example, which says what it is about."""
    return {name: text.partition("\n")[0].removeprefix("# ") for name, text in texts.items()}


def copy_example(name: str, path: Path | None = None) -> Path:
    """Write a copy of an example and return its path, by default NAME.toml here. A file that exists stays as it is."""
    texts = examples()
    if name not in texts:
        raise unknown("example", name, texts)
    place = Path(name + ENDING) if path is None else path / (name + ENDING) if path.is_dir() else path
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(texts[name])
    except FileExistsError:
        raise InputError(f"There is a file {str(place)!r} already; name another one with --output.") from None
    except FileNotFoundError:
        raise InputError(f"There is no folder {str(place.parent)!r}; make it, or name another file.") from None
    except OSError as error:
        raise InputError(f"{str(place)!r} cannot be written: {(error.strerror or str(error)).lower()}.") from None
    return place
