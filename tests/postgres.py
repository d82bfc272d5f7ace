"""A PostgreSQL server of our own, from the system's programs, in a folder that is thrown away."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The folder of the server's programs: on the path, or where Debian keeps them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


class Server:
    """A server on a free port of this machine; `stop` and `start` let it go away and come back."""

    def __init__(self, folder: Path) -> None:
        where = programs()
        assert where is not None
        self._bin, self._folder, self._data = where, folder, folder / "data"
        self._user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
        if self._user is not None:
            shutil.chown(folder, self._user)
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k {self._folder} -c fsync=off -c max_connections=200"
        self._run("pg_ctl", "-D", str(self._data), "-l", str(self._folder / "log"), "-o", options, "-w", "start")

    def stop(self) -> None:
        """As when a machine goes down: nobody is asked."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: str) -> None:
        # To a file, not a pipe: the server would keep the pipe open.
        with tempfile.TemporaryFile() as output:
            command = [str(self._bin / program), *arguments]
            done = subprocess.run(command, stdout=output, stderr=output, cwd="/", user=self._user, check=False)
            output.seek(0)
            assert done.returncode == 0, output.read().decode()


@contextmanager
def server() -> Iterator[Server]:
    """A server for the time of a test session."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        Path(folder).chmod(0o700)
        running = Server(Path(folder))
        try:
            yield running
        finally:
            running.stop()
