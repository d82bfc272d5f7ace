"""A service in a process of its own, which a test may attack."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

import causalbandits as cb
from causalbandits.live import Storage
from causalbandits.live.http import tokens

from ..http.serving import problem


@dataclass(frozen=True)
class Attacked:
    """The address of a service, a client with a token, and the file of what the service prints."""

    host: str
    port: int
    client: httpx.Client
    log: Path
    process: subprocess.Popen[str]


@contextmanager
def attacked(
    folder: Path, url: str, files: int = 256, policy: str = "crm-nb", budget: float = 600
) -> Iterator[Attacked]:
    """`causalbandits serve` for a storage with the experiment `checkout`. It may open so many files."""
    storage = Storage(url)
    cb.Experiment.create(storage, "checkout", problem(600), "crm-nb", seed=7)
    token, log = tokens.create(storage, "writer", "write"), folder / "service.log"
    command = [sys.executable, "-m", "causalbandits", "serve", "--storage", url, "--port", "0"]
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
        )
        try:
            assert process.stdout is not None
            port = next(int(found[1]) for line in process.stdout if (found := re.search(r"http://[^ ]*:(\d+)", line)))
            headers = {"Authorization": f"Bearer {token}"}
            with httpx.Client(
                base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, trust_env=False
            ) as client:
                yield Attacked("127.0.0.1", port, client, log, process)
        finally:
            process.terminate()
            process.communicate(timeout=30)
