"""A storage with an experiment and tokens, its service on a port of this machine, and clients for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

import causalbandits as cb
from causalbandits.live import Storage
from causalbandits.live.http import tokens
from causalbandits.live.http.server import listen
from causalbandits.live.http.service import service

SEEN = {
    "Image": "small",
    "Description": "short",
    "Comparison": "none",
    "Promotion": "no",
    "Reviews": "read",
    "Cart": "empty",
}


def problem(budget: float = 60) -> cb.Problem:
    return cb.worlds.marketing().problem(budget=budget, cost=2)


def outcome(trial: dict[str, Any], reward: int = 1) -> dict[str, Any]:
    """What a client tells of a trial of one round."""
    return {"reward": reward, "values": {**SEEN, **trial["intervention"]}}


@dataclass(frozen=True)
class Served:
    """A client for each kind of token, and one without."""

    storage: Storage
    app: FastAPI
    url: str
    token: str
    write: httpx.Client
    read: httpx.Client
    nobody: httpx.Client


@contextmanager
def served(url: str, policy: str = "crm-nb", budget: float = 60, max_body: int = 2**20) -> Iterator[Served]:
    """The service of a storage with the experiment `checkout`."""
    storage = Storage(url)
    cb.Experiment.create(storage, "checkout", problem(budget), policy, seed=7)
    app = service(storage, max_body)
    write, read = tokens.create(storage, "writer", "write"), tokens.create(storage, "reader", "read")
    with ExitStack() as stack:
        at = stack.enter_context(_running(app))
        clients = [
            stack.enter_context(httpx.Client(base_url=at, headers=headers, timeout=30, trust_env=False))
            for headers in ({"Authorization": f"Bearer {write}"}, {"Authorization": f"Bearer {read}"}, {})
        ]
        yield Served(storage, app, at, write, *clients)


@contextmanager
def _running(app: FastAPI) -> Iterator[str]:
    with listen("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", lifespan="off"))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
