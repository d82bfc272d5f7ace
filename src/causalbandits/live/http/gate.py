"""What every request must pass first: a valid token, and a body that is not too large."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import StorageError
from ..storage import Storage
from .problem_json import URN, problem_answer, storage_answer
from .tokens import access_of

OPEN = ("/live", "/ready", "/health")
PAGES = ("/docs", "/openapi.json")  # browsers open these, and cannot send a bearer token by themselves
PATIENCE = 16  # of a body that is too large, this many times the limit is read and thrown away
LEAST_BYTES = 12  # for each object or list of a body, on average; a row {"reward":1} with its comma takes 13
NO_TOKEN = "Send a token in the header Authorization: Bearer TOKEN; causalbandits token create makes one."
WRONG_HEADER = "The header Authorization has no token; write it as Authorization: Bearer TOKEN."
UNKNOWN_TOKEN = (
    "This token is unknown in this storage, or it was revoked; causalbandits token list shows the tokens, "
    "and token create makes a new one."
)
READING = ("GET", "HEAD", "OPTIONS")  # methods that change nothing


class Gate:
    """Refuses requests without a token, except the health checks. A token for reading changes nothing."""

    def __init__(self, app: ASGIApp, storage: Storage) -> None:
        self._app, self._storage = app, storage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN:
            refusal = await run_in_threadpool(self._refusal, scope["method"], scope["path"], Headers(scope=scope))
            if refusal is not None:
                return await refusal(scope, receive, send)
        await self._app(scope, receive, send)

    def _refusal(self, method: str, path: str, headers: Headers) -> Response | None:
        is_page = method in READING and path in PAGES
        token = token_in(headers.get("authorization", ""), is_page)
        try:
            access = None if token is None else access_of(self._storage, token)
        except StorageError as error:
            return storage_answer(None, error)
        if access is None:
            sentence = UNKNOWN_TOKEN if token is not None else WRONG_HEADER if "authorization" in headers else NO_TOKEN
            scheme = 'Basic realm="token"' if is_page else "Bearer"
            return problem_answer(401, URN + "unauthorized", sentence, {"WWW-Authenticate": scheme})
        if access == "read" and method not in READING:
            sentence = "This token may only read; to ask, tell or abandon use one made with --access write."
            return problem_answer(403, URN + "read-only", sentence)
        return None


class Limit:
    """Refuses bodies of more than `max_bytes` bytes, or of too many parts: checking each takes time.

    Both are counted as they arrive: headers may lie.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app, self._max_bytes = app, max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        received = parts = 0

        async def counted() -> Message:
            nonlocal received, parts
            message = await receive()
            body = message.get("body", b"")
            received += len(body)
            parts += body.count(b"{") + body.count(b"[")
            if received > self._max_bytes or parts * LEAST_BYTES > self._max_bytes:
                await self._discard(receive, message)
                sentence = self._sentence if received > self._max_bytes else self._sentence_on_parts
                raise HTTPException(413, sentence, {"Connection": "close"})
            return message

        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        if announced.isdecimal() and (len(announced) > 18 or int(announced) > self._max_bytes):
            if "expect" not in headers:  # a client that waits for our "continue" has sent no body to discard
                await self._discard(receive, {"more_body": True})
            refusal = problem_answer(413, "about:blank", self._sentence, {"Connection": "close"})
            return await refusal(scope, receive, send)
        await self._app(scope, counted, send)

    async def _discard(self, receive: Receive, last: Mapping[str, Any]) -> None:
        """Read the rest of a body and throw it away, because a client reads the answer only after sending.

        A body that is far too large is cut off.
        """
        discarded = 0
        while last.get("more_body", False) and discarded <= PATIENCE * self._max_bytes:
            last = await receive()
            discarded += len(last.get("body", b""))

    @property
    def _sentence(self) -> str:
        return (
            f"The body has more than {self._max_bytes} bytes; send less at a time, "
            "or start the service with a larger --max-body."
        )

    @property
    def _sentence_on_parts(self) -> str:
        return (
            f"The body has more than {self._max_bytes // LEAST_BYTES} objects and lists; send less at a time, "
            "or start the service with a larger --max-body."
        )


def token_in(authorization: str, is_page: bool = False) -> bytes | None:
    """The token in a header. A browser that asks for a page may send it as the password of any user."""
    scheme, _, credentials = authorization.partition(" ")
    credentials = credentials.strip()
    if scheme.lower() == "bearer" and credentials:
        return credentials.encode()
    if scheme.lower() == "basic" and is_page:
        try:
            return base64.b64decode(credentials, validate=True).partition(b":")[2] or None
        except (binascii.Error, ValueError):
            return None
    return None
