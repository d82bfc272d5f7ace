"""A folder with a report: written whole or not at all, in the place of the report before."""

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

ABOUT = "report.json"  # how a report was made, and its files: what the next report there may remove
Files = Mapping[str, bytes]


def check_folder(out: Path) -> None:
    """Whether a report can be written there, before anything is run."""
    there = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists())
    try:
        tempfile.TemporaryFile(dir=there).close()
    except OSError as error:
        raise _unwritable(out, error) from None


def publish(files: Files, out: Path) -> None:
    """Put a report into a folder, in the place of the one before. What can fail comes first; then the new files take their places, the page last;
    then the old ones that the new report does not have go. Files of others stay."""
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
            with _uninterrupted():
                obsolete = set(_earlier(out)) - set(files)
                for name in sorted(files, key=lambda name: name in ("index.html", ABOUT)):
                    os.replace(new / name, out / name)
                for name in obsolete:
                    (out / name).unlink(missing_ok=True)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise _unwritable(out, error) from None


def _unwritable(out: Path, error: OSError) -> InputError:
    return InputError(f"The folder {str(out)!r} cannot be written ({error.strerror}); name another with --out.")


def _earlier(out: Path) -> Sequence[str]:
    """The files of the report that is there, if there is one; never anything outside of the folder."""
    try:
        names = json.loads((out / ABOUT).read_text())["files"]
        return [name for name in names if isinstance(name, str) and out.resolve() in (out / name).resolve().parents]
    except (OSError, ValueError, KeyError, TypeError):
        return []


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C is too late for these few milliseconds. Only the main thread can arrange that, and only it is interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
