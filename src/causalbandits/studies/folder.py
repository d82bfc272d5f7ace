"""The folder of a report. A report is written as a whole or not at all, and replaces the report before it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError

MANIFEST = "report.json"  # how a report was made, and the list of its files: the next report may remove these
Files = Mapping[str, bytes]


def check_folder(out: Path) -> None:
    """Raise InputError if a report cannot be written there. Called before anything is run."""
    existing = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists())
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        raise _unwritable(out, error) from None


def publish(files: Files, out: Path) -> None:
    """Put a report into a folder, in the place of the report before it.

    Everything that can fail comes first. Then the new files are moved to their places, the page last. Then the files
    that only the old report had are removed. Other files in the folder stay.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=out))
        try:
            for name, content in files.items():
                (new / name).parent.mkdir(exist_ok=True)
                (new / name).write_bytes(content)
            for name in files:
                (out / name).parent.mkdir(exist_ok=True)
                if (out / name).is_dir():
                    raise IsADirectoryError(errno.EISDIR, f"{name} is a folder", name)
            with _ctrl_c_ignored():
                obsolete = set(_previous_files(out)) - set(files)
                for name in sorted(files, key=lambda name: name in ("index.html", MANIFEST)):
                    os.replace(new / name, out / name)
                for name in obsolete:
                    (out / name).unlink(missing_ok=True)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise _unwritable(out, error) from None


def _unwritable(out: Path, error: OSError) -> InputError:
    return InputError(f"The folder {str(out)!r} cannot be written ({error.strerror}); name another with --out.")


def _previous_files(out: Path) -> Sequence[str]:
    """The files of the report that is in the folder, if there is one. Names outside of the folder are left out."""
    try:
        names = json.loads((out / MANIFEST).read_text())["files"]
        return [name for name in names if isinstance(name, str) and out.resolve() in (out / name).resolve().parents]
    except (OSError, ValueError, KeyError, TypeError):
        return []


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Ignore Ctrl-C for the few milliseconds in which files are replaced.

    Python sends Ctrl-C to the main thread, and only the main thread can change that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
