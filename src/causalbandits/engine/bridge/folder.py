"""Where compiled code is kept on disk, and which source it belongs to."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from functools import cache as memoise
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[1]


@memoise
def engine_stamp() -> str:
    """A hash of every source file of the engine, in all of its folders."""
    hasher = hashlib.sha256()
    for path in sorted(ENGINE.rglob("*.py")):
        hasher.update(str(path.relative_to(ENGINE)).encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()


def cache_candidates() -> list[Path]:
    """Folders for compiled code, best first: the user's choice, beside the source, the user's cache folder."""
    chosen = os.environ.get("CAUSALBANDITS_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen).expanduser()]
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [ENGINE / "__pycache__", user / "causalbandits"]


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made first if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@memoise
def cache_folder() -> Path | None:
    """The first candidate that can be written. Without one: None, and a warning, once."""
    candidates = cache_candidates()
    for folder in candidates:
        if is_writable(folder):
            if folder.parent == ENGINE:  # only this engine writes here, so files of older sources can go
                for stale in set(folder.glob("*.nb?")) - set(folder.glob(f"*{engine_stamp()[:8]}*")):
                    stale.unlink(missing_ok=True)
            return folder
    warnings.warn(
        f"causalbandits cannot write its compile cache ({', '.join(map(str, candidates))}): "
        "every process compiles anew, some seconds per policy; "
        "set CAUSALBANDITS_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None
